// The system page for operators: status, required actions and details; hidden from others.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { jobs, outboxMails } from '../../../src/data/tables/tables.ts';
import { startFixture } from '../../../src/testing/fixture.ts';
import { addOwner } from '../../support/factors.ts';
import { addBuilds, openScenario, openSignedIn, type Scenario } from './scenario.ts';
import { openVisitor, type Visitor } from './visitor.ts';

let scenario: Scenario;
let visitor: Visitor;

beforeAll(async () => {
  scenario = await openScenario();
});
afterAll(() => scenario?.close());
beforeEach(async () => {
  visitor = await openVisitor(scenario.browser, scenario.origin);
});
afterEach(() => visitor?.leave());

async function open(who: { email: string; password: string } = scenario.fixture.admin): Promise<void> {
  await openSignedIn(scenario, visitor, '/system', who);
}
const heading = (name: string | RegExp) => visitor.page.getByRole('heading', { name });

/** Without what the fixture's plain address lacks: everything that the server finds of itself is fine. */
async function findNothing(): Promise<void> {
  await visitor.context.route('**/api/v1/system/findings', async (route) => {
    const answer = await route.fetch();
    const body: { findings: { name: string }[] } = await answer.json();
    const ios = { status: 'ok', detail: 'supports over-the-air installs if phones trust its certificate' };
    const findings = body.findings.map((finding) => (finding.name === 'ios' ? { ...finding, ...ios } : finding));
    await route.fulfill({ response: answer, json: { ...body, findings } });
  });
}

describe('the status of the server', () => {
  it('is linked in the sidebar, and shows that nothing needs attention', async () => {
    const { page, actions, show } = visitor;
    addBuilds(scenario.fixture, 3);
    await findNothing();
    const request = {
      identifier: 'request',
      status: 'validating',
      validation: null,
      organization_name: 'Harbor Works',
      storage_account: 'harbor',
      container: 'builds',
      requested_at: new Date().toISOString(),
    };
    await page.route('**/system/storage-requests', (route) =>
      route.fulfill({ json: { items: [request], has_more: true } }),
    );
    await openSignedIn(scenario, visitor, '/');
    await actions.click('System', 'link');
    await heading('All checks passed').waitFor();
    await page.getByText('Only the newest 1 are shown.').waitFor();
    await page.getByText('taxiway storage-request list --open').waitFor();
    await page.getByRole('table', { name: 'Schedules' }).waitFor();
    for (const name of ['Server', 'Storage', 'Email', 'Jobs', 'Webhooks', 'Certificate', 'Backups', 'Schedules']) {
      expect(await page.getByRole('heading', { name, exact: true }).count(), name).toBe(1);
    }
    const numbers = page.getByRole('heading', { name: 'Usage' }).locator('xpath=ancestor::section');
    expect(
      await numbers
        .locator('dl > div')
        .filter({ hasText: /^Builds/ })
        .locator('dd')
        .textContent(),
    ).toBe('3');
    await show('system-healthy');
  });

  it('shows what needs attention, most urgent first, with the next steps', async () => {
    const { page, show } = visitor;
    const { db, ids, clock } = scenario.fixture.app;
    const at = clock.now().getTime();
    await open();
    await heading('1 item needs attention').waitFor();
    const summary = page.getByRole('region', { name: 'Status' });
    await summary.getByText('Over-the-air installs', { exact: true }).waitFor();
    await summary.getByText(/over-the-air installs require an address that phones can reach and https/).waitFor();

    db.insert(jobs)
      .values({
        id: ids.next(),
        kind: 'nothing.known',
        payload: '{}',
        runAt: at,
        attempts: 10,
        maxAttempts: 10,
        lastError: 'Error: no such kind',
        state: 'dead',
        createdAt: at,
      })
      .run();
    db.insert(outboxMails)
      .values({
        id: ids.next(),
        kind: 'verify_email',
        recipient: 'dana@example.com',
        subject: 'Hello',
        text: '',
        html: '',
        state: 'pending',
        attempts: 2,
        lastError: '535 5.7.8 the name or the password is wrong',
        nextAttemptAt: at + 3_600_000,
        createdAt: at - 7_200_000,
      })
      .run();
    db.$client.exec('ALTER TABLE mfa_reminders RENAME TO elsewhere');
    await scenario.fixture.sweep('mfa-reminders').catch(() => undefined);
    db.$client.exec('ALTER TABLE elsewhere RENAME TO mfa_reminders');
    await scenario.fixture.sweep('sessions');
    // By itself: nobody has to ask for it.
    await heading('1 problem found').waitFor();
    expect(await summary.getByRole('listitem').locator('.tw-strong').allTextContents()).toEqual([
      'The mail server rejects emails',
      '1 job failed',
      '1 cleanup job failed',
      'Over-the-air installs',
    ]);
    await summary.getByText('535 5.7.8').waitFor();
    await page.getByRole('button', { name: 'Copy command to run mfa-reminders' }).waitFor();
    await show('system-attention');
    const german = await openVisitor(scenario.browser, scenario.origin, { locale: 'de-DE' });
    await openSignedIn(scenario, german, '/system');
    await german.page.getByRole('heading', { name: '1 Problem gefunden' }).waitFor();
    await german.show('system-german');
    await german.leave();
  });

  it('shows replication while Litestream is stopped, with the command that starts it, and while it runs', async () => {
    const fixture = await startFixture({ config: { replication: { target: 'replica' } } });
    const server = { ...scenario, fixture, origin: new URL(fixture.config.server.base_url).origin };
    const operator = await openVisitor(server.browser, server.origin);
    let isRunning = false;
    await operator.context.route('**/api/v1/system', async (route) => {
      const answer = await route.fetch();
      const body: { replication: object } = await answer.json();
      const running = { is_running: true, lag_seconds: 1.2, log_bytes: 4_194_304 };
      await route.fulfill({
        response: answer,
        json: { ...body, replication: { ...body.replication, ...(isRunning ? running : {}) } },
      });
    });
    await openSignedIn(server, operator, '/system');
    const { page } = operator;
    const card = page.getByRole('heading', { name: 'Replication' }).locator('xpath=ancestor::section');
    await card.getByText("Litestream isn't running").waitFor();
    await card.getByText('sudo systemctl start taxiway-litestream').waitFor();
    const summary = page.getByRole('region', { name: 'Status' });
    await summary.getByText(/so nothing is replicated and the write-ahead log \([\d.]+ MB\) grows/).waitFor();
    await operator.show('system-replication-stopped');
    isRunning = true;
    await page.reload();
    await card.getByText('Litestream is running').waitFor();
    expect(await card.locator('dl > div').allTextContents()).toEqual([
      'StatusLitestream is running',
      'Behind by2 s at most',
      'Write-ahead log4.19 MB',
      `Target${fixture.config.replication.target}`,
    ]);
    await operator.leave();
    await fixture.stop();
  });

  it('is hidden from others: there is no link, and the page explains it', async () => {
    const { page, show } = visitor;
    const other = (await addOwner(scenario.fixture)).account;
    await open(other);
    await heading('Only operators can open this page').waitFor();
    await page.getByText('taxiway developer create --operator').waitFor();
    await page.getByRole('link', { name: 'My apps' }).first().waitFor();
    expect(await page.getByRole('link', { name: 'System' }).count()).toBe(0);
    await show('system-forbidden');
  });
});
