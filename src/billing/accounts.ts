// The billing accounts of organizations. The lock is a function of their facts, and stored in the transaction that changes one.

import { eq, getTableColumns } from 'drizzle-orm';
import type { Context, Tx } from '../core/context.ts';
import { type Db, prepared } from '../data/database.ts';
import { billingAccounts, organizations } from '../data/tables/tables.ts';
import { DAY } from '../lib/clock.ts';
import { AppError, notFound } from '../lib/errors.ts';
import type { Tier } from '../lib/tiers.ts';
import { UCENTS } from './costs.ts';
import { addEntry, findStarterCredit, STARTER_CREDIT, starterCreditId } from './ledger.ts';
import { accrue, meteredTime, openMeters } from './meters.ts';
import { readPresentUse } from './usage.ts';

type Row = typeof billingAccounts.$inferSelect;
/** The row of an account. */
export type Account = Row;
export type OwnedAccount = Row & { isDeleted: boolean };
type Lock = Row['operatorLock'];
export type BillingFacts = Partial<Row> & { tier?: Tier };

const OPERATOR_NAME = 'Taxiway';

const columns = Object.entries(getTableColumns(billingAccounts)).map(([name, column]) => `${column.name} AS ${name}`);

// Every link for a download reads an account, and SQLite names the columns in half of the time that drizzle takes.
const accountRow = prepared((db) =>
  db.$client.prepare<[string], Row>(`SELECT ${columns.join(', ')} FROM billing_accounts WHERE organization_id = ?`),
);

const ownerExists = prepared((db) =>
  db.$client.prepare<[string], number>('SELECT 1 FROM organizations WHERE id = ?').pluck(),
);

/** Returns the row of an account, also of a deleted organization. */
export function findRow(ctx: { db: Db }, organizationId: string): Row | undefined {
  return accountRow(ctx).get(organizationId);
}

/** Creates the account of an organization: its trial and its meters begin now. */
export function createAccount(tx: Tx, organizationId: string): void {
  const { trial_days: days, starter_credit_cents: credit } = tx.config.billing;
  const trialEndsAt = days === 0 ? null : tx.now + days * DAY;
  const row = { organizationId, lifecycle: 'trial' as const, trialEndsAt, balanceCents: 0 };
  if (tx.db.insert(billingAccounts).values(row).onConflictDoNothing().run().changes === 0) return;
  openMeters(tx, organizationId);
  if (credit > 0) {
    addEntry(tx, {
      organizationId,
      kind: 'topup',
      amountCents: credit,
      source: 'operator',
      operatorName: OPERATOR_NAME,
      note: STARTER_CREDIT,
      providerId: starterCreditId(organizationId),
    });
  }
  storeLock(tx, organizationId, { ...loadRow(tx, organizationId) });
}

function loadRow(tx: Tx, organizationId: string): Row {
  const row = findRow(tx, organizationId);
  if (row === undefined) throw notFound();
  return row;
}

/**
 * Returns the account of an organization with billing on: creates it if the organization is older than that, and continues its
 * meters if billing was off in between. Undefined for a deleted organization, whose meters stand still.
 */
export function findMetered(tx: Tx, organizationId: string): Row | undefined {
  const found = findRow(tx, organizationId);
  if (found !== undefined && found.pausedAt === null) return found;
  if (ownerExists(tx).get(organizationId) === undefined) return undefined;
  if (found === undefined) createAccount(tx, organizationId);
  else resumeAccount(tx, found);
  return loadRow(tx, organizationId);
}

/** Returns the account of an organization like `findMetered`. Throws `not_found` for a deleted one. */
export function useAccount(tx: Tx, organizationId: string): Row {
  const account = findMetered(tx, organizationId);
  if (account === undefined) throw notFound();
  return account;
}

/** Continues meters and lock. A trial may have ended since. */
function resumeAccount(tx: Tx, row: Row): void {
  const { organizationId, lockedAt, pausedAt } = row;
  tx.db.update(billingAccounts).set({ pausedAt: null }).where(eq(billingAccounts.organizationId, organizationId)).run();
  openMeters(tx, organizationId);
  recordTrialEnd(tx, row, lockedAt === null ? null : computeLock(row, pausedAt ?? tx.now));
}

