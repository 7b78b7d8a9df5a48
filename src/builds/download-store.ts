// Queries for downloads, which analytics are computed from.
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

/** Returns when the download of an install capability was recorded, in milliseconds since the epoch. */
export function findDownloadTime(app: Pick<App, 'db'>, capabilityId: string): number | undefined {
  return timeOfCapability(app).get({ capabilityId })?.createdAt;
}

/** Records a download. Downloads of the same install capability are recorded once. Returns whether this one was. */
export function insertDownload(tx: Tx, row: typeof downloads.$inferInsert): boolean {
  return tx.db.insert(downloads).values(row).onConflictDoNothing({ target: downloads.capabilityId }).run().changes > 0;
}
