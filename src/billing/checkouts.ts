// Checkouts at the payment provider. The row of a checkout is written before the provider is asked, and its id goes with the
// request, so that the payment is recognized even if the answer is lost.

import { developerIdOf } from '../core/actor.ts';
import type { OrganizationContext } from '../core/context.ts';
import { findDeveloper } from '../developers/store.ts';
import { HOUR } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import type { Tier } from '../lib/tiers.ts';
import { loadOrganization } from '../organizations/store.ts';
import { type Account, hasEndedSubscription, loadAccount } from './accounts.ts';
import {
  type Checkout,
  type CheckoutSubject,
  findCheckout,
  findCheckoutOfTransaction,
  findUnfinished,
  insertCheckout,
  updateCheckout,
} from './checkout-store.ts';
import { askPaddle, isEnded, type Paddle, PaddleRefusal, paddleDeadline, usesPaddle } from './paddle.ts';

export interface OpenedCheckout {
  transaction_id: string;
  checkout_url: string | null;
}

/** A checkout that is still open is returned again for this long. */
const REUSED_MS = HOUR;

/**
 * Runs work that asks the provider, one request of an organization at a time, with one deadline for the wait and the work. Throws
 * `not_found` if the organization is deleted in between, so that nobody is asked to pay for it.
 */
export function withProvider<T>(ctx: OrganizationContext, work: (paddle: Paddle) => Promise<T>): Promise<T> {
  const deadline = paddleDeadline();
  const { id } = ctx.organization;
  return ctx.locks([`billing:${id}`], async () => {
    loadOrganization(ctx, id);
    // Another request may have asked the provider for a while. What the provider does can't be undone.
    ctx.confirmAccess();
    const result = await askPaddle(ctx, work, deadline);
    loadOrganization(ctx, id);
    return result;
  });
}

/** Opens the checkout of a plan. */
export function openPlanCheckout(ctx: OrganizationContext, paddle: Paddle, tier: Tier): Promise<OpenedCheckout> {
  return openTransaction(ctx, paddle, { purpose: 'subscription', tier, amountCents: feeOf(ctx, tier) });
}

/** Opens the checkout of a top-up. */
export function openTopUpCheckout(ctx: OrganizationContext, paddle: Paddle, amountCents: number) {
  return openTransaction(ctx, paddle, { purpose: 'topup', tier: null, amountCents });
}

/**
 * Opens the checkout that changes the card: of the current subscription, or of a new one if there is none. While a payment is
 * owed, it is the one that pays it.
 */
export async function openCardCheckout(ctx: OrganizationContext, paddle: Paddle, tier: Tier): Promise<OpenedCheckout> {
  const account = loadAccount(ctx, ctx.organization.id);
  if (account.subscriptionId === null || hasEndedSubscription(account)) return openPlanCheckout(ctx, paddle, tier);
  try {
    return await openCardChange(ctx, paddle, account, account.subscriptionId);
  } catch (error) {
    if (!isEnded(error)) throw error;
    return openPlanCheckout(ctx, paddle, tier);
  }
}

async function openCardChange(
  ctx: OrganizationContext,
  paddle: Paddle,
  { paymentFailedAt, paymentOkAt }: Account,
  subscriptionId: string,
): Promise<OpenedCheckout> {
  const subject = {
    organizationId: ctx.organization.id,
    purpose: 'payment_method' as const,
    tier: null,
    amountCents: null,
    currency: null,
    subscriptionId,
  };
  // What was opened before a payment failed doesn't pay it.
  const isOwed = paymentFailedAt !== null && paymentFailedAt > (paymentOkAt ?? 0);
  const reusable = findReusable(ctx, subject, isOwed ? paymentFailedAt : 0);
  if (reusable !== undefined) return reusable;
  const id = insertRow(ctx, subject);
  try {
    const { id: transactionId, checkout } =
      await paddle.subscriptions.getPaymentMethodChangeTransaction(subscriptionId);
    return ctx.transact(
      (tx) => {
        const known = findCheckoutOfTransaction(tx, transactionId);
        const url = checkout?.url ?? null;
        // The provider returns the same transaction again while it is owed.
        if (known !== undefined && known.id !== id) {
          updateCheckout(tx, id, { state: 'failed' });
          updateCheckout(tx, known.id, { checkoutUrl: url });
        } else updateCheckout(tx, id, { transactionId, checkoutUrl: url, state: 'open' });
        return { transaction_id: transactionId, checkout_url: url };
      },
      { bookkeeping: true },
    );
  } catch (error) {
    // Without custom data, the transaction of a lost answer can't be recognized; asking again makes another one.
    fail(ctx, id);
    throw error;
  }
}

