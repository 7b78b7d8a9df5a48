// Checkouts: card capture, top-ups and what happens when the provider fails or its answer is lost.
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { jobs, organizations, providerCheckouts } from '../../src/data/tables/tables.ts';
import { DAY, HOUR, MINUTE, SECOND } from '../../src/lib/clock.ts';
import { beforeNextLock } from '../support/before-lock.ts';
import { auditMark, auditRows, expectInvalid, expectRefusal, type Json } from '../support/harness.ts';
import { addPerson } from '../support/people.ts';
import { type BillingScenario, checkoutRows, type Organization, startBilling } from './scenario.ts';

let scenario: BillingScenario;
let organization: Organization;
beforeAll(async () => {
  scenario = await startBilling();
});
afterAll(() => scenario.stop());
beforeEach(async () => {
  organization = await scenario.newOrganization();
  scenario.provider.asked.length = 0;
});

const card = (body: Json = {}) => organization.post('billing/card-capture', body);
const topUp = (amount_cents: unknown = 2500) => organization.post('billing/topup', { amount_cents });
const asked = () => scenario.provider.asked.map(({ method, path }) => `${method} ${path.split('?')[0]}`);
const rows = () =>
  checkoutRows(scenario.fixture, organization.id).map(({ purpose, state, transactionId }) => [
    purpose,
    state,
    transactionId,
  ]);

it('the provider is not asked for someone who is removed while another request asks it', async () => {
  const { fixture } = scenario;
  const leaving = await addPerson(fixture, { organizations: { [organization.id]: 'admin' } });
  const admin = await scenario.current();
  const path = `/api/v1/organizations/${organization.id}`;
  beforeNextLock(fixture.app, async () => {
    expect((await admin.delete(`${path}/members/${leaving.id}`)).status).toBe(204);
  });
  const answer = await leaving.client.post(`${path}/billing/topup`, { amount_cents: 2500 });
  expectRefusal(answer, 404, 'not_found');
  expect([asked(), rows()]).toEqual([[], []]);
});

