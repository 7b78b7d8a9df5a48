// What the payment provider reports: each event by itself, and in every order, repeated and at the same time.
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { providerEvents } from '../../src/data/tables/tables.ts';
import { DAY, HOUR } from '../../src/lib/clock.ts';
import { auditMark, auditRows, type Json } from '../support/harness.ts';
import type { ProviderEvent } from '../support/paddle.ts';
import {
  type BillingScenario,
  checkoutRows,
  eventOf,
  type Organization,
  permutations,
  startBilling,
} from './scenario.ts';

let scenario: BillingScenario;
let organization: Organization;
beforeAll(async () => {
  scenario = await startBilling();
});
afterAll(() => scenario.stop());
beforeEach(async () => {
  scenario.provider.taxRate = 0;
  scenario.provider.declinesCharges = false;
  organization = await scenario.newOrganization();
});

const outcomesOf = (events: readonly ProviderEvent[]) =>
  events.map(
    ({ event_id }) =>
      scenario.fixture.app.db.select().from(providerEvents).where(eq(providerEvents.eventId, event_id)).get()?.outcome,
  );

const only = (type: string, events = scenario.provider.takeEvents()) => {
  const found = events.filter(({ event_type }) => event_type === type);
  expect(found, type).toHaveLength(1);
  return found[0] as ProviderEvent;
};