/** Opens a checkout, or returns one of the same kind that is still open. */
async function openTransaction(
  ctx: OrganizationContext,
  paddle: Paddle,
  wanted: { purpose: 'subscription' | 'topup'; tier: Tier | null; amountCents: number },
): Promise<OpenedCheckout> {
  const { currency } = ctx.config.billing;
  const subject = { organizationId: ctx.organization.id, ...wanted, currency, subscriptionId: null };
  const reusable = findReusable(ctx, subject);
  if (reusable !== undefined) return reusable;
  const customerId = await findCustomer(ctx, paddle);
  const lost = findUnfinished(ctx, subject, ctx.clock.time() - REUSED_MS).filter(({ state }) => state === 'opening');
  const found = lost.length === 0 ? undefined : await findLost(paddle, lost, customerId);
  if (found !== undefined) return settle(ctx, found.checkoutId, found.transaction);
  const checkoutId = insertRow(ctx, subject);
  const { config } = ctx;
  const create = (customer: { customerId?: string }) =>
    paddle.transactions.create({
      items: [{ quantity: 1, price: priceOf(ctx, wanted) }],
      ...customer,
      currencyCode: config.billing.currency as 'USD',
      collectionMode: 'automatic',
      customData: { checkout_id: checkoutId, organization_id: ctx.organization.id, purpose: wanted.purpose },
      ...(config.billing.paddle.checkout_url === '' ? {} : { checkout: { url: config.billing.paddle.checkout_url } }),
    });
  const isKnown = loadAccount(ctx, ctx.organization.id).customerId === customerId;
  try {
    const transaction = await create(customerId === undefined ? {} : { customerId }).catch((error: unknown) => {
      // The customer of earlier payments may have been archived since. Without one, the checkout asks for the address.
      if (!(error instanceof PaddleRefusal && isKnown && customerId !== undefined)) throw error;
      return create({});
    });
    return settle(ctx, checkoutId, transaction);
  } catch (error) {
    // Otherwise the transaction may exist, and its payment is recognized by the row.
    if (error instanceof PaddleRefusal) fail(ctx, checkoutId);
    throw error;
  }
}

function findReusable(ctx: OrganizationContext, subject: CheckoutSubject, after = 0): OpenedCheckout | undefined {
  const since = Math.max(after, ctx.clock.time() - REUSED_MS);
  const open = findUnfinished(ctx, subject, since).find(({ state }) => state === 'open');
  if (open === undefined || open.transactionId === null) return undefined;
  return { transaction_id: open.transactionId, checkout_url: open.checkoutUrl };
}

function insertRow(ctx: OrganizationContext, subject: CheckoutSubject): string {
  return ctx.transact(
    (tx) => {
      loadOrganization(tx, ctx.organization.id);
      const id = tx.ids.next();
      insertCheckout(tx, {
        id,
        ...subject,
        transactionId: null,
        checkoutUrl: null,
        state: 'opening',
        createdAt: tx.now,
        completedAt: null,
      });
      return id;
    },
    { bookkeeping: true },
  );
}

function fail(ctx: OrganizationContext, id: string): void {
  ctx.transact((tx) => updateCheckout(tx, id, { state: 'failed' }), { bookkeeping: true });
}

interface OpenTransaction {
  id: string;
  checkout: { url: string | null } | null;
}