describe('card capture without a subscription', () => {
  it('opens a checkout for the present plan, with its price inline', async () => {
    const mark = auditMark(scenario.fixture);
    const answer = await card();
    const { transaction_id, checkout_url } = answer.body;
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      transaction_id,
      checkout_url: `${scenario.provider.url}/checkout?_ptxn=${transaction_id}`,
    });
    const [row] = checkoutRows(scenario.fixture, organization.id);
    expect(row).toMatchObject({
      purpose: 'subscription',
      tier: 'team',
      amountCents: 4900,
      state: 'open',
      transactionId: transaction_id,
      checkoutUrl: checkout_url,
    });
    const [customer] = scenario.provider.customers();
    expect(scenario.provider.asked.at(-1)?.body).toEqual({
      items: [
        {
          quantity: 1,
          price: {
            description: 'Team plan',
            name: 'Team plan',
            unit_price: { amount: '4900', currency_code: 'USD' },
            billing_cycle: { interval: 'month', frequency: 1 },
            product: { name: 'Team plan', tax_category: 'standard' },
            quantity: { minimum: 1, maximum: 1 },
          },
        },
      ],
      customer_id: customer?.id,
      currency_code: 'USD',
      collection_mode: 'automatic',
      custom_data: { checkout_id: row?.id, organization_id: organization.id, purpose: 'subscription' },
    });
    expect(customer).toMatchObject({ email: scenario.fixture.admin.email, name: 'Harbor' });
    expect(auditRows(scenario.fixture, { after: mark })).toEqual([]);
    expect(organization.state()).toMatchObject({ card_on_file: false });
  });

  it('opens one for the plan that is asked for', async () => {
    const transaction = await organization.open('billing/card-capture', { tier: 'business' });
    expect(scenario.provider.asked.at(-1)?.body).toMatchObject({
      items: [{ price: { name: 'Business plan', unit_price: { amount: '19900' } } }],
    });
    expect(organization.state()).toMatchObject({ tier: 'team' });
    scenario.provider.pay(transaction);
    await scenario.deliver(...scenario.provider.takeEvents());
    expect(organization.state()).toMatchObject({ tier: 'business', card_on_file: true });
  });

  it('needs no body', async () => {
    const answer = await (await scenario.current()).post(
      `/api/v1/organizations/${organization.id}/billing/card-capture`,
    );
    expect(answer.status).toBe(200);
  });

  it('takes the customer that already has the address, also for several organizations', async () => {
    await card();
    const other = await scenario.newOrganization();
    await other.open('billing/card-capture');
    const ids = checkoutRows(scenario.fixture, other.id).map(({ transactionId }) => transactionId ?? '');
    expect(scenario.provider.customers()).toHaveLength(1);
    expect(ids.map((id) => scenario.provider.transaction(id).customer_id)).toEqual([
      scenario.provider.customers()[0]?.id,
    ]);
  });

  it.each([
    ['rejects the address', { code: 'invalid_field' }],
    ['has only archived customers with it', { code: 'customer_already_exists' }],
  ])('leaves the customer open if the provider %s', async (_, how) => {
    scenario.provider.fail({ method: 'POST', path: /^\/customers$/, how });
    const [known] = scenario.provider.customers();
    if (how.code === 'customer_already_exists' && known !== undefined) scenario.provider.archive(String(known.id));
    const transaction = await organization.open('billing/card-capture');
    expect(scenario.provider.transaction(transaction).customer_id).toBeNull();
    if (known !== undefined) known.status = 'active';
  });

  it.each(['canceled', 'paused'] as const)('opens another one when the subscription was %s', async (how) => {
    const former = await organization.subscribe();
    scenario.fixture.clock.advance(DAY);
    scenario.provider.end(former, how);
    await scenario.deliver(...scenario.provider.takeEvents());
    const transaction = await organization.open('billing/card-capture');
    expect(scenario.provider.transaction(transaction)).toMatchObject({ origin: 'api', subscription_id: null });
  });

  it('leaves the customer open if the provider does not accept the one of earlier payments', async () => {
    await organization.subscribe();
    scenario.provider.fail({ method: 'POST', path: /^\/transactions$/, how: { code: 'entity_archived' } });
    const transaction = await organization.open('billing/topup', { amount_cents: 700 });
    expect(scenario.provider.transaction(transaction).customer_id).toBeNull();
    expect(checkoutRows(scenario.fixture, organization.id).at(-1)).toMatchObject({
      transactionId: transaction,
      state: 'open',
    });
  });

  it('opens another one when the provider does not know the subscription', async () => {
    await organization.subscribe();
    scenario.provider.fail({ path: /update-payment-method-transaction$/, how: { code: 'not_found' } });
    const transaction = await organization.open('billing/card-capture');
    expect(scenario.provider.transaction(transaction)).toMatchObject({ origin: 'api', subscription_id: null });
  });

  it('opens another one when the provider canceled the subscription without our knowledge', async () => {
    scenario.provider.end(await organization.subscribe(), 'canceled');
    const transaction = await organization.open('billing/card-capture');
    expect(scenario.provider.transaction(transaction)).toMatchObject({ origin: 'api', subscription_id: null });
  });
});

describe('card capture with a subscription', () => {
  it('opens a payment of nothing', async () => {
    const subscription = await organization.subscribe();
    const transaction = await organization.open('billing/card-capture');
    expect(scenario.provider.transaction(transaction)).toMatchObject({
      origin: 'subscription_payment_method_change',
      subscription_id: subscription,
      details: { totals: { total: '0' } },
    });
  });

  it('opens the payment that is owed, again and again', async () => {
    const owed = scenario.provider.renew(await organization.subscribe(), 'declined');
    await scenario.deliver(...scenario.provider.takeEvents());
    expect(await organization.open('billing/card-capture')).toBe(owed.id);
    scenario.fixture.clock.advance(2 * HOUR);
    expect(await organization.open('billing/card-capture')).toBe(owed.id);
    scenario.provider.pay(owed.id);
    await scenario.deliver(...scenario.provider.takeEvents());
    expect(organization.state()).toMatchObject({ payment_state: 'ok', lock: null });
  });
});

