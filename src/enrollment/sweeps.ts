// Deletes expired enrollment links with their used challenges.

import type { Context } from '../core/context.ts';
import { DAY } from '../lib/clock.ts';
import { deleteEndedEnrollments } from './store.ts';

/** The result page of a link stays available for a day after it expires. */
const KEPT_MS = DAY;

/** Deletes up to `max` links that expired a day ago. Returns the number deleted. */
export function deleteExpiredEnrollments(ctx: Context, now: number, max: number): number {
  return ctx.transact((tx) => deleteEndedEnrollments(tx, now - KEPT_MS, max), { bookkeeping: true });
}
