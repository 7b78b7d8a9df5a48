// Health checks and metrics of billing.
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { eq } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { checkBilling, checkPaymentProvider, recountBilling } from '../../src/checks/billing.ts';
import type { Finding } from '../../src/checks/finding.ts';
import { configFrom } from '../../src/config.ts';
import { organizations, SUMS_AT } from '../../src/data/tables/tables.ts';
import { DAY } from '../../src/lib/clock.ts';
import { uploadBuild } from '../builds/scenario.ts';
import { openInstalled, type Workshop } from '../commands/test-host.ts';
import { buildApk } from '../support/fixtures.ts';
import { api, type Json } from '../support/harness.ts';
import { type PaddleDouble, startPaddle } from '../support/paddle.ts';
import { startMetered } from './metered.ts';
import { startBilling } from './scenario.ts';

describe('taxiway check', () => {
  let workshop: Workshop;
  let id: string;
  const file = () => join(workshop.folder, 'data/taxiway.db');

  beforeEach(async () => {
    const installed = await openInstalled('[log]\nlevel = "silent"\n[billing]\nenabled = true\n');
    ({ workshop, organizationId: id } = installed);
    const credited = await workshop.run(['organization', 'credit', id, '--cents', '5000']);
    expect(credited.code, credited.stderr).toBe(0);
    expect(existsSync(file())).toBe(true);
  });
  afterEach(() => workshop[Symbol.dispose]());

  async function findings(): Promise<[string, string][]> {
    const { stdout } = await workshop.run(['check', '--json']);
    const found: Finding[] = JSON.parse(stdout);
    return found.filter(({ name }) => name === 'billing').map(({ status, detail }) => [status, detail]);
  }
  function change(sql: string): void {
    const client = new Database(file());
    client.exec(sql);
    client.close();
  }
  const differs = (what: string, from: string) => [
    'fail',
    `${what} differs from ${from} for the organizations ${id}; report this as a bug`,
  ];

  it('recounts levels, balances and reservations', async () => {
    expect(await findings()).toEqual([['ok', 'meters, balances and reservations equal a recount']]);
    change('UPDATE usage_months SET level_bytes = level_bytes + 1');
    const levels = differs('what is metered', 'a recount of builds and members');
    expect(await findings()).toEqual([levels]);
    change('UPDATE usage_months SET level_bytes = level_bytes - 1, level_seats = 2');
    expect(await findings()).toEqual([levels]);
    change('UPDATE usage_months SET level_seats = 1; UPDATE billing_accounts SET balance_cents = balance_cents - 1');
    expect(await findings()).toEqual([differs('the balance', 'the sum of its credit entries')]);
    change(`UPDATE billing_accounts SET balance_cents = 5000;
      INSERT INTO reservations (organization_id, kind, subject_id, amount_ucents, expires_at)
        VALUES ('${id}', 'upload', 'b', 7, ${2 ** 45});`);
    expect(await findings()).toEqual([['ok', 'meters, balances and reservations equal a recount']]);
    change(`UPDATE reservations SET amount_ucents = 8 WHERE expires_at = ${SUMS_AT}`);
    expect(await findings()).toEqual([differs('what is reserved', 'the sum of reservations')]);
  });

  it('warns about balances below zero', async () => {
    change(`UPDATE billing_accounts SET balance_cents = -1;
      INSERT INTO credit_entries (id, organization_id, kind, amount_cents, source, created_at)
        VALUES ('a', '${id}', 'refund', 5001, 'paddle', 0);`);
    expect(await findings()).toEqual([
      ['ok', 'meters, balances and reservations equal a recount'],
      ['warn', 'organizations with a balance below zero: 1'],
    ]);
  });

  it('has no findings with billing off', async () => {
    writeFileSync(join(workshop.folder, 'config.toml'), '[log]\nlevel = "silent"\n');
    change('UPDATE usage_months SET level_bytes = level_bytes + 1');
    expect(await findings()).toEqual([]);
  });
});

describe('the recount', () => {
  it('equals what is metered of builds, revoked ones too', async () => {
    const metered = await startMetered({ starter_credit_cents: 10_000 });
    try {
      const { fixture } = metered;
      await uploadBuild(metered.ci, metered.android, buildApk());
      const level = fixture.app.db.$client.prepare('SELECT max(level_bytes) FROM usage_months').pluck().get();
      expect(level).toBeGreaterThan(0);
      const recount = () => recountBilling(fixture.config, fixture.app.db.$client).map(({ status }) => status);
      expect(recount()).toEqual(['ok']);
      fixture.app.db.$client.exec('UPDATE builds SET size_bytes = size_bytes + 1');
      expect(recount()).toEqual(['fail']);
    } finally {
      await metered[Symbol.asyncDispose]();
    }
  });
});

