// What the payment provider reports (docs/specification/billing.md#events). The order of arrival means nothing: money is added
// once for each of its ids, facts about accounts only grow, and the lock is computed from them.
import type { Context, Tx } from '../core/context.ts';
import {
  type Account,
  applyFacts,
  type BillingFacts,
  findAccount,
  findAccountOfSubscription,
  type OwnedAccount,
} from './accounts.ts';
import { cancelSubscription } from './cancellation.ts';
import {
  type Checkout,
  findCheckout,
  findCheckoutOfTransaction,
  findNewestPaid,
  insertEvent,
  listHeldEvents,
  settleEvent,
  storeTakenBack,
  type TakenBack,
  updateCheckout,
} from './checkout-store.ts';
import { addEntry } from './ledger.ts';
import {
  type AdjustmentData,
  type ProviderEvent,
  readAdjustment,
  readPayment,
  readSubscription,
  readTransaction,
  type SubscriptionData,
  type TransactionData,
} from './provider-event-schema.ts';
import { endRefundRequest, findRefundRequest, rejectRefundRequest } from './refund-requests.ts';

interface Outcome {
  /** `ignored`: not about anything that we opened. `stale`: nothing that wasn't known already. */
  outcome: 'applied' | 'stale' | 'ignored';
  organizationId: string | null;
}

const ignored: Outcome = { outcome: 'ignored', organizationId: null };
const applied = (organizationId: string): Outcome => ({ outcome: 'applied', organizationId });
const outcomeOf = (organizationId: string, hasChanged: boolean): Outcome => ({
  outcome: hasChanged ? 'applied' : 'stale',
  organizationId,
});

/** Applies an event of the provider in one transaction. Repeated events change nothing. Throws `validation_error`. */
export function receiveProviderEvent(ctx: Context, event: ProviderEvent): void {
  ctx.transact(
    (tx) => {
      const isNew = insertEvent(tx, {
        eventId: event.id,
        type: event.type,
        occurredAt: event.occurredAt,
        receivedAt: tx.now,
        organizationId: null,
        outcome: 'ignored',
        subscriptionId: null,
        held: null,
      });
      if (isNew) apply(tx, event);
    },
    { bookkeeping: true },
  );
}

function apply(tx: Tx, event: ProviderEvent): void {
  const handle = handlers.get(event.type);
  const outcome = handle === undefined ? ignored : handle(tx, event);
  if (outcome !== ignored) settleEvent(tx, event.id, { ...outcome, subscriptionId: null, held: null });
}

const handlers = new Map<string, (tx: Tx, event: ProviderEvent) => Outcome>([
  ['transaction.completed', applyCompleted],
  ['transaction.payment_failed', applyFailedPayment],
  ['transaction.past_due', applyFailedPayment],
  ['subscription.created', applySubscription],
  ['subscription.activated', applySubscription],
  ['subscription.updated', applySubscription],
  ['subscription.resumed', applySubscription],
  ['subscription.trialing', applySubscription],
  ['subscription.past_due', applySubscription],
  ['subscription.paused', applySubscription],
  ['subscription.canceled', applySubscription],
  ['adjustment.created', applyAdjustment],
  ['adjustment.updated', applyAdjustment],
]);

// ---- transactions --------------------------------------------------------------------------------------------------------

function applyCompleted(tx: Tx, event: ProviderEvent): Outcome {
  const data = readTransaction(event);
  const checkout = findOwnCheckout(tx, data);
  if (checkout?.purpose === 'topup') return addTopUp(tx, event, data, checkout);
  if (checkout?.purpose === 'subscription') return startSubscription(tx, event, data, checkout);
  const account = accountOf(tx, data.subscription_id);
  if (account === undefined) return hold(tx, event, data.subscription_id);
  if (checkout !== undefined) updateCheckout(tx, checkout.id, { state: 'completed' });
  cancelIfDeleted(tx, account);
  const { occurredAt } = event;
  const isNewCard = data.origin === 'subscription_payment_method_change';
  return outcomeOf(
    account.organizationId,
    applyFacts(
      tx,
      account.organizationId,
      isNewCard ? { cardAt: occurredAt } : { cardAt: occurredAt, paymentOkAt: occurredAt },
    ),
  );
}

