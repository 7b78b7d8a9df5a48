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

const insertRow = prepared((db) =>
  db
    .insert(downloads)
    .values({
      id: placeholder('id'),
      organizationId: placeholder('organizationId'),
      projectId: placeholder('projectId'),
      buildId: placeholder('buildId'),
      channelId: placeholder('channelId'),
      releaseId: placeholder('releaseId'),
      developerId: placeholder('developerId'),
      capabilityId: placeholder('capabilityId'),
      sdkInstallId: placeholder('sdkInstallId'),
      userAgent: placeholder('userAgent'),
      createdAt: placeholder('createdAt'),
    })
    .onConflictDoNothing({ target: downloads.capabilityId })
    .prepare(),
);

/** Records a download. Downloads of the same install capability are recorded once. Returns whether this one was. */
export function insertDownload(tx: Tx, row: Required<typeof downloads.$inferInsert>): boolean {
  return insertRow(tx).run(row).changes > 0;
}
