// How billing follows organizations: their creation, members and deletion, and the start of a server.
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import type { Context, Tx } from '../core/context.ts';
import { definePart } from '../core/parts.ts';
import { prepared } from '../data/database.ts';
import { createAccount, findMetered, findRow, listSuspended, pauseAccount, refreshLock } from './accounts.ts';
import { type AccountWork, workOnAccounts } from './each-account.ts';
import { meteredTime, recountSeats } from './meters.ts';
import { adoptPrices } from './price-lists.ts';

/** Accounts changed in one transaction. */
const PER_STEP = 50;
/** Accounts read together. */
const PER_PAGE = 500;

/** Creates the account of a new organization. */
export function startBilling(tx: Tx, organizationId: string): void {
  if (tx.config.billing.enabled) createAccount(tx, organizationId);
}

/** Meters the members of an organization. A new organization has no account yet. */
export function countSeats(tx: Tx, organizationId: string): void {
  if (!tx.config.billing.enabled || findRow(tx, organizationId) === undefined) return;
  if (findMetered(tx, organizationId) !== undefined) recountSeats(tx, organizationId);
}

interface Page {
  id: string;
  /** Whether the meters are to begin or to end. */
  isWaiting: 0 | 1;
}

// Pages, so that no step reads what earlier ones have read.
const organizationsAfter = prepared((db) =>
  db.$client.prepare<[string, number], Page>(
    `SELECT o.id, a.organization_id IS NULL OR a.paused_at IS NOT NULL AS isWaiting
      FROM organizations o LEFT JOIN billing_accounts a ON a.organization_id = o.id WHERE o.id > ? ORDER BY o.id LIMIT ?`,
  ),
);

const accountsAfter = prepared((db) =>
  db.$client.prepare<[string, number], Page>(
    `SELECT organization_id AS id, paused_at IS NULL AS isWaiting FROM billing_accounts
      WHERE organization_id > ? ORDER BY organization_id LIMIT ?`,
  ),
);

const lockedAccounts = prepared((db) =>
  db.$client
    .prepare<[number], string>(
      `SELECT a.organization_id FROM organizations o JOIN billing_accounts a ON a.organization_id = o.id
        WHERE a.paused_at IS NULL AND o.lock_reason IS NOT NULL
        UNION ALL SELECT a.organization_id FROM organizations o JOIN billing_accounts a ON a.organization_id = o.id
        WHERE a.paused_at IS NULL AND o.lock_reason IS NULL AND o.lock_advances_at <= ?`,
    )
    .pluck(),
);

const begin: AccountWork = (tx, id) => (findMetered(tx, id) === undefined ? 0 : 1);

const refresh: AccountWork = (tx, id) => {
  refreshLock(tx, id);
  return 1;
};

const end: AccountWork = (tx, id) => {
  pauseAccount(tx, id);
  return 1;
};

/**
 * Starts the meters of organizations that have none, or ends all of them if billing is off. What is left when the server stops is
 * done at its next start, or when an organization is used.
 */
async function adjustAccounts(ctx: Context, isStopped: () => boolean): Promise<void> {
  const isOn = ctx.config.billing.enabled;
  if (isOn) {
    ctx.transact((tx) => adoptPrices(tx, meteredTime(tx)), { bookkeeping: true });
    // Before the first request: another period of downloads applies to everyone.
    const suspended = listSuspended(ctx);
    for (let first = 0; first < suspended.length; first += PER_STEP) {
      workOnAccounts(ctx, suspended.slice(first, first + PER_STEP), refresh);
    }
  }
  // Before the first request: billing that is off rejects nothing.
  else for (const id of lockedAccounts(ctx).all(ctx.clock.time())) workOnAccounts(ctx, [id], end);
  const [page, work] = isOn ? [organizationsAfter, begin] : [accountsAfter, end];
  let after = '';
  for (;;) {
    const rows = page(ctx).all(after, PER_PAGE);
    const waiting = rows.filter(({ isWaiting }) => isWaiting === 1).map(({ id }) => id);
    for (let first = 0; first < waiting.length; first += PER_STEP) {
      workOnAccounts(ctx, waiting.slice(first, first + PER_STEP), work);
      await yieldToOthers();
      if (isStopped()) return;
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < PER_PAGE) return;
    after = last.id;
    await yieldToOthers();
    if (isStopped()) return;
  }
}

/** Adjusts the accounts when a server starts. */
export const accountsAtStartOf = definePart<{ done: Promise<void>; isStopped: boolean }>({
  open: () => ({ done: Promise.resolve(), isStopped: false }),
  start(state, newContext) {
    const ctx = newContext();
    const adjusted = adjustAccounts(ctx, () => state.isStopped);
    state.done = adjusted.catch((error: unknown) => ctx.log.error({ err: error }, 'adjusting billing accounts failed'));
  },
  close(state) {
    state.isStopped = true;
    return state.done;
  },
});
