// Rows of downloads, from which analytics are counted.
import { eq } from 'drizzle-orm';
import { placeholder } from 'drizzle-orm/sql/sql';
import type { App, Tx } from '../core/context.ts';
import { prepared } from '../data/database.ts';
import { downloads } from '../data/tables/tables.ts';

const timeOfCapability = prepared((db) =>
  db
    .select({ createdAt: downloads.createdAt })
    .from(downloads)
    .where(eq(downloads.capabilityId, placeholder('capabilityId')))
    .prepare(),
);

/** When the download by an install capability was stamped, in milliseconds since the epoch. */
export function findDownloadTime(app: Pick<App, 'db'>, capabilityId: string): number | undefined {
  return timeOfCapability(app).get({ capabilityId })?.createdAt;
}

/** Stamps a download. One by an install capability is stamped once, however often it is asked for. */
export function insertDownload(tx: Tx, row: typeof downloads.$inferInsert): void {
  tx.db.insert(downloads).values(row).onConflictDoNothing({ target: downloads.capabilityId }).run();
}
