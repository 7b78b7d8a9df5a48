// What enrollment leaves behind: links that ended, with the challenges that were answered through them.

import type { Context } from '../core/context.ts';
import { DAY } from '../lib/clock.ts';
import { deleteEndedEnrollments } from './store.ts';

/** A phone that was registered in the last minute of a link still finds its result page for a day. */
const KEPT_MS = DAY;

/** Removes up to `most` links that ended a day ago; answers how many. */
export function deleteExpiredEnrollments(ctx: Context, now: number, most: number): number {
  return ctx.transact((tx) => deleteEndedEnrollments(tx, now - KEPT_MS, most), { bookkeeping: true });
}
