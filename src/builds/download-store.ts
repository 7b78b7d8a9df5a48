// Rows of downloads, from which analytics are counted.
import type { Tx } from '../platform/context.ts';
import { downloads } from '../platform/tables/tables.ts';

/** Stamps a download. One by an install capability is stamped once, however often it is asked for. */
export function insertDownload(tx: Tx, row: typeof downloads.$inferInsert): void {
  tx.db.insert(downloads).values(row).onConflictDoNothing({ target: downloads.capabilityId }).run();
}
