// An organization from its trial to a suspension and back: credit that is used up, payments on the payment page, a failed renewal.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eq } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { loadAccount } from '../../../src/billing/accounts.ts';
import { readFunds } from '../../../src/billing/gates.ts';
import { creditOrganization, setCeiling, unlockOrganization } from '../../../src/billing/operator.ts';
import { systemContext } from '../../../src/core/transact.ts';
import { builds, organizations } from '../../../src/data/tables/tables.ts';
import { DAY } from '../../../src/lib/clock.ts';
import { type PaddleDouble, startPaddle } from '../../support/paddle.ts';
import { buildSampleApk } from '../sample-app.ts';
import { openScenario, openSignedIn, type Scenario } from './scenario.ts';
import { openVisitor, type Visitor } from './visitor.ts';

let provider: PaddleDouble;
let scenario: Scenario;
let folder: string;

beforeAll(async () => {
  provider = await startPaddle(() => scenario?.fixture.clock.now() ?? new Date());
  scenario = await openScenario({
    config: {
      billing: {
        enabled: true,
        provider: 'paddle',
        trial_days: 30,
        starter_credit_cents: 100,
        prices: { storage_gib_month_cents: 100, seat_month_cents: 500 },
        paddle: { ...provider.settings, client_token: 'test_0123456789abcdef', environment: 'sandbox' },
      },
    },
  });
  provider.webhookUrl = scenario.fixture.url;
  folder = mkdtempSync(join(tmpdir(), 'taxiway-billing-'));
});
afterAll(async () => {
  await scenario?.close();
  await provider?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** What Paddle.js does on the payment page: it opens the transaction of the address, and says how it ended. */
const paddleScript = `
  window.Paddle = {
    Environment: { set: function (name) { document.documentElement.dataset.paddle = name; } },
    Initialize: function (options) {
      var id = new URLSearchParams(location.search).get('_ptxn');
      function add(text, run) {
        var button = document.createElement('button');
        button.textContent = text;
        button.addEventListener('click', run);
        document.body.append(button);
      }
      add('Pay', function () { window.payTransaction(id).then(function () { options.eventCallback({ name: 'checkout.completed' }); }); });
      add('Close', function () { options.eventCallback({ name: 'checkout.closed' }); });
      document.documentElement.dataset.token = options.token;
    },
    Checkout: { open: function () {} }
  };`;

/** Lets checkouts lead to the payment page of the server, with a double of Paddle.js. */
async function usePaymentPage({ page }: Visitor): Promise<void> {
  provider.paymentLink = `${scenario.origin}/billing/checkout`;
  await page.route('https://cdn.paddle.com/**', (route) =>
    route.fulfill({ contentType: 'text/javascript', body: paddleScript }),
  );
  await page.exposeFunction('payTransaction', async (id: string) => {
    provider.pay(id);
    await deliver();
  });
}

async function deliver(): Promise<void> {
  for (const event of provider.takeEvents()) {
    expect((await provider.deliver(scenario.fixture.url, event)).status).toBe(200);
  }
}

function makePackage(build: string): string {
  const path = join(folder, `harbour-${build}.apk`);
  writeFileSync(path, buildSampleApk({ build }));
  return path;
}

describe('an organization without credit', () => {
  it('uploads again after an admin has added credit', async () => {
    const visitor = await openVisitor(scenario.browser, scenario.origin);
    const { page, actions, show, expectRefusals } = visitor;
    const project = `/projects/${scenario.fixture.android_project_id}`;
    const tray = page.getByRole('region', { name: 'Uploads' });
    expectRefusals(401, 402);
    scenario.fixture.clock.advance(10 * DAY);
    await usePaymentPage(visitor);
    await openSignedIn(scenario, visitor, project);
    await page.getByRole('heading', { name: 'Channels' }).waitFor();
    await actions.drop(makePackage('501'));
    await tray.getByText('Not enough credit').first().waitFor();

    await actions.open(`${scenario.origin}/billing`);
    await page.getByText(/^The trial runs until/).waitFor();
    await page.getByText('No credit is available: uploads and downloads are rejected until credit is added.').waitFor();
    await show('billing');
    const { organization_id: organizationId, app } = scenario.fixture;
    const missing = -readFunds(app, loadAccount(systemContext(app), organizationId)).available;
    const movement = { cents: Number(missing / 1_000_000n) + 40, note: null, operatorName: 'ada' };
    creditOrganization(systemContext(app), organizationId, movement);
    await actions.open(`${scenario.origin}/billing`);
    // 500 MiB for 30 days at $1.00 per GiB-month.
    await page
      .getByText(/^Less than the \$0\.\d\d that each upload reserves is available: uploads can be rejected/)
      .waitFor();
    await actions.fill(page.getByLabel('Amount (USD)'), '25');
    await actions.click('Add credit');
    await page.getByRole('heading', { name: 'Payment' }).waitFor();
    await page.getByRole('button', { name: 'Close' }).waitFor();
    expect(await page.locator('html').getAttribute('data-paddle')).toBe('sandbox');
    expect(await page.locator('html').getAttribute('data-token')).toBe('test_0123456789abcdef');
    await page.getByRole('button', { name: 'Close' }).click();
    await page.getByText('The payment was closed. Nothing was charged.').waitFor();
    await page.getByRole('button', { name: 'Pay', exact: true }).click();
    await page.getByText('Payment received.').waitFor();

    await page.getByRole('link', { name: 'Back to Billing' }).click();
    const ledger = page.getByRole('table', { name: 'Credits and refunds' });
    await ledger.getByText('$25.00').waitFor();
    await actions.open(`${scenario.origin}${project}`);
    await page.getByRole('heading', { name: 'Channels' }).waitFor();
    await actions.drop(makePackage('502'));
    const uploaded = () => scenario.fixture.app.db.select({ number: builds.buildNumber }).from(builds).all();
    await expect.poll(uploaded).toEqual([{ number: 502 }]);
    expect(provider.transactions().map(({ status }) => status)).toEqual(['completed']);

    await actions.open(`${scenario.origin}/billing`);
    await page.getByRole('heading', { name: 'Cost by day' }).waitFor();
    expect(await page.getByText('No credit is available').count()).toBe(0);
    await page
      .getByRole('list', { name: 'Largest builds' })
      .getByRole('link', { name: /\(502\)/ })
      .waitFor();
    await show('billing-used');
  });

  it('is suspended after the last retry of a renewal, and open again after paying', async () => {
    const visitor = await openVisitor(scenario.browser, scenario.origin);
    const { page, actions, show, expectRefusals } = visitor;
    expectRefusals(401, 402);
    await usePaymentPage(visitor);
    await openSignedIn(scenario, visitor, '/billing');
    await actions.click('Add payment method');
    await page.getByRole('button', { name: 'Pay', exact: true }).click();
    await page.getByText('Payment received.').waitFor();
    await actions.open(`${scenario.origin}/billing`);
    await page.getByText('The plan is paid.').waitFor();
    await page.getByText('Paid until').waitFor();

    const [subscription] = provider.subscriptions();
    provider.renew(subscription?.id ?? '', 'declined');
    await deliver();
    await actions.open(`${scenario.origin}/billing`);
    await page.getByText(/^A payment failed and will be retried/).waitFor();
    expect(await page.getByText('Paid until').count()).toBe(0);
    scenario.fixture.clock.advance(1_000);
    provider.end(subscription?.id ?? '', 'paused');
    await deliver();
    await actions.open(`${scenario.origin}/billing`);
    await page.getByText('The organization is suspended').first().waitFor();
    await page.getByText(/^Existing builds can be downloaded until/).waitFor();
    await show('billing-suspended');

    await actions.click('Pay now');
    await page.getByRole('button', { name: 'Pay', exact: true }).click();
    await page.getByText('Payment received.').waitFor();
    await actions.open(`${scenario.origin}/billing`);
    await page.getByText('The plan is paid.').waitFor();
    expect(await page.getByText('The organization is suspended').count()).toBe(0);
  });

  it('claims nothing to members that only admins know', async () => {
    const visitor = await openVisitor(scenario.browser, scenario.origin);
    const { page } = visitor;
    await page.route('**/api/v1/organizations', async (route) => {
      const answer = await route.fetch();
      const list = (await answer.json()) as Record<string, unknown>[];
      await route.fulfill({ response: answer, json: list.map((one) => ({ ...one, role: 'member' })) });
    });
    await openSignedIn(scenario, visitor, '/billing');
    await page.getByText(/^The organization is not locked. Uploads and downloads can still be rejected/).waitFor();
  });
});

describe('the Business plan', () => {
  it('is shown as coming soon where it cannot be ordered', async () => {
    const other = await openScenario({
      config: {
        plans: { default_tier: 'team' },
        billing: {
          enabled: true,
          provider: 'paddle',
          business_self_service: false,
          paddle: { ...provider.settings, environment: 'sandbox' },
        },
      },
    });
    try {
      const visitor = await openVisitor(other.browser, other.origin);
      const { page } = visitor;
      await openSignedIn(other, visitor, '/billing');
      const button = page.getByRole('button', { name: 'Business – coming soon' });
      await button.waitFor();
      expect(await button.isDisabled()).toBe(true);
      expect(await page.getByRole('button', { name: 'Upgrade to Business' }).count()).toBe(0);
    } finally {
      await other.close();
    }
  });
});

describe('a change of the plan', () => {
  let provider: PaddleDouble;
  let other: Scenario;
  let visitor: Visitor;

  beforeAll(async () => {
    provider = await startPaddle(() => other?.fixture.clock.now() ?? new Date());
    other = await openScenario({
      config: {
        plans: { default_tier: 'business' },
        billing: {
          enabled: true,
          provider: 'paddle',
          starter_credit_cents: 100,
          prices: { team_month_cents: 4900, business_month_cents: 19_900 },
          paddle: { ...provider.settings, environment: 'sandbox' },
        },
      },
    });
  });
  afterAll(async () => {
    await other?.close();
    await provider?.stop();
  });
  beforeEach(async () => {
    visitor = await openVisitor(other.browser, other.origin);
  });
  afterEach(() => visitor?.leave());

  const path = () => `/api/v1/organizations/${other.fixture.organization_id}`;
  const tier = async () => (await other.client.get<{ tier: string }>(`${path()}/billing`)).body.tier;

  it('asks before builds are deleted earlier or the card is charged, with the numbers', async () => {
    const { page, actions, show } = visitor;
    await openSignedIn(other, visitor, '/billing');
    await actions.click('Change to Team');
    const question = page.getByRole('dialog', { name: 'Change the plan to Team?' });
    await question.getByText('Team costs $49.00 per month, from the next period on.').waitFor();
    await question.getByText(/^Builds are kept for 30 days instead of 365\./).waitFor();
    await question.getByText('Audit events are kept for 90 days instead of 365.').waitFor();
    await question.getByText("Single sign-on can't be set up or changed anymore, only turned off.").waitFor();
    await show('billing-change-to-team');
    await question.getByRole('button', { name: 'Cancel' }).click();
    await question.waitFor({ state: 'detached' });
    expect(await tier()).toBe('business');
    await actions.click('Change to Team');
    await question.getByRole('button', { name: 'Change to Team' }).click();
    await page.getByText('Plan changed to Team').waitFor();
    expect(await tier()).toBe('team');

    const opened = await other.client.post<{ transaction_id: string }>(`${path()}/billing/card-capture`, {});
    provider.pay(opened.body.transaction_id);
    for (const event of provider.takeEvents()) {
      expect((await provider.deliver(other.fixture.url, event)).status).toBe(200);
    }
    await page.reload();
    await page.getByText('The plan is paid.').waitFor();
    await actions.click('Upgrade to Business');
    const charge = page.getByRole('dialog', { name: 'Change the plan to Business?' });
    await charge
      .getByText(/^Business costs \$199\.00 per month\. The difference .* is charged .* immediately\.$/)
      .waitFor();
    expect(await tier()).toBe('team');
    await charge.getByRole('button', { name: 'Upgrade to Business' }).click();
    await page.getByText('Plan changed to Business').waitFor();
    expect(await tier()).toBe('business');
  });

  it('is not offered to a locked organization, which can only pay', async () => {
    const { page } = visitor;
    const { app, organization_id: id } = other.fixture;
    const setLock = (lockReason: 'suspended' | null) =>
      app.db.update(organizations).set({ lockReason }).where(eq(organizations.id, id)).run();
    setLock('suspended');
    onTestFinished(() => void setLock(null));
    await openSignedIn(other, visitor, '/billing');
    await page.getByRole('button', { name: 'Pay now' }).waitFor();
    expect(await page.getByRole('button', { name: 'Change to Team' }).count()).toBe(0);
  });

  it('or a payment says so if the provider has no page for it', async () => {
    const { page, actions } = visitor;
    await page.route('**/billing/topup', (route) =>
      route.fulfill({ json: { transaction_id: 'txn_01aaaaaaaaaaaaaaaaaaaaaaaa', checkout_url: null } }),
    );
    await openSignedIn(other, visitor, '/billing');
    await actions.fill(page.getByLabel('Amount (USD)'), '25');
    await actions.click('Add credit');
    await page.getByRole('alert').getByText('The payment provider has no page for this payment').waitFor();
    expect(await page.getByLabel('Amount (USD)').inputValue()).toBe('25');
  });

  it('or a payment outside the limits names them at the field, as money, before it is sent', async () => {
    const { page, actions } = visitor;
    await openSignedIn(other, visitor, '/billing');
    const amount = page.getByLabel('Amount (USD)');
    for (const [text, problem] of [
      ['25,', 'Enter an amount such as 25.00'],
      ['4.99', 'Must be at least $5.00'],
      ['1000.01', 'Must be at most $1,000.00'],
    ] as const) {
      await actions.fill(amount, text);
      await actions.click('Add credit');
      await page.getByText(problem).waitFor();
      expect(await amount.inputValue()).toBe(text);
      expect(await page.evaluate('document.activeElement.name')).toBe('amount');
    }
  });
});

describe('without online payments', () => {
  let other: Scenario;

  beforeAll(async () => {
    other = await openScenario({ config: { billing: { enabled: true, starter_credit_cents: 100_000 } } });
  });
  afterAll(() => other?.close());

  it('the end of the trial and a missing credit lead to the operator, not to a payment', async () => {
    const visitor = await openVisitor(other.browser, other.origin);
    const { page, actions, show, expectRefusals } = visitor;
    const { organization_id: id, android_project_id: projectId, clock } = other.fixture;
    await openSignedIn(other, visitor, '/billing');
    await page
      .getByText(/^The trial runs until .*\. To continue after that, contact the operator of this server\./)
      .waitFor();
    clock.advance(60 * DAY);
    expectRefusals(401, 402);
    await openSignedIn(other, visitor, `/projects/${projectId}`);
    const banner = page.getByRole('alert').filter({ hasText: 'The trial has expired' });
    await banner.getByText(/until the server's operator unlocks the organization\./).waitFor();
    await banner.getByText(`taxiway organization unlock ${id}`).waitFor();
    expect(await page.getByText(/[Pp]ayment method/).count()).toBe(0);
    await actions.click('New channel');
    await page.getByLabel('Name', { exact: true }).fill('nightly');
    await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
    const problem = page.getByRole('dialog').getByRole('alert');
    await problem.getByText(/resume when the server's operator unlocks the organization\./).waitFor();
    expect(await page.getByText(/[Pp]ayment method/).count()).toBe(0);
    await show('billing-offline-locked');
    await visitor.leave();
  });

  it("a cap of the operator isn't one that admins can raise", async () => {
    const visitor = await openVisitor(other.browser, other.origin);
    const { page, expectRefusals } = visitor;
    const { app, organization_id: id } = other.fixture;
    const context = systemContext(app);
    unlockOrganization(context, id, 30, 'ada');
    creditOrganization(context, id, { cents: 100_000, note: null, operatorName: 'ada' });
    setCeiling(context, id, 0, 'ada');
    await openSignedIn(other, visitor, '/billing');
    await page.getByText(/until the server's operator raises the cap\.$/).waitFor();
    await page.getByText('Set by the operator of this server.').waitFor();
    setCeiling(context, id, null, 'ada');
    let isRefused = true;
    expectRefusals(403);
    const refuse = { status: 403, json: { error: 'insufficient_role', message: '', details: {} } };
    await page.route(/\/(?:usage|storage)$/, (route) => (isRefused ? route.fulfill(refuse) : route.continue()));
    await page.reload();
    await page.getByText('Admins set it with the API.').waitFor();
    // Without what was used, the page says so.
    const month = page.locator('section', { has: page.getByRole('heading', { name: 'This month', exact: true }) });
    await month.getByRole('heading', { name: "Your role doesn't allow this" }).waitFor();
    isRefused = false;
    await month.getByRole('button', { name: 'Try again' }).click();
    await month.getByRole('table').waitFor();
    await visitor.leave();
  });
});
