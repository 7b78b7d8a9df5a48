// The cleanup of single sign-on data.
import type { Context } from '../core/context.ts';
import { deleteEnded } from './store.ts';

/** Deletes up to `max` expired used ids and as many rows of ended sessions. Returns the number deleted. */
export function deleteExpiredSsoState(ctx: Context, now: number, max: number): number {
  return ctx.transact((tx) => deleteEnded(tx, now, max), { bookkeeping: true });
}
