// Changing the plan: every row of its table (docs/specification/billing.md#plans).
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { assignTier } from '../../src/billing/operator.ts';
import { CONFIRM_PLAN_JOB, runConfirmPlanJob } from '../../src/billing/plan-confirmation.ts';
import { systemContext } from '../../src/core/transact.ts';
import { jobs } from '../../src/data/tables/tables.ts';
import { MINUTE } from '../../src/lib/clock.ts';
import { api, auditMark, auditRows, expectInvalid, expectRefusal } from '../support/harness.ts';
import { type BillingScenario, type Organization, startBilling } from './scenario.ts';

interface TierAnswer {
  outcome: string;
  tier: string;
  transaction_id: string | null;
  checkout_url: string | null;
}

let scenario: BillingScenario;
let organization: Organization;
beforeAll(async () => {
  scenario = await startBilling();
});
afterAll(() => scenario.stop());
beforeEach(async () => {
  organization = await scenario.newOrganization();
  scenario.provider.declinesCharges = false;
  scenario.provider.asked.length = 0;
});

const change = (tier: string, of = organization) => of.post<TierAnswer>('tier', { tier });
const changed = (tier: string) => ({ outcome: 'changed', tier, transaction_id: null, checkout_url: null });
const tierWords = (after: string) =>
  auditRows(scenario.fixture, { after, identifier: organization.id })
    .filter(({ event }) => event === 'org_tier_changed')
    .map(({ type, details }) => [type, details]);
const itemOf = (subscription: string) => {
  const [item] = scenario.provider.subscription(subscription).items as { price: { unit_price: { amount: string } } }[];
  return item?.price.unit_price.amount;
};