describe('card capture after its checkout was opened', () => {
  it('opens a payment that is owed since then, instead of the one of nothing', async () => {
    const subscription = await organization.subscribe();
    const free = await organization.open('billing/card-capture');
    scenario.fixture.clock.advance(30 * MINUTE);
    const owed = scenario.provider.renew(subscription, 'declined');
    await scenario.deliver(...scenario.provider.takeEvents());
    expect(owed.id).not.toBe(free);
    expect(await organization.open('billing/card-capture')).toBe(owed.id);
    expect(await organization.open('billing/card-capture')).toBe(owed.id);
    scenario.provider.pay(owed.id);
    await scenario.deliver(...scenario.provider.takeEvents());
    expect(organization.state()).toMatchObject({ payment_state: 'ok', lock: null });
  });

  it('opens no checkout of a former subscription', async () => {
    const former = await organization.subscribe();
    const first = await organization.open('billing/card-capture');
    scenario.provider.end(former, 'canceled');
    await scenario.deliver(...scenario.provider.takeEvents());
    const present = await organization.subscribe();
    const second = await organization.open('billing/card-capture');
    expect(second).not.toBe(first);
    expect(scenario.provider.transaction(second)).toMatchObject({ subscription_id: present });
    expect(await organization.open('billing/card-capture')).toBe(second);
  });

  it('opens no checkout that was paid', async () => {
    const subscription = await organization.subscribe();
    const owed = scenario.provider.renew(subscription, 'declined');
    await scenario.deliver(...scenario.provider.takeEvents());
    expect(await organization.open('billing/card-capture')).toBe(owed.id);
    scenario.provider.pay(owed.id);
    await scenario.deliver(...scenario.provider.takeEvents());
    expect(await organization.open('billing/card-capture')).not.toBe(owed.id);
  });
});

describe('a top-up', () => {
  it('opens a checkout for the amount', async () => {
    const { body } = await topUp(2500);
    expect(body).toEqual({
      transaction_id: expect.stringMatching(/^txn_/),
      checkout_url: `${scenario.provider.url}/checkout?_ptxn=${body.transaction_id}`,
    });
    expect(scenario.provider.asked.at(-1)?.body).toMatchObject({
      items: [{ price: { name: 'Prepaid credit', unit_price: { amount: '2500', currency_code: 'USD' } } }],
      custom_data: { organization_id: organization.id, purpose: 'topup' },
    });
    expect(organization.state()).toMatchObject({ balance: 0 });
  });

  it('accepts exactly what lies between the limits', async () => {
    expect((await topUp(500)).status).toBe(200);
    expect((await topUp(100_000)).status).toBe(200);
    expectInvalid(await topUp(499), 'body.amount_cents: greater_than_equal');
    expectInvalid(await topUp(100_001), 'body.amount_cents: less_than_equal');
    expectInvalid(await topUp(-500), 'body.amount_cents: greater_than_equal');
    expectInvalid(await topUp(500.5), 'body.amount_cents: int_type');
    expectInvalid(await topUp('500'), 'body.amount_cents: int_type');
    expectInvalid(await topUp(null), 'body.amount_cents: int_type');
    expectInvalid(await organization.post('billing/topup', {}), 'body.amount_cents: missing');
    expect(rows()).toHaveLength(2);
  });
});