describe('a paid plan', () => {
  it('puts a card on file and unlocks', async () => {
    const mark = auditMark(scenario.fixture);
    const transaction = await organization.open('billing/card-capture', { tier: 'business' });
    const { subscription_id: subscription } = scenario.provider.pay(transaction);
    await scenario.deliver(...scenario.provider.takeEvents());
    expect(organization.state()).toEqual({
      tier: 'business',
      lock: null,
      lifecycle: 'active',
      card_on_file: true,
      payment_state: 'ok',
      subscription_id: subscription,
      status: 'active',
      balance: 0,
    });
    expect(organization.entries()).toEqual([]);
    const events = auditRows(scenario.fixture, { after: mark, identifier: organization.id }).map(({ event }) => event);
    expect(events).toEqual(
      expect.arrayContaining(['org_card_on_file', 'org_subscription_created', 'org_tier_changed']),
    );
    expect(checkoutRows(scenario.fixture, organization.id)).toMatchObject([
      { state: 'completed', subscriptionId: subscription },
    ]);
  });

  it('is retried while a payment fails, and paid later', async () => {
    const subscription = await organization.subscribe();
    scenario.fixture.clock.advance(30 * DAY);
    const owed = scenario.provider.renew(subscription, 'declined');
    await scenario.deliver(...scenario.provider.takeEvents());
    expect(organization.state()).toMatchObject({
      lock: null,
      payment_state: 'retrying',
      status: 'past_due',
      card_on_file: true,
    });
    scenario.fixture.clock.advance(HOUR);
    scenario.provider.pay(owed.id);
    await scenario.deliver(...scenario.provider.takeEvents());
    expect(organization.state()).toMatchObject({
      lock: null,
      payment_state: 'ok',
      status: 'active',
      card_on_file: true,
    });
  });

  it.each(['canceled', 'paused'] as const)(
    'that is %s after a failed payment suspends until it is settled',
    async (how) => {
      const subscription = await organization.subscribe();
      scenario.fixture.clock.advance(30 * DAY);
      const owed = scenario.provider.renew(subscription, 'declined');
      scenario.fixture.clock.advance(30 * DAY);
      scenario.provider.end(subscription, how);
      await scenario.deliver(...scenario.provider.takeEvents());
      expect(organization.state()).toMatchObject({
        lock: 'suspended',
        lifecycle: 'ended',
        payment_state: 'failed',
        card_on_file: false,
        status: how,
      });
      scenario.fixture.clock.advance(DAY);
      if (how === 'paused') {
        scenario.provider.pay(owed.id);
        await scenario.deliver(...scenario.provider.takeEvents());
      } else await organization.subscribe();
      expect(organization.state()).toMatchObject({
        lock: null,
        lifecycle: 'active',
        payment_state: 'ok',
        card_on_file: true,
      });
    },
  );

  it('that is canceled without a failed payment awaits payment', async () => {
    const subscription = await organization.subscribe();
    scenario.fixture.clock.advance(DAY);
    scenario.provider.end(subscription, 'canceled');
    await scenario.deliver(...scenario.provider.takeEvents());
    expect(organization.state()).toMatchObject({
      lock: 'awaiting_payment',
      lifecycle: 'ended',
      payment_state: 'none',
      card_on_file: false,
    });
  });

  it('replaces a paused one, which is canceled', async () => {
    const former = await organization.subscribe();
    scenario.fixture.clock.advance(DAY);
    scenario.provider.end(former, 'paused');
    await scenario.deliver(...scenario.provider.takeEvents());
    scenario.fixture.clock.advance(DAY);
    const next = await organization.subscribe();
    await scenario.fixture.drain();
    expect(scenario.provider.subscription(former).status).toBe('canceled');
    await scenario.deliver(...scenario.provider.takeEvents());
    expect(organization.state()).toMatchObject({
      subscription_id: next,
      lock: null,
      card_on_file: true,
      status: 'active',
    });
  });

  it('is not disturbed by a declined change of the card or a declined upgrade', async () => {
    const subscription = await organization.subscribe();
    scenario.fixture.clock.advance(DAY);
    const change = await organization.open('billing/card-capture');
    scenario.provider.pay(change, 'declined');
    const upgrade = eventOf(scenario, 'transaction.payment_failed', {
      id: 'txn_upgrade',
      origin: 'subscription_update',
      subscription_id: subscription,
      customer_id: null,
    });
    await scenario.deliver(...scenario.provider.takeEvents(), upgrade);
    expect(organization.state()).toMatchObject({ payment_state: 'ok', lock: null });
  });

  it('gets another card by a payment of nothing', async () => {
    await organization.subscribe();
    scenario.fixture.clock.advance(DAY);
    const change = await organization.open('billing/card-capture');
    expect(scenario.provider.transaction(change).origin).toBe('subscription_payment_method_change');
    scenario.provider.pay(change);
    await scenario.deliver(...scenario.provider.takeEvents());
    expect(checkoutRows(scenario.fixture, organization.id).map(({ purpose, state }) => [purpose, state])).toEqual([
      ['subscription', 'completed'],
      ['payment_method', 'completed'],
    ]);
    expect(organization.state()).toMatchObject({ card_on_file: true, payment_state: 'ok', balance: 0 });
  });
});

describe('events of others', () => {
  it('are ignored, even if they name an organization or its checkout', async () => {
    const mine = await organization.open('billing/card-capture');
    const { id: checkoutId } = checkoutRows(scenario.fixture, organization.id)[0] ?? { id: '' };
    scenario.provider.takeEvents();
    const forged = {
      origin: 'web',
      customer_id: null,
      subscription_id: 'sub_foreign',
      currency_code: 'USD',
      details: { totals: { subtotal: '1', discount: '0' } },
    };
    const events = [undefined, 'topup', 'subscription'].map((purpose, index) =>
      eventOf(scenario, 'transaction.completed', {
        ...forged,
        id: `txn_foreign${index}`,
        custom_data:
          purpose === undefined ? null : { checkout_id: checkoutId, organization_id: organization.id, purpose },
      }),
    );
    const others = [
      eventOf(scenario, 'subscription.canceled', { id: 'sub_foreign', status: 'canceled' }),
      eventOf(scenario, 'transaction.payment_failed', { ...forged, id: 'txn_foreign9' }),
    ];
    const before = organization.state();
    await scenario.deliver(...events, ...others);
    expect(outcomesOf([...events, ...others])).toEqual(Array(5).fill('ignored'));
    expect(organization.state()).toEqual(before);
    expect(checkoutRows(scenario.fixture, organization.id)).toMatchObject([{ transactionId: mine, state: 'open' }]);
  });
});

