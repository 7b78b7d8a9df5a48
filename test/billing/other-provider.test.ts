// The same with an independent double of the payment provider, where it is present.
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { billingAccounts, creditEntries, organizations } from '../../src/data/tables/tables.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import { api, expectRefusal, type Json } from '../support/harness.ts';

const projectRoot = resolve(import.meta.dirname, '../..');
const file = join(process.env.TAXIWAY_SHARED ?? join(projectRoot, '../shared'), 'test-parts/paddle-fake');

interface OtherProvider {
  url: string;
  apiKey: string;
  webhookSecret: string;
  call(path: string, body?: Json, method?: string): Promise<Json & Json[]>;
  close(): Promise<void>;
}

describe.skipIf(!existsSync(file))('with another double of the provider', () => {
  let provider: OtherProvider;
  let fixture: Fixture;

  beforeAll(async () => {
    provider = await createRequire(import.meta.url)(file).startPaddleFake({ mode: 'hold' });
    fixture = await startFixture({
      config: {
        plans: { default_tier: 'team' },
        billing: {
          enabled: true,
          provider: 'paddle',
          paddle: { api_key: provider.apiKey, webhook_secret: provider.webhookSecret, base_url: provider.url },
        },
      },
    });
    await provider.call('webhook', { url: `${fixture.url}/billing/v1/paddle` });
  });
  afterAll(async () => {
    await fixture?.stop();
    await provider?.close();
  });

  const path = (rest: string) => `/api/v1/organizations/${fixture.organization_id}/${rest}`;
  const account = () =>
    fixture.app.db
      .select()
      .from(billingAccounts)
      .where(eq(billingAccounts.organizationId, fixture.organization_id))
      .get();
  const owner = () =>
    fixture.app.db.select().from(organizations).where(eq(organizations.id, fixture.organization_id)).get();

  /** Delivers what is held newest first, each three times and all at the same time. */
  async function deliver(): Promise<void> {
    await provider.call('clock', { now: fixture.clock.now().toISOString() });
    const sent = await provider.call('deliver', { order: 'reverse', times: 3, together: true });
    expect(new Set(sent.map(({ status }) => status))).toEqual(new Set([200]));
  }

  it('pays a plan, tops up with tax, disputes it, fails to renew, is suspended and paid again', async () => {
    const client = api(fixture);
    await provider.call('clock', { now: fixture.clock.now().toISOString() });
    const plan = await client.post<{ transaction_id: string }>(path('billing/card-capture'), {});
    expect(plan.status, plan.text).toBe(200);
    await provider.call(`transactions/${plan.body.transaction_id}/pay`, { outcome: 'decline' });
    await provider.call('clock', { advance_ms: 1000 });
    await provider.call(`transactions/${plan.body.transaction_id}/pay`);
    await deliver();
    expect(owner()).toMatchObject({ lockReason: null, tier: 'team' });
    expect(account()).toMatchObject({ lifecycle: 'active', subscriptionStatus: 'active' });
    const subscription = String(account()?.subscriptionId);

    const upgrade = await client.post(path('tier'), { tier: 'business' });
    expect(upgrade.body).toEqual({ outcome: 'changed', tier: 'business', transaction_id: null, checkout_url: null });

    await provider.call('settings', { tax_rate: 0.2 });
    const topUp = await client.post<{ transaction_id: string }>(path('billing/topup'), { amount_cents: 5000 });
    await provider.call(`transactions/${topUp.body.transaction_id}/pay`);
    await deliver();
    expect(account()?.balanceCents).toBe(5000);
    await provider.call(`transactions/${topUp.body.transaction_id}/chargeback`);
    await deliver();
    expect(account()?.balanceCents).toBe(0);
    await provider.call(`transactions/${topUp.body.transaction_id}/chargeback`, { action: 'chargeback_reverse' });
    await deliver();
    expect(account()?.balanceCents).toBe(5000);
    expect(fixture.app.db.select().from(creditEntries).all()).toHaveLength(3);

    await provider.call('clock', { advance_ms: 1000 });
    await provider.call(`subscriptions/${subscription}/renew`, { outcome: 'decline' });
    await provider.call('clock', { advance_ms: 1000 });
    await provider.call(`subscriptions/${subscription}/pause`);
    await deliver();
    expect(owner()?.lockReason).toBe('suspended');
    const owed = await client.post<{ transaction_id: string }>(path('billing/card-capture'), {});
    expect(owed.status, owed.text).toBe(200);
    await provider.call('clock', { advance_ms: 1000 });
    await provider.call(`subscriptions/${subscription}/retry`, { outcome: 'succeed' });
    await deliver();
    expect(owner()?.lockReason).toBeNull();
  });

  it('survives what the provider does wrong', async () => {
    const client = api(fixture);
    for (const failure of [
      { status: 502, body: '<html>bad gateway</html>' },
      { status: 429, retry_after: 7 },
      { status: 500 },
      { reset: true },
      { reset: true, after: true },
    ]) {
      await provider.call('failures', { path: '^/transactions$', method: 'POST', ...failure });
      const answer = await client.post(path('billing/topup'), { amount_cents: 700 });
      expectRefusal(answer, 503, 'payment_provider_unavailable');
    }
    const { transactions } = await provider.call('state', {}, 'GET');
    const found = await client.post<{ transaction_id: string }>(path('billing/topup'), { amount_cents: 700 });
    expect(found.body.transaction_id).toBe((transactions as Json[]).at(-1)?.id);
  });

  it.each(['wrong', 'missing', 'stale'])('rejects events with a %s signature', async (signature) => {
    await provider.call('emit', { type: 'customer.created', data: { id: 'ctm_1' } });
    const sent = await provider.call('deliver', { signature });
    expect(sent.map(({ status }) => status)).toEqual(sent.map(() => 401));
    await provider.call('drop');
  });
});
