// The ledger of organizations. Entries are only added, and the balance changes with them.
import { and, eq, sql } from 'drizzle-orm';
import type { Tx } from '../core/context.ts';
import { billingAccounts, creditEntries } from '../data/tables/tables.ts';

type Row = typeof creditEntries.$inferSelect;
export type NewEntry = Pick<Row, 'organizationId' | 'kind' | 'amountCents' | 'source'> & Partial<Row>;

function isFirstTopUp(tx: Tx, organizationId: string): boolean {
  const earlier = and(
    eq(creditEntries.organizationId, organizationId),
    eq(creditEntries.kind, 'topup'),
    eq(creditEntries.source, 'paddle'),
  );
  return tx.db.select({ id: creditEntries.id }).from(creditEntries).where(earlier).limit(2).all().length === 1;
}

/** Adds an entry. Returns false if there is one with its provider id. */
export function addEntry(tx: Tx, entry: NewEntry): boolean {
  const { organizationId, kind, amountCents } = entry;
  const id = tx.ids.next();
  const row = { operatorName: null, note: null, feeCents: null, providerId: null, ...entry, id, createdAt: tx.now };
  if (tx.db.insert(creditEntries).values(row).onConflictDoNothing().run().changes === 0) return false;
  const signed = kind === 'topup' ? amountCents : -amountCents;
  tx.db
    .update(billingAccounts)
    .set({ balanceCents: sql`${billingAccounts.balanceCents} + ${signed}` })
    .where(eq(billingAccounts.organizationId, organizationId))
    .run();
  tx.record(kind === 'topup' ? 'credit.credited' : 'credit.refunded', {
    identifier: id,
    organizationId,
    details: { amount_cents: amountCents, source: entry.source },
  });
  if (kind === 'topup' && entry.source === 'paddle' && isFirstTopUp(tx, organizationId)) {
    tx.record('prepaid.enabled', { identifier: organizationId, organizationId });
  }
  return true;
}
