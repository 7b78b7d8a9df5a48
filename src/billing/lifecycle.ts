// How billing follows organizations: their creation, members and deletion, and the start of a server.
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import type { Context, Tx } from '../core/context.ts';
import { definePart } from '../core/parts.ts';
import { prepared } from '../data/database.ts';
import { createAccount, findMetered, findRow, pauseAccount, useAccount } from './accounts.ts';
import { adoptPrices, recountSeats } from './meters.ts';

const PER_STEP = 50;

/** Makes the account of a new organization. */
export function startBilling(tx: Tx, organizationId: string): void {
  if (tx.config.billing.enabled) createAccount(tx, organizationId);
}

/** Meters the members of an organization. A new organization has no account yet. */
export function countSeats(tx: Tx, organizationId: string): void {
  if (!tx.config.billing.enabled || findRow(tx, organizationId) === undefined) return;
  if (findMetered(tx, organizationId) !== undefined) recountSeats(tx, organizationId);
}

const withoutMeters = prepared((db) =>
  db.$client
    .prepare<[number], string>(
      `SELECT o.id FROM organizations o LEFT JOIN billing_accounts a ON a.organization_id = o.id
        WHERE a.organization_id IS NULL OR a.paused_at IS NOT NULL LIMIT ?`,
    )
    .pluck(),
);

const metered = prepared((db) =>
  db.$client
    .prepare<[number], string>('SELECT organization_id FROM billing_accounts WHERE paused_at IS NULL LIMIT ?')
    .pluck(),
);

/**
 * Starts the meters of organizations that have none, or ends all of them if billing is off. What is left when the server stops is
 * done at its next start, or when an organization is used.
 */
async function adjustAccounts(ctx: Context, isStopped: () => boolean): Promise<void> {
  const isOn = ctx.config.billing.enabled;
  if (isOn) ctx.transact((tx) => adoptPrices(tx), { bookkeeping: true });
  const [find, change] = isOn ? [withoutMeters, useAccount] : [metered, pauseAccount];
  for (;;) {
    if (isStopped()) return;
    const ids = find(ctx).all(PER_STEP);
    if (ids.length > 0) ctx.transact((tx) => ids.forEach((id) => void change(tx, id)), { bookkeeping: true });
    if (ids.length < PER_STEP) return;
    await yieldToOthers();
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
