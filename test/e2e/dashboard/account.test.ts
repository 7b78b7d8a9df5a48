// The account page: tokens, email address, data and deletion.
import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { addOwner, type Owner } from '../../support/factors.ts';
import { openScenario, openSignedIn, type Scenario, signIn } from './scenario.ts';
import { openVisitor, type Visitor } from './visitor.ts';

let scenario: Scenario;
let visitor: Visitor;
let owner: Owner;

beforeAll(async () => {
  scenario = await openScenario();
});
afterAll(() => scenario?.close());
beforeEach(async () => {
  visitor = await openVisitor(scenario.browser, scenario.origin);
});
afterEach(() => visitor?.leave());

async function open(who: { email: string; password: string }): Promise<void> {
  await openSignedIn(scenario, visitor, '/me', who);
  await visitor.page.getByRole('heading', { name: 'Your account' }).waitFor();
}

describe('a personal access token', () => {
  it('expires after 90 days by default, is shown once, rotated, revoked and deleted', async () => {
    const { page, actions, show } = visitor;
    await open(scenario.fixture.admin);
    await actions.click('New token');
    const dialog = page.getByRole('dialog');
    const ends = dialog.getByLabel('Expires');
    await expect
      .poll(() => ends.locator('option').allTextContents())
      .toEqual(['Never', 'In 7 days', 'In 30 days', 'In 60 days', 'In 90 days', 'On a custom date']);
    await expect.poll(() => ends.inputValue()).toBe('90');
    await dialog.getByLabel('Name').fill('laptop');
    await dialog.getByLabel('upload builds').check();
    await ends.selectOption('custom');
    await show('token-new');
    await ends.selectOption('90');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await page.getByText('see this again').waitFor();
    const secret = (await page.locator('.tw-command pre').textContent()) ?? '';
    expect(secret).toMatch(/^svc_pat_/);
    await expect.poll(() => page.getByRole('button', { name: 'Done' }).isDisabled()).toBe(true);
    await page.keyboard.press('Escape');
    await show('token-secret');
    await page.getByLabel("I've saved it in a safe place").check();
    await actions.click('Done');
    const row = page.getByRole('listitem').filter({ hasText: 'laptop' });
    await row.getByText('read, upload builds').waitFor();
    expect((await scenario.client.as(secret).get('/api/v1/organizations')).status).toBe(200);
    for (const step of ['Revoke', 'Delete']) {
      await row.getByRole('button', { name: step }).click();
      await page.getByRole('dialog').getByRole('button', { name: step }).click();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    }
    await row.waitFor({ state: 'detached' });
  });
});