/** Stores the transaction of a checkout. Its payment may have been reported already. */
function settle(ctx: OrganizationContext, checkoutId: string, { id, checkout }: OpenTransaction): OpenedCheckout {
  const url = checkout?.url ?? null;
  ctx.transact(
    (tx) => {
      if (findCheckout(tx, checkoutId)?.state !== 'opening') return;
      updateCheckout(tx, checkoutId, { transactionId: id, checkoutUrl: url, state: 'open' });
    },
    { bookkeeping: true },
  );
  return { transaction_id: id, checkout_url: url };
}

/** Searches the newest transactions of the provider for one whose answer was lost. */
async function findLost(
  { transactions }: Paddle,
  lost: readonly Checkout[],
  customerId: string | undefined,
): Promise<{ checkoutId: string; transaction: OpenTransaction } | undefined> {
  const page = await transactions
    .list({ ...(customerId === undefined ? {} : { customerId: [customerId] }), status: ['draft', 'ready'] })
    .next();
  for (const transaction of page) {
    const claim = (transaction.customData as { checkout_id?: unknown } | null)?.checkout_id;
    const checkout = lost.find(({ id }) => id === claim);
    if (checkout !== undefined) return { checkoutId: checkout.id, transaction };
  }
  return undefined;
}

/**
 * Returns the customer for the checkout: the one of the account, or the one with the address of the person who requested it. Undefined if the
 * provider doesn't accept the address; then its checkout asks for one.
 */
async function findCustomer(ctx: OrganizationContext, { customers }: Paddle): Promise<string | undefined> {
  const known: Account = loadAccount(ctx, ctx.organization.id);
  if (known.customerId !== null) return known.customerId;
  const developer = findDeveloper(ctx, developerIdOf(ctx.actor) ?? '');
  if (developer === undefined) return undefined;
  const { email } = developer;
  try {
    const { name } = loadOrganization(ctx, ctx.organization.id);
    return (await customers.create({ email, name, customData: { organization_id: ctx.organization.id } })).id;
  } catch (error) {
    if (!(error instanceof PaddleRefusal)) throw error;
    if (error.code !== 'customer_already_exists') {
      ctx.log.warn({ code: error.code }, 'the payment provider rejected a customer');
      return undefined;
    }
    return (await customers.list({ email: [email], status: ['active'] }).next())[0]?.id;
  }
}

/** The monthly fee of a plan. */
export function feeOf({ config }: Pick<OrganizationContext, 'config'>, tier: Tier): number {
  return config.billing.prices[`${tier}_month_cents`];
}

/** The names of the plans on the provider's receipts, which also identify the plan of a subscription. */
export const planNames: Readonly<Record<Tier, string>> = { team: 'Team plan', business: 'Business plan' };

/** The price of a checkout, inline, so that the operator needs no catalog at the provider. */
export function priceOf(
  { config }: Pick<OrganizationContext, 'config'>,
  { purpose, tier, amountCents }: { purpose: 'subscription' | 'topup'; tier: Tier | null; amountCents: number },
) {
  const { currency, paddle } = config.billing;
  const name = purpose === 'topup' ? 'Prepaid credit' : planNames[tier ?? 'team'];
  return {
    description: name,
    name,
    unitPrice: { amount: String(amountCents), currencyCode: currency as 'USD' },
    ...(purpose === 'subscription' ? { billingCycle: { interval: 'month' as const, frequency: 1 } } : {}),
    product: { name, taxCategory: paddle.tax_category as 'standard' },
    quantity: { minimum: 1, maximum: 1 },
  };
}

/** Throws `operation_not_allowed` unless people can pay online. */
export function requireOnlinePayments({ config }: Pick<OrganizationContext, 'config'>): void {
  if (usesPaddle({ config })) return;
  throw new AppError('operation_not_allowed', 'Online payments are off on this server. Contact its operator');
}

/** Throws `operation_not_allowed` for the Business plan, unless organizations can order it. */
export function requireOrderable({ config }: Pick<OrganizationContext, 'config'>, tier: Tier | undefined): void {
  if (tier !== 'business' || config.billing.business_self_service) return;
  throw new AppError('operation_not_allowed', "The Business plan can't be ordered on this server yet");
}