describe('a paid top-up', () => {
  it('adds what was paid before tax', async () => {
    scenario.provider.taxRate = 0.2;
    const mark = auditMark(scenario.fixture);
    const transaction = await organization.open('billing/topup', { amount_cents: 5000 });
    scenario.provider.pay(transaction);
    const events = scenario.provider.takeEvents();
    await scenario.deliver(...events, ...events);
    expect(organization.entries()).toEqual([{ kind: 'topup', amount: 5000, source: 'paddle', id: transaction }]);
    expect(organization.state()).toMatchObject({ balance: 5000 });
    const words = auditRows(scenario.fixture, { after: mark }).map(({ event, type }) => [event, type]);
    expect(words).toContainEqual(['credited', 'credit']);
    expect(words).toContainEqual(['prepaid_enabled', 'prepaid']);
  });

  it('subtracts discounts', async () => {
    const transaction = await organization.open('billing/topup', { amount_cents: 5000 });
    scenario.provider.pay(transaction);
    const completed = only('transaction.completed');
    const details = completed.data.details as { totals: Json };
    details.totals.discount = '1200';
    await scenario.deliver(completed);
    expect(organization.state()).toMatchObject({ balance: 3800 });
  });

  it('in another currency is ignored', async () => {
    const transaction = await organization.open('billing/topup', { amount_cents: 5000 });
    scenario.provider.pay(transaction);
    const completed = only('transaction.completed');
    completed.data.currency_code = 'EUR';
    await scenario.deliver(completed);
    expect(outcomesOf([completed])).toEqual(['ignored']);
    expect(organization.entries()).toEqual([]);
  });

  it('is counted once although the provider reports it with another event', async () => {
    const transaction = await organization.open('billing/topup', { amount_cents: 5000 });
    scenario.provider.pay(transaction);
    const completed = only('transaction.completed');
    const again = { ...completed, event_id: 'evt_again' };
    await scenario.deliver(completed, again);
    expect(outcomesOf([completed, again])).toEqual(['applied', 'stale']);
    expect(organization.state()).toMatchObject({ balance: 5000 });
  });
});

