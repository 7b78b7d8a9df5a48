// Deletes the identities and sessions of removed connections in steps: an organization can have tens of thousands.
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import type { Context, Tx } from '../core/context.ts';
import { deleteLeftovers } from './store.ts';

export const SSO_LEFTOVERS_JOB = 'delete-sso-leftovers';

/** Rows deleted in one transaction. */
const ROWS_PER_STEP = 200;
/** Steps of a job, whose lease is a minute. */
const STEPS_PER_JOB = 50;

/** Deletes the first leftovers of an organization. A job deletes the rest if there are more. */
export function beginDeletingLeftovers(tx: Tx, organizationId: string): void {
  if (!deleteLeftovers(tx, organizationId, ROWS_PER_STEP)) queueRest(tx, organizationId);
}

function queueRest(tx: Tx, organizationId: string): void {
  const payload = { organization_id: organizationId };
  tx.enqueue({ kind: SSO_LEFTOVERS_JOB, payload, dedupeKey: `${SSO_LEFTOVERS_JOB} ${organizationId}` });
}

/** The job: deletes more leftovers, and queues itself again while any are left. It can run twice. */
export async function runSsoLeftoversJob(ctx: Context, payload: Record<string, unknown>): Promise<void> {
  const organizationId = String(payload.organization_id);
  for (let step = 0; step < STEPS_PER_JOB; step += 1) {
    const isDone = ctx.transact((tx) => deleteLeftovers(tx, organizationId, ROWS_PER_STEP), { bookkeeping: true });
    if (isDone) return;
    await yieldToOthers();
  }
  ctx.transact((tx) => queueRest(tx, organizationId), { bookkeeping: true });
}
