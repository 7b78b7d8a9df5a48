// The audit page: days, filters, missing events, and the CSV.
import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { DAY } from '../../../src/lib/clock.ts';
import { openScenario, openSignedIn, type Scenario } from './scenario.ts';
import { openVisitor, type Visitor } from './visitor.ts';

const MOST = 6;

let scenario: Scenario;
let visitor: Visitor;
let today: string;

beforeAll(async () => {
  scenario = await openScenario({ config: { limits: { audit_events_per_day: MOST } } });
  today = scenario.fixture.clock.now().toISOString().slice(0, 10);
  const place = {
    organization_id: scenario.fixture.organization_id,
    project_id: scenario.fixture.android_project_id,
  };
  for (const name of ['one', 'two', 'three', 'four']) await scenario.client.post('/api/v1/channels', { name }, place);
  for (const name of ['Shelf', 'Desk', 'Drawer']) {
    const made = await scenario.client.post(
      '/api/v1/webhooks',
      { url: `https://${name.toLowerCase()}.example.com/`, events: ['build.uploaded'] },
      { organization_id: place.organization_id },
    );
    expect(made.status, made.text).toBe(201);
  }
});
afterAll(async () => {
  await scenario?.close();
});
beforeEach(async () => {
  visitor = await openVisitor(scenario.browser, scenario.origin);
});
afterEach(() => visitor?.leave());

async function open(): Promise<void> {
  const { page } = visitor;
  await openSignedIn(scenario, visitor, '/audit');
  await page.getByRole('heading', { name: 'Audit' }).waitFor();
  await page.getByLabel('Day', { exact: true }).fill(today);
  await page.getByRole('table', { name: 'Audit' }).waitFor();
}

describe('the audit trail', () => {
  it('shows when older events are missing, and all of them in a range', async () => {
    const { page, show } = visitor;
    await open();
    await page.getByText('Older events not shown').waitFor();
    await page.getByText(`${MOST} events`, { exact: true }).waitFor();
    await show('audit-truncated');
    await page.getByText('Range of days').click();
    await page.getByLabel('Last day').fill(today);
    await page.getByLabel('First day').fill('2020-01-01');
    await page.getByText('Older events not shown').waitFor({ state: 'detached' });
    await page.getByLabel('First day').fill('2100-01-01');
    await page.getByText('The last day must not be before the first day.').waitFor();
    await expect
      .poll(() => page.getByRole('button', { name: 'Download the shown events as CSV' }).isDisabled())
      .toBe(true);
  });

  it('can be filtered and saved as a file of the shown events', async () => {
    const { page, actions, show } = visitor;
    await open();
    await page.getByLabel('Type', { exact: true }).selectOption('Webhook subscription');
    await page.getByLabel('Search events').fill('desk');
    await page.getByText(`1 of ${MOST} events`).waitFor();
    await page.getByText('created the webhook desk.example.com').waitFor();
    await page.getByRole('button', { name: /^Details of: .* created the webhook desk/ }).click();
    await page.getByText('"host": "desk.example.com"').waitFor();
    await show('audit-filtered');
    await expect
      .poll(() => page.evaluate('location.search'))
      .toBe(`?day=${today}&type=webhook_subscription&search=desk`);
    await page.reload();
    await page.getByText(`1 of ${MOST} events`).waitFor();
    expect(await page.getByLabel('Search events').inputValue()).toBe('desk');
    const waiting = page.waitForEvent('download');
    await actions.click('Download the shown events as CSV');
    const download = await waiting;
    expect(download.suggestedFilename()).toBe(`audit-${today}.csv`);
    const lines = readFileSync(await download.path(), 'utf8').split('\r\n');
    expect(lines[0]).toBe('timestamp,event_type_label,data_type_label,ip_address');
    expect(lines[1]).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z,Created,Webhook subscription,/);
    expect(lines.slice(2)).toEqual(['']);
    await page.getByLabel('Search events').fill('nothing like it');
    await actions.click('Clear filters');
    await page.getByText(`${MOST} events`, { exact: true }).waitFor();
    await expect.poll(() => page.evaluate('location.search')).toBe(`?day=${today}`);
    // The page itself, without a period.
    await page.getByLabel('Search events').fill('desk');
    await expect.poll(() => page.evaluate('location.search')).toContain('search=desk');
    await page.getByRole('complementary').getByRole('link', { name: 'Audit' }).click();
    await expect.poll(() => page.evaluate('location.search')).toBe('');
    await expect.poll(() => page.getByLabel('Search events').inputValue()).toBe('');
  });

  it('is only saved when the events of the chosen days are loaded', async () => {
    const { page, context } = visitor;
    await open();
    const csv = page.getByRole('button', { name: 'Download the shown events as CSV' });
    await expect.poll(() => csv.isDisabled()).toBe(false);
    const gate = Promise.withResolvers<void>();
    await context.route('**/api/v1/audit/**', async (route) => {
      await gate.promise;
      await route.continue();
    });
    const yesterday = new Date(Date.parse(today) - DAY).toISOString().slice(0, 10);
    const asked = page.waitForRequest((request) => request.url().includes(`day=${yesterday}`));
    await page.getByLabel('Day', { exact: true }).fill(yesterday);
    await asked;
    // The table still has the events of the day before the change.
    await page.getByRole('table', { name: 'Audit' }).waitFor();
    expect(await csv.isDisabled()).toBe(true);
    gate.resolve();
    await page.getByRole('heading', { name: 'No events' }).waitFor();
    expect(await csv.isDisabled()).toBe(true);
  });

  it('shows an empty day with the command line for the same, in German', async () => {
    const { page, show } = visitor;
    await open();
    await page.getByLabel('Day', { exact: true }).fill('2020-02-29');
    await page.getByRole('heading', { name: 'No events' }).waitFor();
    await page.getByText('Use the API').click();
    await expect
      .poll(() => page.locator('pre').textContent())
      .toBe(
        [
          `curl '${scenario.origin}/api/v1/audit/organization/${scenario.fixture.organization_id}?day=2020-02-29' \\`,
          '  -H "Authorization: Bearer $TAXIWAY_TOKEN"',
        ].join('\n'),
      );
    await show('audit-empty');
    const german = await openVisitor(scenario.browser, scenario.origin, { locale: 'de-DE' });
    await openSignedIn(scenario, german, '/audit');
    await german.page.getByRole('heading', { name: 'Protokoll' }).waitFor();
    await german.page.getByLabel('Tag', { exact: true }).fill(today);
    await german.page.getByText('Ältere Ereignisse nicht angezeigt').waitFor();
    await german.show('audit-german');
    await german.leave();
  });

  it('shows an explanation to others, and is only linked for admins', async () => {
    const { page, context, show, expectRefusals } = visitor;
    await open();
    await context.route('**/api/v1/organizations', async (route) => {
      const answer = await route.fetch();
      const list: { role: string }[] = await answer.json();
      await route.fulfill({ response: answer, json: list.map((one) => ({ ...one, role: 'member' })) });
    });
    const refusal = { error: 'insufficient_role', message: 'This needs the role admin', details: {} };
    await context.route('**/api/v1/audit/**', (route) => route.fulfill({ status: 403, json: refusal }));
    expectRefusals(403);
    await page.reload();
    await page.getByRole('heading', { name: "Your role doesn't allow this" }).waitFor();
    await page.getByRole('link', { name: 'Devices' }).waitFor();
    for (const name of ['Audit', 'Webhooks']) expect(await page.getByRole('link', { name }).count()).toBe(0);
    await show('audit-forbidden');
  });
});