describe('an open checkout', () => {
  it('is returned again for an hour, by purpose, plan and amount', async () => {
    const first = await topUp(2500);
    expect((await topUp(2500)).body).toEqual(first.body);
    expect((await topUp(2600)).body).not.toEqual(first.body);
    const plan = await card();
    expect((await card({ tier: 'team' })).body).toEqual(plan.body);
    expect((await card({ tier: 'business' })).body).not.toEqual(plan.body);
    scenario.fixture.clock.advance(HOUR - SECOND);
    expect((await topUp(2500)).body).toEqual(first.body);
    scenario.fixture.clock.advance(2 * SECOND);
    expect((await topUp(2500)).body).not.toEqual(first.body);
  });

  it('is not returned again after the currency of the server changed', async () => {
    const first = await topUp(2500);
    expect((await topUp(2500)).body).toEqual(first.body);
    const { db } = scenario.fixture.app;
    db.update(providerCheckouts).set({ currency: 'EUR' }).run();
    const second = await topUp(2500);
    expect(second.body).not.toEqual(first.body);
    expect((await topUp(2500)).body).toEqual(second.body);
    // One from before the currency was stored.
    db.update(providerCheckouts).set({ currency: null }).run();
    expect([first.body, second.body]).not.toContainEqual((await topUp(2500)).body);
  });

  it('is not returned again once it is paid', async () => {
    const first = await organization.open('billing/topup', { amount_cents: 2500 });
    scenario.provider.pay(first);
    await scenario.deliver(...scenario.provider.takeEvents());
    expect(await organization.open('billing/topup', { amount_cents: 2500 })).not.toBe(first);
  });

  it('is opened once by any number of requests at the same time', async () => {
    await scenario.current();
    const answers = await Promise.all(Array.from({ length: 20 }, () => topUp(2500)));
    expect(new Set(answers.map(({ body }) => body.transaction_id)).size).toBe(1);
    expect(asked().filter((line) => line === 'POST /transactions')).toHaveLength(1);
  });
});

describe('a locked organization', () => {
  it.each(['suspended', 'awaiting_payment', 'grace'] as const)(
    'can pay while it is locked as %s',
    async (lockReason) => {
      scenario.fixture.app.db
        .update(organizations)
        .set({ lockReason })
        .where(eq(organizations.id, organization.id))
        .run();
      expect((await card()).status).toBe(200);
      expect((await topUp()).status).toBe(200);
      const locked = await organization.post('tier', { tier: 'business' });
      expect(locked.status).toBe(402);
      expect((locked.body as unknown as Json).details).toEqual({ lock_reason: lockReason });
    },
  );
});

describe('a provider that fails', () => {
  const troubles = {
    'is not reached': { how: 'cut' },
    'answers with HTML': { how: 'html' },
    'is busy': { how: 'busy', retryAfter: '7' },
    'is broken': { how: 'broken' },
    'rejects our key': { how: 'refused_key' },
    'rejects the request': { how: { code: 'transaction_default_checkout_url_not_set' } },
  } as const;

  it.each(Object.entries(troubles))('and %s leaves everything as it was', async (_, trouble) => {
    const mark = auditMark(scenario.fixture);
    for (const [path, ask] of [
      [/^\/customers/, card],
      [/^\/transactions/, topUp],
    ] as const) {
      // Customers that are rejected are done without.
      if (path.test('/customers') && typeof trouble.how === 'object') continue;
      scenario.provider.fail({ ...trouble, path });
      const answer = await ask();
      expectRefusal(answer, 503, 'payment_provider_unavailable');
      expect(answer.headers.get('retry-after')).toBe('retryAfter' in trouble ? '7' : '5');
    }
    expect(auditRows(scenario.fixture, { after: mark })).toEqual([]);
    expect((await topUp()).status).toBe(200);
    expect((await card()).status).toBe(200);
  });

  it('keeps the card if changing it fails', async () => {
    await organization.subscribe();
    scenario.provider.fail({ path: /update-payment-method/, how: 'broken' });
    expectRefusal(await card(), 503, 'payment_provider_unavailable');
    expect(organization.state()).toMatchObject({ card_on_file: true, payment_state: 'ok' });
    expect((await card()).status).toBe(200);
  });
});