/** Ends the meters and the lock of an organization, because billing is off or the organization was deleted. */
export function pauseAccount(tx: Tx, organizationId: string): void {
  accrue(tx, organizationId);
  const [pausedAt, unlocked] = [tx.now, { lockReason: null, lockAdvancesAt: null }];
  tx.db.update(billingAccounts).set({ pausedAt }).where(eq(billingAccounts.organizationId, organizationId)).run();
  tx.db.update(organizations).set(unlocked).where(eq(organizations.id, organizationId)).run();
}

/** Returns the account of an organization, also a deleted one, or undefined. Creates none. */
export function findAccount(ctx: { db: Db }, organizationId: string): OwnedAccount | undefined {
  return toAccount(ctx, findRow(ctx, organizationId));
}

/** Returns the account with a subscription of the payment provider, or undefined. */
export function findAccountOfSubscription({ db }: { db: Db }, id: string): OwnedAccount | undefined {
  return toAccount({ db }, db.select().from(billingAccounts).where(eq(billingAccounts.subscriptionId, id)).get());
}

/** Throws `operation_not_allowed` with billing off. */
export function requireBilling({ config }: Pick<Context, 'config'>): void {
  if (!config.billing.enabled) throw new AppError('operation_not_allowed', 'Billing is off on this server');
}

/** Returns the account of an organization, created or continued if necessary. Throws `not_found` for a deleted organization. */
export function loadAccount(ctx: Context, organizationId: string): OwnedAccount {
  ctx.transact((tx) => useAccount(tx, organizationId), { bookkeeping: true });
  const account = findAccount(ctx, organizationId);
  if (account === undefined) throw notFound();
  return account;
}

function toAccount(ctx: { db: Db }, row: Row | undefined): OwnedAccount | undefined {
  return row && { ...row, isDeleted: ownerExists(ctx).get(row.organizationId) === undefined };
}

function hasEnded({ endedAt, paymentOkAt }: Row): boolean {
  return endedAt !== null && endedAt > (paymentOkAt ?? 0);
}

/** Whether the payment provider no longer charges the subscription. */
export function hasEndedSubscription({ subscriptionStatus }: Pick<Row, 'subscriptionStatus'>): boolean {
  return subscriptionStatus === 'canceled' || subscriptionStatus === 'paused';
}

/** Whether an account has a card. The end of a subscription removes the cards from before it. */
export function hasCardOnFile({ cardAt, endedAt }: Row): boolean {
  return cardAt !== null && (endedAt === null || cardAt > endedAt);
}

/** Returns the state of the payments of an account; `none` before the first one, and after the end of a paid subscription. */
export function paymentStateOf(row: Row): 'none' | 'ok' | 'retrying' | 'failed' {
  const isFailed = (row.paymentFailedAt ?? 0) > (row.paymentOkAt ?? 0);
  if (hasEnded(row)) return isFailed ? 'failed' : 'none';
  if (row.paymentOkAt === null && !isFailed) return 'none';
  return isFailed ? 'retrying' : 'ok';
}

/** Returns the lock that follows from the facts of an account (docs/specification/billing.md#locks). */
function computeLock(row: Row, now: number): Lock {
  if (row.operatorLock !== null) return row.operatorLock;
  const isFailed = (row.paymentFailedAt ?? 0) > (row.paymentOkAt ?? 0);
  if (hasEnded(row) && isFailed) return 'suspended';
  if (hasCardOnFile(row)) return null;
  if (hasEnded(row) || row.committedAt !== null) return 'awaiting_payment';
  if (row.lifecycle !== 'trial') return null;
  // A server without trials.
  if (row.trialEndsAt === null) return 'awaiting_payment';
  return now >= row.trialEndsAt ? 'grace' : null;
}