/**
 * Returns the checkout of a transaction, if we opened it. If its answer was lost, the transaction is recognized by the id that we
 * gave it. Others can give the same id to transactions of their own, so that is only valid while the answer is missing.
 */
function findOwnCheckout(tx: Tx, { id, origin, custom_data: claim, checkout }: TransactionData): Checkout | undefined {
  const known = findCheckoutOfTransaction(tx, id);
  // Other transactions of a subscription repeat the custom data of its first one.
  if (known !== undefined || claim === null || origin !== 'api') return known;
  const claimed = findCheckout(tx, claim.checkout_id);
  if (claimed?.state !== 'opening' || claimed.transactionId !== null) return undefined;
  if (claimed.organizationId !== claim.organization_id || claimed.purpose !== claim.purpose) return undefined;
  const opened = { transactionId: id, checkoutUrl: checkout, state: 'open' as const };
  updateCheckout(tx, claimed.id, opened);
  return { ...claimed, ...opened };
}

/** Adds what was paid to the balance, without tax. */
function addTopUp(tx: Tx, event: ProviderEvent, { id }: TransactionData, checkout: Checkout): Outcome {
  const { organizationId } = checkout;
  const { currency_code: currency, details } = readPayment(event);
  if (!isOurCurrency(tx, currency, event)) return { outcome: 'ignored', organizationId };
  updateCheckout(tx, checkout.id, { state: 'completed' });
  const amountCents = details.totals.subtotal - details.totals.discount;
  if (amountCents <= 0) return outcomeOf(organizationId, false);
  const isNew = addEntry(tx, { organizationId, kind: 'topup', amountCents, source: 'paddle', providerId: id });
  if (isNew && findAccount(tx, organizationId)?.isDeleted === true) {
    tx.log.error(
      { organization_id: organizationId, transaction_id: id },
      'top-up of a deleted organization: refund it',
    );
  }
  return outcomeOf(organizationId, isNew);
}

/**
 * Makes a subscription that was just paid the one of its organization. If several were paid, the last one counts, and the others
 * are canceled. Those of deleted organizations are canceled too.
 */
function startSubscription(tx: Tx, event: ProviderEvent, data: TransactionData, checkout: Checkout): Outcome {
  const { organizationId } = checkout;
  const { subscription_id: subscriptionId } = data;
  if (checkout.state === 'completed') return outcomeOf(organizationId, false);
  if (subscriptionId === null) {
    tx.log.error({ transaction_id: data.id }, 'a plan was paid without a subscription');
    return { outcome: 'ignored', organizationId };
  }
  updateCheckout(tx, checkout.id, { state: 'completed', subscriptionId, completedAt: event.occurredAt });
  const account = findAccount(tx, organizationId);
  if (account === undefined || account.isDeleted || findNewestPaid(tx, organizationId)?.id !== checkout.id) {
    tx.log.warn({ organization_id: organizationId, subscription_id: subscriptionId }, 'canceling a paid subscription');
    cancelSubscription(tx, subscriptionId);
    return outcomeOf(organizationId, false);
  }
  if (account.subscriptionId !== null && account.subscriptionStatus !== 'canceled') {
    cancelSubscription(tx, account.subscriptionId);
  }
  applyFacts(tx, organizationId, {
    subscriptionId,
    customerId: data.customer_id,
    cardAt: event.occurredAt,
    paymentOkAt: event.occurredAt,
    ...(checkout.tier === null ? {} : { tier: checkout.tier }),
  });
  // What was reported about the subscription before it was known to be ours.
  for (const held of listHeldEvents(tx, subscriptionId)) apply(tx, held);
  return applied(organizationId);
}