describe('a checkout whose answer was lost', () => {
  beforeEach(() => scenario.provider.fail({ method: 'POST', path: /^\/transactions$/, how: 'lost' }));

  it('is found when it is asked for again', async () => {
    expectRefusal(await topUp(), 503, 'payment_provider_unavailable');
    const { id } = scenario.provider.transactions().at(-1) ?? { id: '' };
    expect(rows()).toEqual([['topup', 'opening', null]]);
    expect((await topUp()).body).toEqual({
      transaction_id: id,
      checkout_url: `${scenario.provider.url}/checkout?_ptxn=${id}`,
    });
    expect(rows()).toEqual([['topup', 'open', id]]);
  });

  it('is recognized when it is paid', async () => {
    expectRefusal(await topUp(), 503, 'payment_provider_unavailable');
    const { id } = scenario.provider.transactions().at(-1) ?? { id: '' };
    scenario.provider.pay(id);
    await scenario.deliver(...scenario.provider.takeEvents());
    expect(organization.entries()).toEqual([{ kind: 'topup', amount: 2500, source: 'paddle', id }]);
    expect(rows()).toEqual([['topup', 'completed', id]]);
  });

  it('of a plan is recognized when it is paid', async () => {
    expectRefusal(await card(), 503, 'payment_provider_unavailable');
    const { id } = scenario.provider.transactions().at(-1) ?? { id: '' };
    scenario.provider.pay(id);
    await scenario.deliver(...scenario.provider.takeEvents().reverse());
    expect(organization.state()).toMatchObject({ card_on_file: true, status: 'active', lifecycle: 'active' });
  });

  it('is not claimed by a transaction that another one opened with its id', async () => {
    expectRefusal(await topUp(), 503, 'payment_provider_unavailable');
    const [{ id: checkoutId } = { id: '' }] = checkoutRows(scenario.fixture, organization.id);
    const forged = {
      event_id: 'evt_forged',
      event_type: 'transaction.completed',
      occurred_at: scenario.fixture.clock.now().toISOString(),
      data: {
        id: 'txn_forged',
        origin: 'web',
        customer_id: null,
        subscription_id: null,
        custom_data: { checkout_id: checkoutId, organization_id: organization.id, purpose: 'topup' },
        currency_code: 'USD',
        details: { totals: { subtotal: '999900', discount: '0' } },
      },
    };
    await scenario.deliver(forged);
    expect(organization.entries()).toEqual([]);
  });

  it('is replaced by another one if the provider did not open it', async () => {
    expectRefusal(await topUp(), 503, 'payment_provider_unavailable');
    const { id } = scenario.provider.transactions().at(-1) ?? { id: '' };
    scenario.provider.transaction(id).custom_data = null;
    const { body } = await topUp();
    expect(body.transaction_id).not.toBe(id);
    expect(rows()).toEqual([
      ['topup', 'opening', null],
      ['topup', 'open', body.transaction_id],
    ]);
  });
});