describe('refunds and chargebacks of a top-up', () => {
  async function toppedUp(): Promise<string> {
    const transaction = await organization.open('billing/topup', { amount_cents: 5000 });
    scenario.provider.pay(transaction);
    await scenario.deliver(...scenario.provider.takeEvents());
    return transaction;
  }

  it.each(['chargeback', 'chargeback_warning'])(
    'a %s takes it back, and its reversal gives it back',
    async (action) => {
      const transaction = await toppedUp();
      const { id } = scenario.provider.chargeBack(transaction, action);
      await scenario.deliver(...scenario.provider.takeEvents());
      expect(organization.state()).toMatchObject({ balance: 0 });
      const fee = action === 'chargeback' ? { fee: 1500 } : {};
      expect(organization.entries()).toContainEqual({ kind: 'refund', amount: 5000, source: 'paddle', ...fee, id });
      // Both the adjustment itself and a further one say that it was taken back.
      scenario.provider.settleRefund(id, 'reversed');
      scenario.provider.chargeBack(transaction, `${action}_reverse`);
      await scenario.deliver(...scenario.provider.takeEvents());
      expect(organization.state()).toMatchObject({ balance: 5000 });
      expect(organization.entries()).toHaveLength(3);
    },
  );

  it('two chargebacks of the same amount are each given back once, whichever adjustments say so', async () => {
    const transaction = await toppedUp();
    const first = scenario.provider.chargeBack(transaction);
    const second = scenario.provider.chargeBack(transaction);
    await scenario.deliver(...scenario.provider.takeEvents());
    expect(organization.state()).toMatchObject({ balance: -5000 });
    const balances: unknown[] = [];
    const report = async () => {
      const events = scenario.provider.takeEvents();
      await scenario.deliver(...events, ...events.map((event) => ({ ...event, event_id: `${event.event_id}_again` })));
      balances.push(organization.state().balance);
    };
    scenario.provider.chargeBack(transaction, 'chargeback_reverse');
    await report();
    scenario.provider.settleRefund(first.id, 'reversed');
    await report();
    scenario.provider.settleRefund(second.id, 'reversed');
    await report();
    scenario.provider.chargeBack(transaction, 'chargeback_reverse');
    await report();
    expect(balances).toEqual([0, 0, 5000, 5000]);
  });

  it.each([
    ['less', '4900', [4900, 5000, 5000, 5000]],
    ['more', '5100', [5100, 5100, 5000, 5100]],
  ])('a reversal of %s than its chargeback counts once, whichever is reported first', async (_, subtotal, balances) => {
    const seen: unknown[] = [];
    for (const reversesFirst of [true, false]) {
      organization = await scenario.newOrganization();
      const transaction = await toppedUp();
      const { id } = scenario.provider.chargeBack(transaction);
      await scenario.deliver(...scenario.provider.takeEvents());
      scenario.provider.chargeBack(transaction, 'chargeback_reverse');
      const reversal = scenario.provider.takeEvents();
      for (const { data } of reversal) Object.assign(data.totals as object, { subtotal });
      scenario.provider.settleRefund(id, 'reversed');
      const itself = scenario.provider.takeEvents();
      for (const events of reversesFirst ? [reversal, itself] : [itself, reversal]) {
        await scenario.deliver(...events);
        seen.push(organization.state().balance);
      }
    }
    expect(seen).toEqual(balances);
  });

  it('an adjustment that is reported again with another amount gives nothing back a second time', async () => {
    const transaction = await toppedUp();
    scenario.provider.chargeBack(transaction);
    scenario.provider.chargeBack(transaction, 'chargeback_reverse');
    const events = scenario.provider.takeEvents();
    await scenario.deliver(...events);
    const changed = events
      .filter(({ data }) => data.action === 'chargeback_reverse')
      .map((event) => ({
        ...event,
        event_id: `${event.event_id}_changed`,
        data: { ...event.data, totals: { ...(event.data.totals as object), subtotal: '4900' } },
      }));
    expect(changed).toHaveLength(1);
    await scenario.deliver(...changed);
    expect(organization.state()).toMatchObject({ balance: 5000 });
  });

  it.each([
    ['as it was charged', 'EUR', { amount: '1380', original: { amount: '1500', currency_code: 'USD' } }, 1500],
    ['as it is paid out', 'USD', { amount: '1620', original: { amount: '1500', currency_code: 'EUR' } }, 1620],
    ['not at all in another currency', 'EUR', { amount: '1380', original: null }, undefined],
    [
      'not at all in two others',
      'EUR',
      { amount: '1380', original: { amount: '1200', currency_code: 'GBP' } },
      undefined,
    ],
  ])('the fee of a chargeback is shown %s', async (_, currency, chargebackFee, fee) => {
    const transaction = await toppedUp();
    const { id } = scenario.provider.chargeBack(transaction);
    const events = scenario.provider.takeEvents();
    for (const { data } of events) {
      data.payout_totals = { currency_code: currency, chargeback_fee: chargebackFee };
    }
    await scenario.deliver(...events);
    const entry = { kind: 'refund', amount: 5000, source: 'paddle', id };
    expect(organization.entries()).toContainEqual(fee === undefined ? entry : { ...entry, fee });
  });

  it('the balance may fall below zero', async () => {
    const transaction = await toppedUp();
    scenario.provider.chargeBack(transaction);
    scenario.provider.chargeBack(transaction, 'chargeback_warning');
    await scenario.deliver(...scenario.provider.takeEvents());
    expect(organization.state()).toMatchObject({ balance: -5000 });
  });

  it('a refund that the seller made at the provider counts when it is approved', async () => {
    const transaction = await toppedUp();
    const { id } = scenario.provider.chargeBack(transaction, 'refund');
    const events = scenario.provider.takeEvents();
    for (const event of events) event.data.status = 'pending_approval';
    await scenario.deliver(...events);
    expect(organization.state()).toMatchObject({ balance: 5000 });
    scenario.provider.settleRefund(id, 'approved');
    await scenario.deliver(...scenario.provider.takeEvents());
    expect(organization.entries()).toContainEqual({ kind: 'refund', amount: 5000, source: 'paddle', fee: 50, id });
    scenario.provider.settleRefund(id, 'reversed');
    await scenario.deliver(...scenario.provider.takeEvents());
    expect(organization.state()).toMatchObject({ balance: 5000 });
  });

  it('one of a plan fee does not concern the balance', async () => {
    const transaction = await organization.open('billing/card-capture');
    scenario.provider.pay(transaction);
    scenario.provider.chargeBack(transaction, 'refund');
    const events = scenario.provider.takeEvents();
    await scenario.deliver(...events);
    expect(outcomesOf(events).at(-1)).toBe('ignored');
    expect(organization.entries()).toEqual([]);
  });
});

