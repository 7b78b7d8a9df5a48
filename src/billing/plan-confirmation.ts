// Completes a change of the plan that was interrupted after the provider had carried it out: its answer was lost, or the server was
// stopped. The provider has charged for the new plan then.

import type { Context, Tx } from '../core/context.ts';
import { cancelJobs, hasJob } from '../core/job-store.ts';
import { MINUTE } from '../lib/clock.ts';
import { type Tier, tiers } from '../lib/tiers.ts';
import { findOrganization } from '../organizations/store.ts';
import { findRow, hasEndedSubscription, setTier } from './accounts.ts';
import { planNames } from './checkouts.ts';
import { askPaddle, PADDLE_JOB_ATTEMPTS, usesPaddle } from './paddle.ts';

export const CONFIRM_PLAN_JOB = 'confirm-plan';
/** Longer than the request that changes the plan. */
const DELAY_MS = MINUTE;

interface PlanChange {
  organizationId: string;
  subscriptionId: string;
  tier: Tier;
}

/** Queues the check of a change, before the provider is asked for it. */
export function confirmPlanLater(tx: Tx, { organizationId, subscriptionId, tier }: PlanChange): void {
  tx.enqueue({
    kind: CONFIRM_PLAN_JOB,
    payload: { organization_id: organizationId, subscription_id: subscriptionId, tier },
    delayMs: DELAY_MS,
    maxAttempts: PADDLE_JOB_ATTEMPTS,
  });
}

/** Removes what was queued for an organization, because its plan was decided since. */
export function forgetPlanChanges(tx: Tx, organizationId: string): void {
  cancelJobs(tx, CONFIRM_PLAN_JOB, organizationId);
}

/** Whether the provider may have changed the plan of an organization without this server knowing it. */
export function mayHaveChangedPlan(ctx: Pick<Context, 'db'>, organizationId: string): boolean {
  return hasJob(ctx, CONFIRM_PLAN_JOB, organizationId);
}

/** Whether an organization still has another plan than it wanted. */
function isOpen(ctx: Pick<Context, 'db'>, { organizationId, subscriptionId, tier }: PlanChange): boolean {
  const organization = findOrganization(ctx, organizationId);
  const account = findRow(ctx, organizationId);
  if (organization === undefined || account === undefined || organization.tier === tier) return false;
  return account.subscriptionId === subscriptionId && !hasEndedSubscription(account);
}

/** Changes the plan if the provider has changed it. */
export async function runConfirmPlanJob(ctx: Context, payload: Record<string, unknown>): Promise<void> {
  const { organization_id: organizationId, subscription_id: subscriptionId } = payload;
  if (typeof organizationId !== 'string' || typeof subscriptionId !== 'string') return;
  const tier = tiers.find((name) => name === payload.tier);
  if (tier === undefined) return;
  const change: PlanChange = { organizationId, subscriptionId, tier };
  await ctx.locks([`billing:${organizationId}`], async () => {
    if (!usesPaddle(ctx) || !isOpen(ctx, change)) return;
    const { items, status } = await askPaddle(ctx, ({ subscriptions }) => subscriptions.get(subscriptionId));
    // Its end may not be reported yet.
    if (
      hasEndedSubscription({ subscriptionStatus: status }) ||
      !items.some(({ price }) => price.name === planNames[tier])
    )
      return;
    ctx.transact(
      (tx) => {
        // The operator may have set the plan since, which deletes this job.
        if (mayHaveChangedPlan(tx, organizationId) && isOpen(tx, change)) setTier(tx, organizationId, tier);
      },
      { bookkeeping: true },
    );
  });
}
