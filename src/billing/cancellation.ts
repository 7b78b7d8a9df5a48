// Cancels subscriptions at the provider: of deleted organizations, and those that another one replaced. A job, so that it happens
// even if the provider can't be reached now.
import type { Context, Tx } from '../core/context.ts';
import { findRow, pauseAccount } from './accounts.ts';
import { addEntry } from './ledger.ts';
import { askPaddle, carryOut, isEnded, PADDLE_JOB_ATTEMPTS, usesPaddle } from './paddle.ts';
import { sumRefunds } from './reservations.ts';
import { billMonth } from './sweeps.ts';
import { listOpenMonths } from './usage.ts';

export const CANCEL_SUBSCRIPTION_JOB = 'cancel-subscription';
/** The provider may respond slowly, and other jobs shouldn't wait for it. */
export const BILLING_LANE = 'billing';

/** Queues the cancellation of a subscription. */
export function cancelSubscription(tx: Tx, subscriptionId: string): void {
  tx.enqueue({
    kind: CANCEL_SUBSCRIPTION_JOB,
    payload: { subscription_id: subscriptionId },
    dedupeKey: `${CANCEL_SUBSCRIPTION_JOB}:${subscriptionId}`,
    maxAttempts: PADDLE_JOB_ATTEMPTS,
  });
}

/** Ends the meters of an organization that was deleted, bills its open months, forfeits the rest and cancels its subscription. */
export function endBillingOf(tx: Tx, organizationId: string): void {
  const account = findRow(tx, organizationId);
  if (account === undefined) return;
  if (tx.config.billing.enabled) {
    if (account.pausedAt === null) pauseAccount(tx, organizationId);
    for (const month of listOpenMonths(tx, organizationId)) billMonth(tx, organizationId, month);
    forfeit(tx, organizationId);
  }
  if (account.subscriptionId === null || account.subscriptionStatus === 'canceled') return;
  cancelSubscription(tx, account.subscriptionId);
}

/** Forfeits up to an amount of what a deleted organization has left. Refunds that the provider may still approve aren't touched. */
export function forfeit(tx: Tx, organizationId: string, maximum = Number.POSITIVE_INFINITY): void {
  const left = (findRow(tx, organizationId)?.balanceCents ?? 0) - sumRefunds(tx, organizationId);
  const amountCents = Math.min(left, maximum);
  if (amountCents > 0) addEntry(tx, { organizationId, kind: 'forfeit', amountCents, source: 'operator' });
}

/** Runs a job: cancels a subscription immediately. Throws an Error if the payment provider is off, so that the job is repeated. */
export async function runCancelSubscriptionJob(
  ctx: Context,
  { subscription_id: subscriptionId }: Record<string, unknown>,
): Promise<void> {
  if (typeof subscriptionId !== 'string') return;
  // Fails until the operator sets the provider again: the subscription would be charged forever.
  if (!usesPaddle(ctx)) throw new Error("Billing with Paddle is off, so its subscription can't be canceled");
  await askPaddle(ctx, async ({ subscriptions }) => {
    try {
      await carryOut(subscriptions.cancel(subscriptionId, { effectiveFrom: 'immediately' }));
    } catch (error) {
      if (!isEnded(error)) throw error;
    }
  });
}