describe('in any order, repeated and at the same time', () => {
  /** The state without what differs between organizations. */
  const result = (of: Organization) => {
    const { subscription_id, ...state } = of.state();
    return {
      ...state,
      has_subscription: subscription_id !== null,
      money: of.entries().map(({ kind, amount }) => [kind, amount]),
    };
  };

  /** Things that happen to an organization at the provider. Returns the events that are delivered. */
  type History = (of: Organization) => Promise<ProviderEvent[]>;
  const relevant = (...types: string[]) =>
    scenario.provider.takeEvents().filter(({ event_type }) => types.includes(event_type));

  const histories: [string, History, Json][] = [
    [
      'a plan that is paid, and canceled at once',
      async (of) => {
        const transaction = await of.open('billing/card-capture', { tier: 'business' });
        const { subscription_id } = scenario.provider.pay(transaction);
        scenario.provider.end(String(subscription_id), 'canceled');
        return relevant(
          'subscription.created',
          'subscription.activated',
          'transaction.completed',
          'subscription.canceled',
        );
      },
      { tier: 'business', lock: 'awaiting_payment', lifecycle: 'ended', card_on_file: false, status: 'canceled' },
    ],
    [
      'a renewal that fails and is paid',
      async (of) => {
        const subscription = await of.subscribe();
        scenario.provider.pay(scenario.provider.renew(subscription, 'declined').id);
        return relevant(
          'transaction.past_due',
          'subscription.past_due',
          'subscription.updated',
          'transaction.completed',
        );
      },
      { lock: null, lifecycle: 'active', payment_state: 'ok', card_on_file: true, status: 'active' },
    ],
    [
      'a renewal that fails to the end',
      async (of) => {
        const subscription = await of.subscribe();
        scenario.provider.renew(subscription, 'declined');
        scenario.provider.end(subscription, 'canceled');
        return relevant('transaction.payment_failed', 'subscription.past_due', 'subscription.canceled');
      },
      { lock: 'suspended', lifecycle: 'ended', payment_state: 'failed', card_on_file: false, status: 'canceled' },
    ],
    [
      'a paused subscription that is paid',
      async (of) => {
        const subscription = await of.subscribe();
        const owed = scenario.provider.renew(subscription, 'declined');
        scenario.provider.end(subscription, 'paused');
        scenario.provider.pay(owed.id);
        return relevant(
          'subscription.past_due',
          'subscription.paused',
          'subscription.updated',
          'transaction.completed',
        );
      },
      { lock: null, lifecycle: 'active', payment_state: 'ok', card_on_file: true, status: 'active' },
    ],
    [
      'a top-up with a chargeback that is taken back',
      async (of) => {
        const transaction = await of.open('billing/topup', { amount_cents: 5000 });
        scenario.provider.pay(transaction);
        const { id } = scenario.provider.chargeBack(transaction);
        scenario.provider.settleRefund(id, 'reversed');
        scenario.provider.chargeBack(transaction, 'chargeback_reverse');
        return relevant('transaction.completed', 'adjustment.created', 'adjustment.updated');
      },
      {
        balance: 5000,
        money: expect.arrayContaining([
          ['topup', 5000],
          ['refund', 5000],
          ['topup', 5000],
        ]),
      },
    ],
    [
      'a second subscription that is paid before the first one fails',
      async (of) => {
        const first = await of.open('billing/card-capture', { tier: 'team' });
        const second = await of.open('billing/card-capture', { tier: 'business' });
        const { subscription_id } = scenario.provider.pay(first);
        await scenario.deliver(...scenario.provider.takeEvents());
        scenario.provider.pay(second);
        scenario.provider.renew(String(subscription_id), 'declined');
        return relevant(
          'transaction.completed',
          'subscription.activated',
          'transaction.past_due',
          'subscription.past_due',
        );
      },
      { tier: 'business', lock: null, lifecycle: 'active', payment_state: 'ok', card_on_file: true, status: 'active' },
    ],
    [
      'a first subscription that ends, and a second one',
      async (of) => {
        const first = await of.subscribe();
        scenario.provider.renew(first, 'declined');
        scenario.provider.end(first, 'canceled');
        const [ending] = relevant('subscription.canceled');
        const second = await of.open('billing/card-capture');
        // The checkout of the present subscription: the provider knows that it has ended, we don't yet.
        scenario.provider.pay(second);
        return [ending as ProviderEvent, ...relevant('subscription.created', 'transaction.completed')];
      },
      { lock: null, lifecycle: 'active', payment_state: 'ok', card_on_file: true, status: 'active' },
    ],
  ];

  it.each(histories)('%s ends in the same state', async (_, history, expected) => {
    const count = (await history(await scenario.newOrganization())).length;
    for (const order of permutations([...Array(count).keys()])) {
      const of = await scenario.newOrganization();
      const events = await history(of);
      const chosen = order.map((index) => events[index] as ProviderEvent);
      // The first one is repeated at the end, and the last one at once.
      scenario.applyEvents(...chosen, chosen.at(-1) as ProviderEvent, chosen[0] as ProviderEvent);
      expect(result(of), order.join()).toMatchObject(expected);
    }
  });

  it.each(histories)('%s ends in the same state when all arrive at once', async (_, history, expected) => {
    const events = await history(organization);
    await Promise.all([...events, ...events].map((event) => scenario.deliver(event)));
    expect(result(organization)).toMatchObject(expected);
  });

  it('keeps the subscription that was paid last, and cancels the other', async () => {
    for (const isReversed of [false, true]) {
      const of = await scenario.newOrganization();
      const first = await of.open('billing/card-capture', { tier: 'team' });
      const second = await of.open('billing/card-capture', { tier: 'business' });
      const former = String(scenario.provider.pay(first).subscription_id);
      const latter = String(scenario.provider.pay(second).subscription_id);
      const events = relevant('transaction.completed', 'subscription.created');
      await scenario.deliver(...(isReversed ? events.reverse() : events));
      await scenario.fixture.drain();
      expect(scenario.provider.subscription(former).status).toBe('canceled');
      expect(scenario.provider.subscription(latter).status).toBe('active');
      await scenario.deliver(...scenario.provider.takeEvents());
      expect(of.state()).toMatchObject({ tier: 'business', subscription_id: latter, lock: null, card_on_file: true });
    }
  });
});
