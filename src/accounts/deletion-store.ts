// Queries for deleting accounts.
import { and, eq, isNotNull, lte } from 'drizzle-orm';
import type { App, Removal, Tx } from '../core/context.ts';
import { prepared } from '../data/database.ts';
import { developers, organizationMemberships, organizations } from '../data/tables/tables.ts';
import type { DeveloperRow } from '../developers/store.ts';

type Db = Pick<App, 'db'>;

/** Returns the organizations that a developer administers. */
export function listAdministered({ db }: Db, developerId: string): { id: string; name: string }[] {
  return db
    .select({ id: organizations.id, name: organizations.name })
    .from(organizationMemberships)
    .innerJoin(organizations, eq(organizations.id, organizationMemberships.organizationId))
    .where(and(eq(organizationMemberships.developerId, developerId), eq(organizationMemberships.role, 'admin')))
    .all();
}

/** Returns accounts whose grace period has ended. */
export function listDueAccounts({ db }: Db, now: number, limit: number): DeveloperRow[] {
  return db
    .select()
    .from(developers)
    .where(and(isNotNull(developers.deletionDueAt), lte(developers.deletionDueAt, now)))
    .limit(limit)
    .all();
}

const deleteNewestOfTrail = prepared((db) =>
  db.$client.prepare<[string, number]>(
    `DELETE FROM audit_events WHERE id IN (
      SELECT id FROM audit_events WHERE chain = ? ORDER BY sequence DESC LIMIT ?)`,
  ),
);

const deleteNotes = ['audit_checkpoints', 'audit_notices'].map((table) =>
  prepared((db) => db.$client.prepare<[string]>(`DELETE FROM ${table} WHERE chain = ?`)),
);

/** Sorts after every id. */
const AFTER_ALL_IDS = 'g';

const deleteMailsTo = prepared((db) =>
  db.$client.prepare<[string, string, number]>(
    'DELETE FROM outbox_mails WHERE rowid IN (SELECT rowid FROM outbox_mails WHERE recipient = ? AND id < ? LIMIT ?)',
  ),
);

/**
 * Deletes up to `max` rows about a deleted account that don't refer to it: its own audit trail, from the newest event
 * back, so that the rest of the chain stays valid, and the earlier emails to its address if that was verified: later ones are for
 * an invitation or a new account. Returns the number deleted.
 */
export function deleteTraces(tx: Tx, { rootId, facts }: Removal, max: number): number {
  const events = deleteNewestOfTrail(tx).run(rootId, max).changes;
  if (events > 0) return events;
  const notes = deleteNotes.reduce((total, statement) => total + statement(tx).run(rootId).changes, 0);
  if (notes > 0) return notes;
  const { address, nextMailId } = facts;
  if (typeof address !== 'string') return 0;
  // Deletions that an earlier version began have no id.
  return deleteMailsTo(tx).run(address, nextMailId ?? AFTER_ALL_IDS, max).changes;
}
