// When a build is revoked or deleted, any channel of its project may have another current release. A job announces them in bounded
// steps: the build may be live on any number of channels, and the releases of a deleted build are deleted between the steps.
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { listChannels } from '../channels/store.ts';
import type { Context, Tx } from '../core/context.ts';
import { FIRST_PAGE } from '../core/paging.ts';

export const WITHDRAWAL_JOB = 'announce-withdrawal';

const CHANNELS_PER_STEP = 100;

/** Queues the announcement of the channels whose current release may change with a build (`Hooks.currentChanged`). */
export function announceWithdrawal(tx: Tx, projectId: string): void {
  enqueueStep(tx, projectId, FIRST_PAGE);
}

function enqueueStep(tx: Tx, projectId: string, before: string): void {
  const payload = { project_id: projectId, before };
  tx.enqueue({ kind: WITHDRAWAL_JOB, payload, dedupeKey: `${WITHDRAWAL_JOB} ${projectId} ${before}` });
}

/** The job: one step. It can run twice. */
export async function runWithdrawalJob(ctx: Context, payload: Record<string, unknown>): Promise<void> {
  // Steps follow each other immediately, so other requests must run in between.
  await yieldToOthers();
  const { project_id: projectId, before } = payload;
  ctx.transact((tx) => announceStep(tx, String(projectId), String(before)), { bookkeeping: true });
}

function announceStep(tx: Tx, projectId: string, before: string): void {
  const channels = listChannels(tx, projectId, before, CHANNELS_PER_STEP);
  for (const { id } of channels) {
    for (const hook of tx.hooks.currentChanged) hook(tx, id);
  }
  const last = channels.at(-1);
  if (last !== undefined && channels.length === CHANNELS_PER_STEP) enqueueStep(tx, projectId, last.id);
}
