// What signing in through identity providers leaves behind, and when it can be forgotten.
import type { Context } from '../core/context.ts';
import { deleteEnded } from './store.ts';

/** Forgets used ids whose time is over and traces of sessions that are gone; answers how many, at most `most` of each. */
export function deleteExpiredSsoState(ctx: Context, now: number, most: number): number {
  return ctx.transact((tx) => deleteEnded(tx, now, most), { bookkeeping: true });
}