/** Whether an account is locked because its subscription ended after a failed payment. */
export function isSuspended(row: Row): boolean {
  // Doesn't depend on the time.
  return computeLock(row, 0) === 'suspended';
}

/** Returns when the lock changes although no fact does. */
function findLockAdvance(tx: Tx, row: Row, lock: Lock): number | null {
  if (lock === 'suspended') {
    return (row.lockedAt ?? tx.now) + tx.config.billing.download_days_when_suspended * DAY;
  }
  const isTrial = lock === null && row.lifecycle === 'trial' && !hasCardOnFile(row);
  return isTrial ? row.trialEndsAt : null;
}

/** Stores the lock that follows from the facts. Returns it with the former one. */
function storeLock(
  tx: Tx,
  organizationId: string,
  row: Row,
  before: Lock = findLock(tx, organizationId),
): { before: Lock; after: Lock } {
  const after = computeLock(row, tx.now);
  const isNew = (after !== before || row.lockedAt === null) && after !== null;
  // A trial ends automatically, to the millisecond.
  const beginsAt = after === 'grace' && row.operatorLock === null ? row.trialEndsAt : tx.now;
  const lockedAt = after === null ? null : isNew ? beginsAt : row.lockedAt;
  if (lockedAt !== row.lockedAt) {
    tx.db.update(billingAccounts).set({ lockedAt }).where(eq(billingAccounts.organizationId, organizationId)).run();
  }
  tx.db
    .update(organizations)
    .set({ lockReason: after, lockAdvancesAt: findLockAdvance(tx, { ...row, lockedAt }, after) })
    .where(eq(organizations.id, organizationId))
    .run();
  return { before, after };
}

const suspendedAccounts = prepared((db) =>
  db.$client
    .prepare<[number], string>(
      `SELECT a.organization_id FROM organizations o JOIN billing_accounts a ON a.organization_id = o.id
        WHERE o.lock_reason = 'suspended' AND a.paused_at IS NULL AND o.lock_advances_at IS NOT a.locked_at + ?`,
    )
    .pluck(),
);

/** Returns the suspended organizations whose stored lock has another `billing.download_days_when_suspended`. */
export function listSuspended({ db, config }: { db: Db } & Pick<Context, 'config'>): string[] {
  return suspendedAccounts({ db }).all(config.billing.download_days_when_suspended * DAY);
}

/** Stores the lock of an account again, because the configuration may have changed. */
export function refreshLock(tx: Tx, organizationId: string): void {
  storeLock(tx, organizationId, loadRow(tx, organizationId));
}

function findLock({ db }: Tx, organizationId: string): Lock {
  const found = db
    .select({ lock: organizations.lockReason })
    .from(organizations)
    .where(eq(organizations.id, organizationId));
  return found.get()?.lock ?? null;
}

const growing = ['cardAt', 'paymentFailedAt', 'paymentOkAt', 'endedAt'] as const;

/** What is known about a subscription before anything was reported. */
const nothingYet = {
  subscriptionStatus: null,
  statusAt: null,
  periodEndsAt: null,
  cardAt: null,
  paymentFailedAt: null,
  paymentOkAt: null,
  endedAt: null,
};

/**
 * Applies facts; times only grow. Another subscription starts without what was reported about the former one, so that it doesn't
 * matter which of them is reported first. What an operator changes is recorded also if neither lock nor lifecycle changes. Returns
 * whether a fact changed.
 */
