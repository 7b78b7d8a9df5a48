// The rows of checkouts and of the provider's events.

import { and, desc, eq, getTableColumns, gt, inArray, isNull, sql } from 'drizzle-orm';
import type { Tx } from '../core/context.ts';
import type { Db } from '../data/database.ts';
import { providerCheckouts, providerEvents, takenBackChargebacks } from '../data/tables/tables.ts';
import type { Tier } from '../lib/tiers.ts';
import type { ProviderEvent } from './provider-event-schema.ts';

type Queries = { db: Db };

export type Checkout = typeof providerCheckouts.$inferSelect;
type CheckoutPurpose = Checkout['purpose'];
type ProviderEventRow = typeof providerEvents.$inferSelect;

export function insertCheckout(tx: Tx, row: Checkout): void {
  tx.db.insert(providerCheckouts).values(row).run();
}

export function updateCheckout(tx: Tx, id: string, changes: Partial<Checkout>): void {
  tx.db.update(providerCheckouts).set(changes).where(eq(providerCheckouts.id, id)).run();
}

export function findCheckout({ db }: Queries, id: string): Checkout | undefined {
  return db.select().from(providerCheckouts).where(eq(providerCheckouts.id, id)).get();
}

export function findCheckoutOfTransaction({ db }: Queries, transactionId: string): Checkout | undefined {
  return db.select().from(providerCheckouts).where(eq(providerCheckouts.transactionId, transactionId)).get();
}

/** What makes two checkouts the same. */
export interface CheckoutSubject {
  organizationId: string;
  purpose: CheckoutPurpose;
  tier: Tier | null;
  amountCents: number | null;
  /** Of what is paid. */
  currency: string | null;
  /** Whose card changes. */
  subscriptionId: string | null;
}

/** Returns the newest checkouts of a subject that were started after `since` and aren't finished. */
export function findUnfinished(
  { db }: Queries,
  { organizationId, purpose, tier, amountCents, currency, subscriptionId }: CheckoutSubject,
  since: number,
): Checkout[] {
  return db
    .select()
    .from(providerCheckouts)
    .where(
      and(
        eq(providerCheckouts.organizationId, organizationId),
        eq(providerCheckouts.purpose, purpose),
        tier === null ? isNull(providerCheckouts.tier) : eq(providerCheckouts.tier, tier),
        amountCents === null ? isNull(providerCheckouts.amountCents) : eq(providerCheckouts.amountCents, amountCents),
        currency === null ? isNull(providerCheckouts.currency) : eq(providerCheckouts.currency, currency),
        subscriptionId === null
          ? isNull(providerCheckouts.subscriptionId)
          : eq(providerCheckouts.subscriptionId, subscriptionId),
        inArray(providerCheckouts.state, ['opening', 'open']),
        gt(providerCheckouts.createdAt, since),
      ),
    )
    .orderBy(desc(providerCheckouts.createdAt), desc(providerCheckouts.id))
    .limit(10)
    .all();
}

/** Returns the checkout of the plan that an organization paid last. */
export function findNewestPaid({ db }: Queries, organizationId: string): Checkout | undefined {
  return db
    .select()
    .from(providerCheckouts)
    .where(
      and(
        eq(providerCheckouts.organizationId, organizationId),
        eq(providerCheckouts.purpose, 'subscription'),
        eq(providerCheckouts.state, 'completed'),
      ),
    )
    .orderBy(desc(providerCheckouts.completedAt), desc(providerCheckouts.id))
    .limit(1)
    .get();
}

/** Returns the events about a subscription that were received before it was known to be ours, in the order of their times. */
export function listHeldEvents({ db }: Queries, subscriptionId: string): ProviderEvent[] {
  return db
    .select()
    .from(providerEvents)
    .where(and(eq(providerEvents.subscriptionId, subscriptionId), eq(providerEvents.outcome, 'ignored')))
    .orderBy(providerEvents.occurredAt, providerEvents.eventId)
    .all()
    .map(({ eventId, type, occurredAt, held }) => ({
      id: eventId,
      type,
      occurredAt,
      data: JSON.parse(held ?? '{}') as Record<string, unknown>,
    }));
}

/** Adds an event. Returns false if it was received before. */
export function insertEvent(tx: Tx, row: ProviderEventRow): boolean {
  return tx.db.insert(providerEvents).values(row).onConflictDoNothing().run().changes === 1;
}

export function settleEvent(tx: Tx, eventId: string, changes: Partial<ProviderEventRow>): void {
  tx.db.update(providerEvents).set(changes).where(eq(providerEvents.eventId, eventId)).run();
}

export type TakenBack = typeof takenBackChargebacks.$inferSelect;

/**
 * Stores a report that a chargeback was taken back; of one adjustment, the first report counts. Returns what is to be given back
 * for it. The chargeback itself and a further adjustment can both report it. They don't name each other, and their amounts may
 * differ, so the larger sum of the two kinds of reports counts for each transaction, whichever arrives first.
 */
export function storeTakenBack(tx: Tx, given: TakenBack): number {
  const before = sumTakenBack(tx, given);
  tx.db.insert(takenBackChargebacks).values(given).onConflictDoNothing().run();
  return sumTakenBack(tx, given) - before;
}

function sumTakenBack({ db }: Tx, { transactionId, action }: TakenBack): number {
  const { amountCents, isItself, ...table } = getTableColumns(takenBackChargebacks);
  const sums = db
    .select({ cents: sql<number>`sum(${amountCents})` })
    .from(takenBackChargebacks)
    .where(and(eq(table.transactionId, transactionId), eq(table.action, action)))
    .groupBy(isItself)
    .all();
  return Math.max(0, ...sums.map(({ cents }) => cents));
}