describe('an account', () => {
  it('exports its data, changes its address, and is deleted', async () => {
    const { page, actions, show, expectRefusals } = visitor;
    owner = await addOwner(scenario.fixture);
    const { email, password } = owner.account;
    await page.addInitScript(
      "navigator.credentials.create = () => Promise.reject(new DOMException('Known', globalThis.refusal))",
    );
    await open({ email, password });
    await actions.click('Add passkey');
    await page.getByRole('dialog').getByLabel('Current password').fill(password);
    await page.evaluate("globalThis.refusal = 'InvalidStateError'");
    await actions.click('Continue');
    await page.getByText('This device already has a passkey for your account').waitFor();
    await show('passkey-exists');
    for (const [name, text] of [
      ['NotAllowedError', 'No passkey was created. Try again.'],
      ['SecurityError', 'Something went wrong on this page'],
    ] as const) {
      await page.evaluate(`globalThis.refusal = '${name}'`);
      await actions.click('Create passkey');
      await page.getByRole('alert').getByText(text).waitFor();
    }
    await page.keyboard.press('Escape');
    // The archive can be ready before the page is loaded again.
    let isShownReady = false;
    await page.route('**/exports', async (route) => {
      if (isShownReady || route.request().method() !== 'GET') return route.continue();
      const response = await route.fetch();
      const { items, ...others } = (await response.json()) as { items: object[] };
      return route.fulfill({
        response,
        json: { ...others, items: items.map((item) => ({ ...item, state: 'preparing' })) },
      });
    });
    await actions.click('Create archive');
    await page.getByText('Pending', { exact: true }).waitFor();
    await page.reload();
    await page.getByText('Pending', { exact: true }).waitFor();
    await scenario.fixture.drain();
    isShownReady = true;
    await page.getByText('Ready', { exact: true }).waitFor();
    await show('me-archive');

    await actions.click('Change email address');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('New email address').fill('moved@example.com');
    await dialog.getByLabel('Current password').fill('not the password');
    expectRefusals(403, 400);
    await dialog.getByRole('button', { name: 'Change email address' }).click();
    await dialog.getByText('Incorrect. Try again.').waitFor();
    await dialog.getByLabel('Current password').fill(password);
    await dialog.getByRole('button', { name: 'Change email address' }).click();
    await page.getByText("Link created. Ask the server's operator for it.").waitFor();
    const mail = await scenario.fixture.mail.waitFor('moved@example.com');
    await page.goto(/http\S+change_email\S+/.exec(mail.text)?.[0] ?? '');
    await page.getByRole('button').click();
    await page.getByRole('link', { name: 'Sign in' }).waitFor();

    await page.goto(new URL('/me', scenario.origin).href);
    await page.getByRole('heading', { name: 'Your account' }).waitFor();
    await actions.click('Delete my account');
    await show('account-delete');
    await dialog.getByLabel('Current password').fill(password);
    await dialog.getByRole('button', { name: 'Delete my account' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await page.getByText('ask its operator for the link to keep your account').waitFor();
    await show('account-left');
    const wayBack = await scenario.fixture.mail.waitFor('moved@example.com', /cancel_deletion/);
    await page.goto(/http\S+cancel_deletion\S+/.exec(wayBack.text)?.[0] ?? '');
    await actions.click('Keep account');
    await actions.click('Sign in', 'link');
    await signIn(page, { email: 'moved@example.com', password });
    await page.getByRole('heading', { name: 'No organization yet' }).waitFor();
  });

  it('shows its events of the selected number of days', async () => {
    const { page, actions, show } = visitor;
    const { email, password } = (await addOwner(scenario.fixture)).account;
    const testers = `/api/v1/projects/${scenario.fixture.android_project_id}/testers`;
    expect((await scenario.client.post(testers, { email })).status).toBe(201);
    const asked: string[] = [];
    page.on('request', (request) => {
      const { pathname, search } = new URL(request.url());
      if (pathname.includes('/audit/developer/')) asked.push(search);
    });
    await open({ email, password });
    const activity = page.getByRole('table', { name: 'Activity' });
    await activity.getByText('signed in').first().waitFor();
    await page.getByLabel('Period').selectOption('Last 90 days');
    await expect.poll(() => asked.length).toBe(2);
    const day = /^\?from=(\d{4}-\d\d-\d\d)&to=(\d{4}-\d\d-\d\d)$/;
    const [days = 0, more = 0] = asked.map((search) => {
      const [, from = '', to = ''] = day.exec(search) ?? [];
      return (Date.parse(to) - Date.parse(from)) / 86_400_000;
    });
    expect([days, more]).toEqual([6, 89]);

    const csv = page.getByRole('button', { name: 'Download the shown events as CSV' });
    await expect.poll(() => csv.isDisabled()).toBe(false);
    const waiting = page.waitForEvent('download');
    await csv.click();
    const download = await waiting;
    const [, from, to] = day.exec(asked[1] ?? '') ?? [];
    expect(download.suggestedFilename()).toBe(`audit-${from}-to-${to}.csv`);
    const lines = readFileSync(await download.path(), 'utf8').split('\r\n');
    expect(lines.map((line) => line.split(',').slice(1, 3).join())).toEqual([
      'event_type_label,data_type_label',
      'Login succeeded,Developer',
      'Login succeeded,Developer',
      'Created,Developer',
      '',
    ]);

    await actions.click('Choose channels');
    const mails = page.getByLabel(/^Emails about new releases of /).first();
    await expect.poll(() => mails.isChecked()).toBe(true);
    await mails.uncheck();
    await show('me-activity');
    await page.reload();
    await actions.click('Choose channels');
    await mails.waitFor();
    await expect.poll(() => mails.isChecked()).toBe(false);
  });
});