/** Cancels a subscription that is still paid although its organization was deleted: the first cancellation may have failed for days. */
function cancelIfDeleted(
  tx: Tx,
  { isDeleted, organizationId, subscriptionId, subscriptionStatus }: OwnedAccount,
): void {
  if (!isDeleted || subscriptionId === null || subscriptionStatus === 'canceled') return;
  tx.log.warn({ organization_id: organizationId, subscription_id: subscriptionId }, 'canceling a paid subscription');
  cancelSubscription(tx, subscriptionId);
}

/** Payments that aren't owed: what they were for simply doesn't happen. */
const OPTIONAL_ORIGINS = new Set(['subscription_payment_method_change', 'subscription_update']);

function applyFailedPayment(tx: Tx, event: ProviderEvent): Outcome {
  const data = readTransaction(event);
  if (OPTIONAL_ORIGINS.has(data.origin)) return ignored;
  const account = accountOf(tx, data.subscription_id);
  if (account === undefined) return hold(tx, event, data.subscription_id);
  return outcomeOf(
    account.organizationId,
    applyFacts(tx, account.organizationId, { paymentFailedAt: event.occurredAt }),
  );
}

// ---- subscriptions -------------------------------------------------------------------------------------------------------

/** For events of the same millisecond: the higher one counts, in whichever order they arrive. */
const ranks: Record<SubscriptionData['status'], number> = {
  trialing: 0,
  active: 1,
  past_due: 2,
  paused: 3,
  canceled: 4,
};

function applySubscription(tx: Tx, event: ProviderEvent): Outcome {
  const data = readSubscription(event);
  const { type, occurredAt } = event;
  const account = accountOf(tx, data.id);
  if (account === undefined) return hold(tx, event, data.id);
  const facts: BillingFacts = {
    ...(isNewer(account, data, occurredAt)
      ? { subscriptionStatus: data.status, statusAt: occurredAt, periodEndsAt: data.current_billing_period }
      : {}),
    ...(type === 'subscription.past_due' ? { paymentFailedAt: occurredAt } : {}),
    ...(type === 'subscription.canceled' || type === 'subscription.paused' ? { endedAt: occurredAt } : {}),
  };
  return outcomeOf(account.organizationId, applyFacts(tx, account.organizationId, facts));
}

function isNewer({ statusAt, subscriptionStatus }: Account, data: SubscriptionData, occurredAt: number): boolean {
  if (statusAt === null || subscriptionStatus === null) return true;
  if (occurredAt !== statusAt) return occurredAt > statusAt;
  return ranks[data.status] >= ranks[subscriptionStatus];
}

function accountOf(tx: Tx, subscriptionId: string | null): OwnedAccount | undefined {
  return subscriptionId === null ? undefined : findAccountOfSubscription(tx, subscriptionId);
}

/** Keeps an event about a subscription that isn't known to be ours, for the case that its first payment is reported later. */
function hold(tx: Tx, event: ProviderEvent, subscriptionId: string | null): Outcome {
  if (subscriptionId === null) return ignored;
  const { id, origin, status, subscription_id, current_billing_period } = event.data;
  const held = JSON.stringify({ id, origin, status, subscription_id, current_billing_period });
  settleEvent(tx, event.id, { subscriptionId, held });
  return ignored;
}

// ---- adjustments ---------------------------------------------------------------------------------------------------------

type Chargeback = TakenBack['action'];

/** Which kind of adjustment is taken back by another one. */
const reversals: ReadonlyMap<string, Chargeback> = new Map([
  ['chargeback_reverse', 'chargeback'],
  ['chargeback_warning_reverse', 'chargeback_warning'],
]);

/** An adjustment of a top-up of an organization. */
interface Adjusted {
  organizationId: string;
  data: AdjustmentData;
}

/** Refunds and chargebacks of top-ups. Those of plan fees don't concern the balance. */
function applyAdjustment(tx: Tx, event: ProviderEvent): Outcome {
  const data = readAdjustment(event);
  const checkout = findCheckoutOfTransaction(tx, data.transaction_id);
  if (checkout?.purpose !== 'topup') return ignored;
  const { organizationId } = checkout;
  const isCounted = isOurCurrency(tx, data.currency_code, event) && data.totals.subtotal > 0;
  if (!isCounted) return { outcome: 'ignored', organizationId };
  const adjusted: Adjusted = { organizationId, data };
  const reversed = reversals.get(data.action);
  if (reversed !== undefined) {
    return outcomeOf(organizationId, data.status === 'approved' && takeBack(tx, adjusted, reversed, false));
  }
  if (data.action === 'refund') return applyRefund(tx, adjusted);
  if (data.action === 'chargeback' || data.action === 'chargeback_warning')
    return applyChargeback(tx, adjusted, data.action);
  return ignored;
}

