// The ledger of organizations. Entries are only added, and the balance changes with them.
import { and, desc, eq, inArray, lt, sql } from 'drizzle-orm';
import type { Tx } from '../core/context.ts';
import { type Db, prepared } from '../data/database.ts';
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

/** What is used isn't recorded: a month has many entries. */
const events = {
  topup: 'credit.credited',
  refund: 'credit.refunded',
  forfeit: 'credit.forfeited',
  usage: undefined,
} as const;

/** The note of credit that a trial begins with, and that is forfeited at its end. Operators can write the same note. */
export const STARTER_CREDIT = 'Starter credit';

/** Identifies the starter credit of an organization. People can't set such an id, and the provider's have no hyphen. */
export const starterCreditId = (organizationId: string): string => `starter-credit:${organizationId}`;

const starterCredit = prepared((db) =>
  db.$client
    .prepare<[string, string], number>(
      `SELECT coalesce(sum(CASE WHEN kind = 'topup' THEN amount_cents ELSE -amount_cents END), 0) FROM credit_entries
        WHERE organization_id = ? AND (kind IN ('usage', 'forfeit') OR provider_id = ?)`,
    )
    .pluck(),
);

/** Returns what entries have left of the starter credit. It's used before other credit. */
export function findStarterCredit(tx: Tx, organizationId: string): number {
  return starterCredit(tx).get(organizationId, starterCreditId(organizationId)) ?? 0;
}

const shownEntries = prepared((db) =>
  db
    .select()
    .from(creditEntries)
    .where(
      and(
        eq(creditEntries.organizationId, sql.placeholder('organizationId')),
        inArray(creditEntries.kind, ['topup', 'refund']),
        lt(creditEntries.id, sql.placeholder('before')),
      ),
    )
    .orderBy(desc(creditEntries.id))
    .limit(sql.placeholder('limit'))
    .prepare(),
);

/** Returns top-ups and refunds, newest first. */
export function listShownEntries(ctx: { db: Db }, organizationId: string, before: string, limit: number): Row[] {
  return shownEntries(ctx).all({ organizationId, before, limit });
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
  const event = events[kind];
  const { operatorName = null } = entry;
  if (event !== undefined) {
    tx.record(event, {
      identifier: id,
      organizationId,
      details: {
        amount_cents: amountCents,
        source: entry.source,
        ...(operatorName === null ? {} : { operator_name: operatorName }),
      },
    });
  }
  if (kind === 'topup' && entry.source === 'paddle' && isFirstTopUp(tx, organizationId)) {
    tx.record('prepaid.enabled', { identifier: organizationId, organizationId });
  }
  return true;
}