describe('the plan', () => {
  it('stays the same without a trace', async () => {
    const mark = auditMark(scenario.fixture);
    const answer = await change('team');
    expect([answer.status, answer.body]).toEqual([200, changed('team')]);
    expect(auditRows(scenario.fixture, { after: mark })).toEqual([]);
    expect(scenario.provider.asked).toEqual([]);
  });

  it('is one of two', async () => {
    expectInvalid(await change('enterprise'), 'body.tier: enum');
    expectInvalid(await organization.post('tier', {}), 'body.tier: missing');
  });

  it('becomes Business when the card was charged', async () => {
    const subscription = await organization.subscribe('team');
    const mark = auditMark(scenario.fixture);
    scenario.provider.asked.length = 0;
    expect((await change('business')).body).toEqual(changed('business'));
    expect(scenario.provider.asked).toEqual([
      {
        method: 'PATCH',
        path: `/subscriptions/${subscription}`,
        body: {
          items: [
            {
              quantity: 1,
              price: {
                description: 'Business plan',
                name: 'Business plan',
                unit_price: { amount: '19900', currency_code: 'USD' },
                billing_cycle: { interval: 'month', frequency: 1 },
                product: { name: 'Business plan', tax_category: 'standard' },
                quantity: { minimum: 1, maximum: 1 },
              },
            },
          ],
          proration_billing_mode: 'prorated_immediately',
          on_payment_failure: 'prevent_change',
        },
      },
    ]);
    expect(tierWords(mark)).toEqual([['org_tier', { from: 'team', to: 'business' }]]);
    expect(itemOf(subscription)).toBe('19900');
    await scenario.deliver(...scenario.provider.takeEvents());
    expect(organization.state()).toMatchObject({ tier: 'business', payment_state: 'ok', balance: 0 });
  });

  it('stays Team when the card is declined, and opens a checkout for another card', async () => {
    const subscription = await organization.subscribe('team');
    scenario.provider.declinesCharges = true;
    const { body } = await change('business');
    expect(body).toEqual({
      outcome: 'checkout_required',
      tier: 'team',
      transaction_id: expect.stringMatching(/^txn_/),
      checkout_url: expect.stringContaining('/checkout?'),
    });
    expect(scenario.provider.transaction(String(body.transaction_id)).origin).toBe(
      'subscription_payment_method_change',
    );
    expect(itemOf(subscription)).toBe('4900');
    scenario.provider.pay(String(body.transaction_id));
    await scenario.deliver(...scenario.provider.takeEvents());
    expect(organization.state()).toMatchObject({ tier: 'team', payment_state: 'ok' });
    scenario.provider.declinesCharges = false;
    expect((await change('business')).body).toEqual(changed('business'));
  });

  it('stays Team while a payment is owed, and opens the checkout that pays it', async () => {
    const owed = scenario.provider.renew(await organization.subscribe('team'), 'declined');
    await scenario.deliver(...scenario.provider.takeEvents());
    expect((await change('business')).body).toMatchObject({
      outcome: 'checkout_required',
      tier: 'team',
      transaction_id: owed.id,
    });
    scenario.provider.asked.length = 0;
    expect((await change('team')).body).toEqual(changed('team'));
    expect(scenario.provider.asked).toEqual([]);
  });

  it('follows an upgrade whose answer was lost, also if another request is declined', async () => {
    const subscription = await organization.subscribe('team');
    scenario.provider.fail({ method: 'PATCH', how: 'lost' });
    expectRefusal(await change('business'), 503, 'payment_provider_unavailable');
    scenario.provider.renew(subscription, 'declined');
    await scenario.deliver(...scenario.provider.takeEvents());
    expect((await change('business')).body).toMatchObject({ outcome: 'checkout_required', tier: 'team' });
    scenario.fixture.clock.advance(2 * MINUTE);
    await scenario.fixture.drain();
    expect(organization.state()).toMatchObject({ tier: 'business' });
  });

  it('becomes Business without a card only when the checkout is paid', async () => {
    const { body } = await change('business');
    expect(body).toMatchObject({ outcome: 'checkout_required', tier: 'team' });
    expect((await change('business')).body).toEqual(body);
    expect(organization.state()).toMatchObject({ tier: 'team' });
    scenario.provider.pay(String(body.transaction_id));
    await scenario.deliver(...scenario.provider.takeEvents());
    expect(organization.state()).toMatchObject({ tier: 'business', card_on_file: true });
    expect((await change('business')).body).toEqual(changed('business'));
  });

  it('becomes Team immediately, and the lower price counts from the next period', async () => {
    const subscription = await organization.subscribe('business');
    expect((await change('team')).body).toEqual(changed('team'));
    expect(scenario.provider.asked.at(-1)?.body).toMatchObject({
      proration_billing_mode: 'prorated_next_billing_period',
    });
    expect(itemOf(subscription)).toBe('4900');
    expect(organization.state()).toMatchObject({ tier: 'team', payment_state: 'ok' });
  });

  it('does not become Team while a payment is owed', async () => {
    scenario.provider.renew(await organization.subscribe('business'), 'declined');
    await scenario.deliver(...scenario.provider.takeEvents());
    expectRefusal(await change('team'), 400, 'operation_not_allowed');
    expect(organization.state()).toMatchObject({ tier: 'business' });
  });

  it.each(['team', 'business'])('stays as it was when the provider fails on the way to %s', async (tier) => {
    await organization.subscribe(tier === 'team' ? 'business' : 'team');
    const before = organization.state();
    const mark = auditMark(scenario.fixture);
    scenario.provider.fail({ method: 'PATCH', how: 'broken' });
    expectRefusal(await change(tier), 503, 'payment_provider_unavailable');
    expect(organization.state()).toEqual(before);
    expect(auditRows(scenario.fixture, { after: mark })).toEqual([]);
  });

  it('is charged once although the answer was lost', async () => {
    const subscription = await organization.subscribe('team');
    scenario.provider.fail({ method: 'PATCH', how: 'lost' });
    expectRefusal(await change('business'), 503, 'payment_provider_unavailable');
    expect(organization.state()).toMatchObject({ tier: 'team' });
    expect((await change('business')).body).toEqual(changed('business'));
    const charges = scenario.provider.transactions().filter(({ origin, subscription_id }) => {
      return origin === 'subscription_update' && subscription_id === subscription;
    });
    expect(charges).toHaveLength(1);
  });

  it.each([
    ['team', 'business', 'lost', 'business'],
    ['business', 'team', 'lost', 'team'],
    ['team', 'business', 'cut', 'team'],
    ['business', 'team', 'cut', 'business'],
  ] as const)(
    'from %s to %s, whose answer was %s, becomes %s without another request',
    async (from, to, how, after) => {
      const subscription = await organization.subscribe(from);
      const mark = auditMark(scenario.fixture);
      scenario.provider.fail({ method: 'PATCH', how });
      expectRefusal(await change(to), 503, 'payment_provider_unavailable');
      expect(organization.state()).toMatchObject({ tier: from });
      scenario.fixture.clock.advance(2 * MINUTE);
      await scenario.fixture.drain();
      expect(organization.state()).toMatchObject({ tier: after });
      expect(itemOf(subscription)).toBe(after === 'team' ? '4900' : '19900');
      expect(tierWords(mark)).toEqual(after === from ? [] : [['org_tier', { from, to }]]);
    },
  );

  it('is changed without the provider, or ordered again, if that has canceled the subscription without our knowledge', async () => {
    scenario.provider.end(await organization.subscribe('business'), 'canceled');
    expect((await change('team')).body).toEqual(changed('team'));
    const answer = await change('business');
    expect(answer.body).toMatchObject({ outcome: 'checkout_required', tier: 'team' });
    expect(scenario.provider.transaction(String(answer.body.transaction_id))).toMatchObject({
      origin: 'api',
      subscription_id: null,
    });
    // The canceled subscription has an item for Business.
    scenario.fixture.clock.advance(2 * MINUTE);
    await scenario.fixture.drain();
    expect(organization.state()).toMatchObject({ tier: 'team' });
  });

  it('is not checked again after it was changed or declined', async () => {
    await organization.subscribe('team');
    scenario.provider.declinesCharges = true;
    expect((await change('business')).body).toMatchObject({ outcome: 'checkout_required' });
    scenario.provider.declinesCharges = false;
    expect((await change('business')).body).toEqual(changed('business'));
    scenario.provider.asked.length = 0;
    scenario.fixture.clock.advance(2 * MINUTE);
    await scenario.fixture.drain();
    expect(organization.state()).toMatchObject({ tier: 'business' });
    expect(scenario.provider.asked).toEqual([]);
  });

  it.each(['changed', 'lost'])('stays as the operator set it after an upgrade whose answer was %s', async (answer) => {
    await organization.subscribe('team');
    if (answer === 'lost') scenario.provider.fail({ method: 'PATCH', how: 'lost' });
    expect((await change('business')).status).toBe(answer === 'lost' ? 503 : 200);
    assignTier(systemContext(scenario.fixture.app), organization.id, 'team', false, 'dana');
    scenario.fixture.clock.advance(2 * MINUTE);
    await scenario.fixture.drain();
    expect(organization.state()).toMatchObject({ tier: 'team' });
  });

  it('stays as the operator set it while the check of an upgrade was running', async () => {
    const { app } = scenario.fixture;
    await organization.subscribe('team');
    scenario.provider.fail({ method: 'PATCH', how: 'lost' });
    expect((await change('business')).status).toBe(503);
    const [job] = app.db.select().from(jobs).where(eq(jobs.kind, CONFIRM_PLAN_JOB)).all();
    const payload = JSON.parse(job?.payload ?? '{}') as Record<string, unknown>;
    expect(payload).toMatchObject({ organization_id: organization.id, tier: 'business' });
    const running = runConfirmPlanJob(systemContext(app), payload);
    assignTier(systemContext(app), organization.id, 'team', false, 'dana');
    await running;
    expect(organization.state()).toMatchObject({ tier: 'team' });
  });

  it('is changed back at the provider too, after an upgrade whose answer was lost', async () => {
    await organization.subscribe('team');
    scenario.provider.fail({ method: 'PATCH', how: 'lost' });
    expectRefusal(await change('business'), 503, 'payment_provider_unavailable');
    scenario.provider.asked.length = 0;
    expect((await change('team')).body).toEqual(changed('team'));
    expect(scenario.provider.asked.filter(({ method }) => method === 'PATCH')).toHaveLength(1);
    scenario.fixture.clock.advance(2 * MINUTE);
    await scenario.fixture.drain();
    expect(organization.state()).toMatchObject({ tier: 'team' });
  });

  it('leaves no check behind after it was changed', async () => {
    const waiting = () => scenario.fixture.app.db.select().from(jobs).where(eq(jobs.kind, CONFIRM_PLAN_JOB)).all();
    scenario.fixture.clock.advance(2 * MINUTE);
    await scenario.fixture.drain();
    await organization.subscribe('team');
    expect((await change('business')).body).toEqual(changed('business'));
    expect(waiting()).toEqual([]);
    const other = await scenario.newOrganization();
    await other.subscribe('team');
    scenario.provider.fail({ method: 'PATCH', how: 'lost' });
    expectRefusal(await change('business', other), 503, 'payment_provider_unavailable');
    expect((await change('team')).body).toEqual(changed('team'));
    expect(waiting()).toMatchObject([{ payload: expect.stringContaining(other.id) }]);
    scenario.fixture.clock.advance(2 * MINUTE);
    await scenario.fixture.drain();
    expect(other.state()).toMatchObject({ tier: 'business' });
  });

  it('of a deleted organization is left alone', async () => {
    await organization.subscribe('team');
    scenario.provider.fail({ method: 'PATCH', how: 'lost' });
    expectRefusal(await change('business'), 503, 'payment_provider_unavailable');
    expect((await (await scenario.current()).delete(`/api/v1/organizations/${organization.id}`)).status).toBe(204);
    await scenario.fixture.drain();
    scenario.provider.asked.length = 0;
    scenario.fixture.clock.advance(2 * MINUTE);
    await scenario.fixture.drain();
    expect(scenario.provider.asked).toEqual([]);
  });

  it('is changed once by two requests at the same time', async () => {
    await organization.subscribe('team');
    await scenario.current();
    const answers = await Promise.all([change('business'), change('business')]);
    expect(answers.map(({ body }) => body)).toEqual([changed('business'), changed('business')]);
    expect(scenario.provider.asked.filter(({ method }) => method === 'PATCH')).toHaveLength(1);
  });
});