describe('deleting an organization', () => {
  const remove = async () => {
    const answer = await (await scenario.current()).delete(`/api/v1/organizations/${organization.id}`);
    expect(answer.status).toBe(204);
  };
  const waiting = () =>
    scenario.fixture.app.db.select().from(jobs).where(eq(jobs.kind, 'cancel-subscription')).all().length;

  it('cancels its subscription', async () => {
    const subscription = await organization.subscribe();
    await remove();
    await scenario.fixture.drain();
    expect(scenario.provider.subscription(subscription).status).toBe('canceled');
    await scenario.deliver(...scenario.provider.takeEvents());
    expect(waiting()).toBe(0);
  });

  it('cancels it later if the provider is away', async () => {
    const subscription = await organization.subscribe();
    scenario.provider.fail({ path: /cancel$/, how: 'broken', times: 2 });
    await remove();
    await scenario.fixture.drain();
    expect(scenario.provider.subscription(subscription).status).toBe('active');
    expect(waiting()).toBe(1);
    for (const _ of [1, 2]) {
      scenario.fixture.clock.advance(MINUTE);
      await scenario.fixture.drain();
    }
    expect(scenario.provider.subscription(subscription).status).toBe('canceled');
    expect(waiting()).toBe(0);
  });

  it('cancels it once if the answer of the provider was lost', async () => {
    const subscription = await organization.subscribe();
    scenario.provider.fail({ path: /cancel$/, how: 'lost' });
    await remove();
    await scenario.fixture.drain();
    expect(scenario.provider.subscription(subscription).status).toBe('canceled');
    scenario.fixture.clock.advance(MINUTE);
    await scenario.fixture.drain();
    expect(waiting()).toBe(0);
  });

  it('cancels it when it is charged all the same, because the provider was away for days', async () => {
    const subscription = await organization.subscribe();
    scenario.provider.fail({ path: /cancel$/, how: 'broken', times: 50 });
    await remove();
    for (let attempt = 1; attempt <= 50; attempt += 1) {
      await scenario.fixture.drain();
      scenario.fixture.clock.advance(HOUR);
    }
    const states = () => scenario.fixture.app.db.select().from(jobs).where(eq(jobs.kind, 'cancel-subscription')).all();
    expect(states()).toMatchObject([{ state: 'dead', attempts: 50 }]);
    expect(scenario.provider.subscription(subscription).status).toBe('active');
    scenario.provider.renew(subscription);
    await scenario.deliver(...scenario.provider.takeEvents());
    await scenario.fixture.drain();
    expect(scenario.provider.subscription(subscription).status).toBe('canceled');
    expect(states()).toMatchObject([{ state: 'dead' }]);
    scenario.fixture.app.db.delete(jobs).where(eq(jobs.kind, 'cancel-subscription')).run();
    await scenario.deliver(...scenario.provider.takeEvents());
    expect(waiting()).toBe(0);
  });

  it('cancels a plan that is paid afterwards', async () => {
    const transaction = await organization.open('billing/card-capture');
    await remove();
    const { subscription_id: subscription } = scenario.provider.pay(transaction);
    await scenario.deliver(...scenario.provider.takeEvents());
    await scenario.fixture.drain();
    expect(scenario.provider.subscription(String(subscription)).status).toBe('canceled');
  });

  it('keeps a top-up that is paid afterwards in the ledger', async () => {
    const transaction = await organization.open('billing/topup', { amount_cents: 2500 });
    await remove();
    scenario.provider.pay(transaction);
    await scenario.deliver(...scenario.provider.takeEvents());
    expect(organization.entries()).toEqual([{ kind: 'topup', amount: 2500, source: 'paddle', id: transaction }]);
  });
});

describe('without online payments', () => {
  it.each([
    ['billing is off', { enabled: false }],
    ['the operator moves the money', { provider: 'none' as const }],
  ])('nothing can be paid when %s', async (_, config) => {
    const other = await startBilling(config);
    try {
      const of = await other.newOrganization();
      expectRefusal(await of.post('billing/card-capture'), 400, 'operation_not_allowed');
      expectRefusal(await of.post('billing/topup', { amount_cents: 2500 }), 400, 'operation_not_allowed');
      expect(other.provider.asked).toEqual([]);
    } finally {
      await other.stop();
    }
  });
});

describe('a server with its own checkout page', () => {
  it('passes its address on', async () => {
    const other = await startBilling({ paddle: { checkout_url: 'https://example.com/pay' } });
    try {
      const { body } = await (await other.newOrganization()).post('billing/topup', { amount_cents: 2500 });
      expect(body.checkout_url).toBe(`https://example.com/pay?_ptxn=${body.transaction_id}`);
    } finally {
      await other.stop();
    }
  });
});
