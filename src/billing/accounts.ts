// The billing accounts of organizations. The lock is a function of their facts, and stored in the transaction that changes one.
import { eq } from 'drizzle-orm';
import type { Context, Tx } from '../core/context.ts';
import type { Db } from '../data/database.ts';
import { billingAccounts, organizations } from '../data/tables/tables.ts';
import { DAY } from '../lib/clock.ts';
import { notFound } from '../lib/errors.ts';

export type Account = typeof billingAccounts.$inferSelect & { isDeleted: boolean };
type Row = typeof billingAccounts.$inferSelect;
type Lock = Row['operatorLock'];
export type BillingFacts = Partial<Row> & { tier?: 'team' | 'business' };

function insertAccount(tx: Tx, organizationId: string): void {
  const { trial_days: days } = tx.config.billing;
  const row = { organizationId, lifecycle: 'trial' as const, trialEndsAt: tx.now + days * DAY, balanceCents: 0 };
  tx.db.insert(billingAccounts).values(row).onConflictDoNothing().run();
}

export function findAccount({ db }: { db: Db }, organizationId: string): Account | undefined {
  return toAccount(
    { db },
    db.select().from(billingAccounts).where(eq(billingAccounts.organizationId, organizationId)).get(),
  );
}

export function findAccountOfSubscription({ db }: { db: Db }, id: string): Account | undefined {
  return toAccount({ db }, db.select().from(billingAccounts).where(eq(billingAccounts.subscriptionId, id)).get());
}

export function loadAccount(ctx: Context, organizationId: string): Account {
  ctx.transact((tx) => insertAccount(tx, organizationId), { bookkeeping: true });
  const account = findAccount(ctx, organizationId);
  if (account === undefined) throw notFound();
  return account;
}

function toAccount({ db }: { db: Db }, row: Row | undefined): Account | undefined {
  if (row === undefined) return undefined;
  const owner = db
    .select({ id: organizations.id })
    .from(organizations)
    .where(eq(organizations.id, row.organizationId))
    .get();
  return { ...row, isDeleted: owner === undefined };
}

function hasEnded({ endedAt, paymentOkAt }: Row): boolean {
  return endedAt !== null && endedAt > (paymentOkAt ?? 0);
}

export function hasEndedSubscription({ subscriptionStatus }: Row): boolean {
  return subscriptionStatus === 'canceled' || subscriptionStatus === 'paused';
}

export function hasCardOnFile({ cardAt, endedAt }: Row): boolean {
  return cardAt !== null && (endedAt === null || cardAt > endedAt);
}

export function paymentStateOf(row: Row): 'none' | 'ok' | 'retrying' | 'failed' {
  const isFailed = (row.paymentFailedAt ?? 0) > (row.paymentOkAt ?? 0);
  if (hasEnded(row)) return isFailed ? 'failed' : 'none';
  if (row.paymentOkAt === null && !isFailed) return 'none';
  return isFailed ? 'retrying' : 'ok';
}

function computeLock(row: Row, now: number, trialDays: number): Lock {
  if (row.operatorLock !== null) return row.operatorLock;
  const isFailed = (row.paymentFailedAt ?? 0) > (row.paymentOkAt ?? 0);
  if (hasEnded(row) && isFailed) return 'suspended';
  if (hasCardOnFile(row)) return null;
  if (hasEnded(row) || row.committedAt !== null || trialDays === 0) return 'awaiting_payment';
  return row.lifecycle === 'trial' && row.trialEndsAt !== null && now >= row.trialEndsAt ? 'grace' : null;
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
 * matter which of them is reported first. Returns whether a fact changed.
 */
export function applyFacts(tx: Tx, organizationId: string, { tier, ...facts }: BillingFacts): boolean {
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
  const formerLock = findLock(tx, organizationId);
  const lockReason = computeLock(after, tx.now, tx.config.billing.trial_days);
  tx.db.update(organizations).set({ lockReason }).where(eq(organizations.id, organizationId)).run();
  const about = { identifier: organizationId, organizationId };
  if (!hasCardOnFile(row) && hasCardOnFile(after)) tx.record('organization.card_on_file', about);
  if (row.subscriptionId !== after.subscriptionId) tx.record('organization.subscription_created', about);
  const [formerState, state] = [paymentStateOf(row), paymentStateOf(after)];
  if (formerState !== state) {
    tx.record('organization.payment_state_changed', { ...about, details: { from: formerState, to: state } });
  }
  if (row.lifecycle !== after.lifecycle || formerLock !== lockReason) {
    const details = { from: row.lifecycle, to: after.lifecycle, lock_reason: lockReason };
    tx.record('organization.lifecycle_changed', { ...about, details });
  }
  if (tier !== undefined) setTier(tx, organizationId, tier);
  return hasChanged;
}

export function setTier(tx: Tx, organizationId: string, tier: 'team' | 'business'): void {
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
    details: { from: row.tier, to: tier },
  });
}