function applyRefund(tx: Tx, adjusted: Adjusted): Outcome {
  const { organizationId, data } = adjusted;
  const request = findRefundRequest(tx, organizationId, data);
  if (data.status === 'rejected') {
    if (request === undefined) return outcomeOf(organizationId, false);
    rejectRefundRequest(tx, request);
    return applied(organizationId);
  }
  if (data.status !== 'approved' && data.status !== 'reversed') return outcomeOf(organizationId, false);
  const amountCents = data.totals.subtotal;
  const fee = data.totals.retained_fee ?? 0;
  const hasTaken = addEntry(tx, {
    organizationId,
    kind: 'refund',
    amountCents: request?.amountCents ?? amountCents,
    source: request === undefined ? 'paddle' : 'operator',
    operatorName: request?.operatorName ?? null,
    note: request?.note ?? null,
    feeCents: request?.feeCents ?? (fee > 0 ? fee : null),
    providerId: data.id,
  });
  if (request !== undefined) endRefundRequest(tx, request);
  const isGivenBack = data.status === 'reversed' && giveBack(tx, adjusted, 'refund', amountCents);
  return outcomeOf(organizationId, isGivenBack || hasTaken);
}

function applyChargeback(tx: Tx, adjusted: Adjusted, action: Chargeback): Outcome {
  const { organizationId, data } = adjusted;
  if (data.status !== 'approved' && data.status !== 'reversed') return outcomeOf(organizationId, false);
  const fee = chargebackFee(tx, data);
  const hasTaken = addEntry(tx, {
    organizationId,
    kind: 'refund',
    amountCents: data.totals.subtotal,
    source: 'paddle',
    note: action,
    feeCents: fee > 0 ? fee : null,
    providerId: data.id,
  });
  const isGivenBack = data.status === 'reversed' && takeBack(tx, adjusted, action, true);
  return outcomeOf(organizationId, isGivenBack || hasTaken);
}

/** Takes back a chargeback, as far as it wasn't yet. `isItself`: it's the adjustment that is reversed, not another one. */
function takeBack(tx: Tx, adjusted: Adjusted, action: Chargeback, isItself: boolean): boolean {
  const { id: adjustmentId, transaction_id: transactionId, totals } = adjusted.data;
  const amountCents = totals.subtotal;
  return giveBack(
    tx,
    adjusted,
    action,
    storeTakenBack(tx, { adjustmentId, transactionId, action, amountCents, isItself }),
  );
}

/** Adds what an adjustment had taken to the balance. Returns whether it is new. */
function giveBack(tx: Tx, { organizationId, data }: Adjusted, original: string, amountCents: number): boolean {
  if (amountCents <= 0) return false;
  return addEntry(tx, {
    organizationId,
    kind: 'topup',
    amountCents,
    source: 'paddle',
    providerId: `${data.id}:reversed`,
    note: `Reversed: ${original}`,
  });
}

/** The fee is reported in the currency of the payout, and in that in which it was charged. */
function chargebackFee({ config }: Tx, { payout_totals: payout }: AdjustmentData): number {
  const { amount, original } = payout?.chargeback_fee ?? {};
  const { currency } = config.billing;
  if (original?.currency_code === currency) return original.amount;
  return payout?.currency_code === currency ? (amount ?? 0) : 0;
}

function isOurCurrency({ config, log }: Tx, currency: string, event: ProviderEvent): boolean {
  if (currency === config.billing.currency) return true;
  log.error({ event_id: event.id, type: event.type, currency }, 'money in another currency was ignored');
  return false;
}