export function applyFacts(
  tx: Tx,
  organizationId: string,
  { tier, ...facts }: BillingFacts,
  by: { operator_name?: string } = {},
): boolean {
  const metered = findMetered(tx, organizationId);
  if (metered !== undefined && !isPaidInTrial(metered, facts)) endTrial(tx, organizationId);
  const before = findAccount(tx, organizationId);
  if (before === undefined) return false;
  const { isDeleted, ...row } = before;
  const isAnother = facts.subscriptionId !== undefined && facts.subscriptionId !== row.subscriptionId;
  const known: Row = isAnother ? { ...row, ...nothingYet } : row;
  const after: Row = { ...known, ...facts };
  for (const name of growing) {
    const [old, reported] = [known[name], after[name]];
    after[name] = old === null || reported === null ? (old ?? reported) : Math.max(old, reported);
  }
  after.lifecycle = hasEnded(after) ? 'ended' : after.subscriptionId !== null ? 'active' : after.lifecycle;
  const hasChanged = JSON.stringify(row) !== JSON.stringify(after);
  tx.db.update(billingAccounts).set(after).where(eq(billingAccounts.organizationId, organizationId)).run();
  if (isDeleted) return hasChanged;
  const { before: formerLock, after: lockReason } = storeLock(tx, organizationId, after);
  const about = { identifier: organizationId, organizationId };
  if (!hasCardOnFile(row) && hasCardOnFile(after)) tx.record('organization.card_on_file', about);
  if (row.subscriptionId !== after.subscriptionId) tx.record('organization.subscription_created', about);
  const [formerState, state] = [paymentStateOf(row), paymentStateOf(after)];
  if (formerState !== state) {
    tx.record('organization.payment_state_changed', { ...about, details: { from: formerState, to: state, ...by } });
  }
  const isOfOperator = by.operator_name !== undefined && hasChanged;
  if (row.lifecycle !== after.lifecycle || formerLock !== lockReason || isOfOperator) {
    const details = { from: row.lifecycle, to: after.lifecycle, lock_reason: lockReason, ...by };
    tx.record('organization.lifecycle_changed', { ...about, details });
  }
  if (tier !== undefined) setTier(tx, organizationId, tier);
  return hasChanged;
}

/** Whether facts say that a card was paid before the trial ended. Then it never ended, however late that is reported. */
function isPaidInTrial({ trialEndsAt }: Row, { cardAt }: BillingFacts): boolean {
  return trialEndsAt !== null && cardAt != null && cardAt < trialEndsAt;
}

/** Sets the plan of an organization and records the change. Does nothing if it has that plan already, or was deleted. */
export function setTier(tx: Tx, organizationId: string, tier: Tier, by: { operator_name?: string } = {}): void {
  const row = tx.db
    .select({ tier: organizations.tier })
    .from(organizations)
    .where(eq(organizations.id, organizationId))
    .get();
  if (row === undefined || row.tier === tier) return;
  tx.db.update(organizations).set({ tier }).where(eq(organizations.id, organizationId)).run();
  tx.record('organization.tier_changed', {
    identifier: organizationId,
    organizationId,
    details: { from: row.tier, to: tier, ...by },
  });
}

/** Records the end of a trial, if that has passed and isn't recorded yet. */
export function endTrial(tx: Tx, organizationId: string): void {
  const row = findMetered(tx, organizationId);
  if (row !== undefined && row.lockedAt === null) recordTrialEnd(tx, row);
}

/** Stores the lock of an account. If its trial has ended, what is left of its starter credit is forfeited. */
function recordTrialEnd(tx: Tx, row: Row, formerLock?: Lock): void {
  const { organizationId } = row;
  const { before, after } = storeLock(tx, organizationId, row, formerLock);
  if (after !== 'grace' || before === 'grace' || row.operatorLock !== null) return;
  tx.record('organization.lifecycle_changed', {
    identifier: organizationId,
    organizationId,
    details: { from: row.lifecycle, to: row.lifecycle, lock_reason: after },
  });
  // What is used later isn't paid from the starter credit, however late the end is recorded.
  const until = Math.min(meteredTime(tx), row.trialEndsAt ?? tx.now);
  const { openCost } = readPresentUse(tx, organizationId, until);
  // Starter credit is used first, in whole cents.
  const used = Number((openCost + UCENTS - 1n) / UCENTS);
  const left = findStarterCredit(tx, organizationId) - used;
  const amountCents = Math.min(left, row.balanceCents - used);
  if (amountCents > 0)
    addEntry(tx, { organizationId, kind: 'forfeit', amountCents, source: 'operator', note: STARTER_CREDIT });
}
