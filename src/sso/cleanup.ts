// The cleanup of single sign-on data.
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import type { Context } from '../core/context.ts';
import { deleteExpiredReplays, deleteSsoSessions, listSsoSessionsAfter } from './store.ts';

/** Rows that are examined before other requests get their turn. */
const SESSIONS_PER_PAGE = 500;

/** Deletes up to `max` expired used ids. Returns the number deleted. */
export function deleteExpiredSsoState(ctx: Context, now: number, max: number): number {
  return ctx.transact((tx) => deleteExpiredReplays(tx, now, max), { bookkeeping: true });
}

/** Deletes up to about `max` rows of deleted sessions. Returns the number deleted. */
export async function deleteEndedSsoSessions(ctx: Context, _now: number, max: number): Promise<number> {
  let removed = 0;
  for (let after: string | undefined = ''; after !== undefined && removed < max; await yieldToOthers()) {
    const page = listSsoSessionsAfter(ctx, after, SESSIONS_PER_PAGE);
    const orphans = page.filter(({ isOrphaned }) => isOrphaned === 1).map(({ id }) => id);
    if (orphans.length > 0) ctx.transact((tx) => deleteSsoSessions(tx, orphans), { bookkeeping: true });
    removed += orphans.length;
    after = page.length < SESSIONS_PER_PAGE ? undefined : page.at(-1)?.id;
  }
  return removed;
}