describe('the check of the payment provider', () => {
  let provider: PaddleDouble;
  beforeAll(async () => {
    provider = await startPaddle();
  });
  afterAll(() => provider.stop());

  const configured = (paddle: Record<string, string> = {}, prices: Record<string, number> = {}) =>
    configFrom({
      billing: { enabled: true, provider: 'paddle', prices, paddle: { ...provider.settings, ...paddle } },
    });
  const check = async (paddle: Record<string, string> = {}) =>
    (await checkPaymentProvider({ config: configured(paddle), fetch })).map(({ status, code, values }) => [
      status,
      code,
      values,
    ]);

  it('asks once, and opens nothing there', async () => {
    provider.asked.length = 0;
    expect(await check()).toEqual([['ok', 'payment_provider_reached', { environment: 'production' }]]);
    expect(provider.asked.map(({ method, path }) => `${method} ${path}`)).toEqual(['POST /transactions']);
    expect([provider.transactions(), provider.customers(), provider.takeEvents()]).toEqual([[], [], []]);
  });

  it('warns about an account without a payment link', async () => {
    provider.hasPaymentLink = false;
    expect(await check()).toEqual([['warn', 'payment_provider_no_link', {}]]);
    provider.hasPaymentLink = true;
  });

  it.each([
    ['html', 'POST /transactions: 200 without JSON'],
    ['busy', 'POST /transactions: 429'],
    ['broken', 'POST /transactions: 500'],
    ['refused_key', 'POST /transactions: 403 invalid_token'],
    ['cut', 'POST /transactions: UND_ERR_SOCKET'],
  ] as const)('fails when the provider answers with %s', async (how, reason) => {
    provider.fail({ how });
    expect(await check()).toEqual([['fail', 'payment_provider_unusable', { reason }]]);
  });

  it('fails with a wrong key and when nothing listens, and never shows the key', async () => {
    const wrong = await check({ api_key: 'pdl_wrong' });
    expect(wrong).toMatchObject([['fail', 'payment_provider_unusable', { reason: expect.stringContaining('403') }]]);
    const away = await check({ base_url: 'http://127.0.0.1:9' });
    expect(away).toMatchObject([['fail', 'payment_provider_unusable', {}]]);
    expect(JSON.stringify([wrong, away])).not.toContain('pdl_');
  });

  it('does nothing without the provider', async () => {
    for (const billing of [{ enabled: false }, { enabled: true }]) {
      expect(await checkPaymentProvider({ config: configFrom({ billing }), fetch })).toEqual([]);
    }
  });

  it.each([
    [{}, []],
    [{ team_month_cents: 0 }, ['Team']],
    [{ team_month_cents: 0, business_month_cents: 0 }, ['Team, Business']],
  ])('of the fees %j warns about those of 0', (prices, plans) => {
    const found = checkBilling(configured({}, prices), undefined);
    expect(found.map(({ status, code, values }) => [status, code, values.plans])).toEqual(
      plans.map((names) => ['warn', 'billing_fee_zero', names]),
    );
    const withoutProvider = configFrom({ billing: { enabled: true, prices } });
    expect(checkBilling(withoutProvider, undefined)).toEqual([]);
  });
});

describe('the operator', () => {
  it('sees the findings on the System page and the counts in the metrics', async () => {
    const billing = await startBilling({ prices: { team_month_cents: 0 } });
    try {
      const { fixture } = billing;
      const one = await billing.newOrganization();
      const two = await billing.newOrganization();
      const transaction = await one.open('billing/topup', { amount_cents: 2500 });
      billing.provider.pay(transaction);
      await billing.deliver(...billing.provider.takeEvents());
      billing.provider.chargeBack(transaction);
      await billing.deliver(...billing.provider.takeEvents());
      expect(one.state().balance).toBeLessThanOrEqual(0);
      fixture.app.db.$client
        .prepare('UPDATE billing_accounts SET balance_cents = -5 WHERE organization_id = ?')
        .run(one.id);
      fixture.app.db.update(organizations).set({ lockReason: 'grace' }).where(eq(organizations.id, two.id)).run();
      const page = await api(fixture).get<Json>('/api/v1/system/findings');
      const shown = (page.body.findings as Finding[]).filter(({ name }) => /billing|payment/.test(name));
      expect(shown.map(({ status, code }) => [status, code])).toEqual([
        ['warn', 'billing_fee_zero'],
        ['warn', 'billing_below_zero'],
        ['ok', 'payment_provider_reached'],
      ]);
      const events = async () => {
        const { text } = await api(fixture, null).get('/metrics');
        const lines = text.split('\n').filter((line) => /^taxiway_billing/.test(line));
        return Object.fromEntries(lines.map((line) => line.split(' ')));
      };
      const before = await events();
      expect(before).toEqual({
        'taxiway_billing_locked_organizations{reason="suspended"}': '0',
        'taxiway_billing_locked_organizations{reason="awaiting_payment"}': '0',
        'taxiway_billing_locked_organizations{reason="grace"}': '1',
        taxiway_billing_balances_below_zero: '1',
        'taxiway_billing_provider_events{outcome="applied"}': expect.stringMatching(/^[1-9]/),
        'taxiway_billing_provider_events{outcome="stale"}': '0',
        'taxiway_billing_provider_events{outcome="ignored"}': expect.stringMatching(/^\d+$/),
      });
      fixture.clock.advance(DAY + 1);
      expect(await events()).toMatchObject({
        'taxiway_billing_provider_events{outcome="applied"}': '0',
        'taxiway_billing_provider_events{outcome="ignored"}': '0',
      });
    } finally {
      await billing.stop();
    }
  });
});
