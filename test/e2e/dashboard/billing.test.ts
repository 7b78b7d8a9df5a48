// An organization from its trial to a suspension and back: credit that is used up, payments on the payment page, a failed renewal.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadAccount } from '../../../src/billing/accounts.ts';
import { readFunds } from '../../../src/billing/gates.ts';
import { creditOrganization } from '../../../src/billing/operator.ts';
import { systemContext } from '../../../src/core/transact.ts';
import { builds } from '../../../src/data/tables/tables.ts';
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