describe('the plan of a server', () => {
  async function on(
    billing: Parameters<typeof startBilling>[0],
    test: (of: Organization, on: BillingScenario) => Promise<void>,
  ) {
    const other = await startBilling(billing);
    try {
      await test(await other.newOrganization(), other);
      expect(other.provider.asked).toEqual([]);
    } finally {
      await other.stop();
    }
  }

  it('without billing changes immediately', () =>
    on({ enabled: false }, async (of) => {
      expect((await change('business', of)).body).toEqual(changed('business'));
      expect((await change('team', of)).body).toEqual(changed('team'));
    }));

  it('without online payments needs the operator for Business', () =>
    on({ provider: 'none' }, async (of) => {
      expect((await change('business', of)).body).toEqual({
        outcome: 'checkout_required',
        tier: 'team',
        transaction_id: null,
        checkout_url: null,
      });
    }));

  it('can keep Business for later', () =>
    on({ business_self_service: false }, async (of, { fixture }) => {
      expectRefusal(await change('business', of), 400, 'operation_not_allowed');
      const service = await api(fixture, null).get('/api/v1/service');
      expect(service.body.features).toMatchObject({ billing: true, online_payments: true, business: 'coming_soon' });
      expectRefusal(await of.post('billing/card-capture', { tier: 'business' }), 400, 'operation_not_allowed');
    }));
});
