// Work on many accounts, so that an error of one doesn't affect the others.
import type { Context, Tx } from '../core/context.ts';
import { codeOf } from '../lib/error-code.ts';

/** Whether an error may concern one account only. One of the database itself, such as a full disk, concerns all. */
export function isOfOneAccount(error: unknown): boolean {
  const code = codeOf(error);
  return !code.startsWith('SQLITE_') || code.startsWith('SQLITE_CONSTRAINT');
}

/** Work on one account. Returns what is added up. */
export type AccountWork = (tx: Tx, organizationId: string) => number;

/**
 * Runs work on accounts in one transaction; if that fails, on each of them in its own. Returns the sum of what it returned, and
 * the first error. Throws errors of the database.
 */
export function workOnAccounts(
  ctx: Context,
  ids: readonly string[],
  work: AccountWork,
): { sum: number; failure?: unknown } {
  if (ids.length === 0) return { sum: 0 };
  try {
    const sum = ctx.transact((tx) => ids.reduce((total, id) => total + work(tx, id), 0), { bookkeeping: true });
    return { sum };
  } catch (failure) {
    if (!isOfOneAccount(failure)) throw failure;
    if (ids.length === 1) {
      ctx.log.error({ err: failure, organization_id: ids[0] }, 'working on a billing account failed');
      return { sum: 0, failure };
    }
    const outcomes = ids.map((id) => workOnAccounts(ctx, [id], work));
    const failed = outcomes.find((outcome) => 'failure' in outcome);
    return { sum: outcomes.reduce((total, { sum }) => total + sum, 0), ...(failed && { failure: failed.failure }) };
  }
}
