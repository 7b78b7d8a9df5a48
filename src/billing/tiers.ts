// Changing the plan of an organization (docs/specification/billing.md#plans).

import type { OrganizationContext } from '../core/context.ts';
import { AppError } from '../lib/errors.ts';
import type { Tier } from '../lib/tiers.ts';
import { loadOrganization } from '../organizations/store.ts';
import { hasCardOnFile, hasEndedSubscription, loadAccount, setTier } from './accounts.ts';
import { feeOf, openCardCheckout, openPlanCheckout, priceOf, requireOrderable, withProvider } from './checkouts.ts';
import { carryOut, isEnded, type Paddle, PaddleRefusal, usesPaddle } from './paddle.ts';
import { confirmPlanLater, forgetPlanChanges, mayHaveChangedPlan } from './plan-confirmation.ts';
import type { TierChange } from './provider-schema.ts';

/**
 * Changes the plan. An upgrade is charged in advance: without a card it only opens a checkout, and the plan changes when that is
 * paid. Throws `operation_not_allowed` and `payment_provider_unavailable`; then nothing has changed.
 */
export async function changeTier(ctx: OrganizationContext, tier: Tier): Promise<TierChange> {
  const { billing } = ctx.config;
  if (hasTier(ctx, tier)) return changed(tier);
  if (!billing.enabled) return change(ctx, tier);
  requireOrderable(ctx, tier);
  if (!usesPaddle(ctx)) {
    const hasCard = hasCardOnFile(loadAccount(ctx, ctx.organization.id));
    return tier === 'team' || hasCard ? change(ctx, tier) : required(ctx, { transaction_id: null, checkout_url: null });
  }
  return withProvider(ctx, async (paddle) => {
    // Another request may have changed it since.
    if (hasTier(ctx, tier)) return changed(tier);
    const account = loadAccount(ctx, ctx.organization.id);
    const subscriptionId = hasEndedSubscription(account) ? null : account.subscriptionId;
    if (tier === 'team') {
      if (subscriptionId !== null) await exchangePlan(ctx, paddle, subscriptionId, tier);
      return change(ctx, tier);
    }
    if (subscriptionId === null || !hasCardOnFile(account)) {
      return required(ctx, await openPlanCheckout(ctx, paddle, tier));
    }
    const outcome = await exchangePlan(ctx, paddle, subscriptionId, tier);
    if (outcome === 'exchanged') return change(ctx, tier);
    const open = outcome === 'ended' ? openPlanCheckout : openCardCheckout;
    return required(ctx, await open(ctx, paddle, tier));
  });
}

/** Whether the organization has a plan, also at the provider: after a lost answer, the provider may have another one. */
function hasTier(ctx: OrganizationContext, tier: Tier): boolean {
  const { id } = ctx.organization;
  return loadOrganization(ctx, id).tier === tier && !mayHaveChangedPlan(ctx, id);
}

/**
 * Exchanges the item of a subscription. If the difference can't be charged (`declined`), or the subscription has ended at the
 * provider, nothing has changed.
 */
async function exchangePlan(
  ctx: OrganizationContext,
  { subscriptions }: Paddle,
  subscriptionId: string,
  tier: Tier,
): Promise<'exchanged' | 'declined' | 'ended'> {
  const amountCents = feeOf(ctx, tier);
  const { id: organizationId } = ctx.organization;
  const hasEarlierChange = mayHaveChangedPlan(ctx, organizationId);
  ctx.transact((tx) => confirmPlanLater(tx, { organizationId, subscriptionId, tier }), { bookkeeping: true });
  try {
    const update = {
      items: [{ quantity: 1, price: priceOf(ctx, { purpose: 'subscription', tier, amountCents }) }],
      ...(tier === 'team'
        ? { prorationBillingMode: 'prorated_next_billing_period' as const }
        : { prorationBillingMode: 'prorated_immediately' as const, onPaymentFailure: 'prevent_change' as const }),
    };
    await carryOut(subscriptions.update(subscriptionId, update));
    return 'exchanged';
  } catch (error) {
    if (!(error instanceof PaddleRefusal)) throw error;
    // This request changed nothing. An earlier one, whose answer was lost, may have.
    if (!hasEarlierChange) ctx.transact((tx) => forgetPlanChanges(tx, organizationId), { bookkeeping: true });
    if (isEnded(error)) return 'ended';
    if (error.code === 'subscription_payment_declined') return 'declined';
    if (error.code !== 'subscription_update_when_past_due') throw error;
    if (tier === 'business') return 'declined';
    throw new AppError('operation_not_allowed', 'A payment is outstanding. Pay it first');
  }
}

function change(ctx: OrganizationContext, tier: Tier): TierChange {
  const { id } = ctx.organization;
  ctx.transact(
    (tx) => {
      forgetPlanChanges(tx, id);
      setTier(tx, id, tier);
    },
    { bookkeeping: true },
  );
  return changed(tier);
}

function changed(tier: Tier): TierChange {
  return { outcome: 'changed', tier, transaction_id: null, checkout_url: null };
}

function required(
  ctx: OrganizationContext,
  checkout: { transaction_id: string | null; checkout_url: string | null },
): TierChange {
  return { outcome: 'checkout_required', tier: loadOrganization(ctx, ctx.organization.id).tier, ...checkout };
}
