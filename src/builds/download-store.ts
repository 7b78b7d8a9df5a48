// Queries for downloads, which analytics are computed from.
import { eq } from 'drizzle-orm';
import { placeholder } from 'drizzle-orm/sql/sql';
import type { App, Removal, Tx } from '../core/context.ts';
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

interface StoredDownload {
  position: number;
  channelId: string | null;
  releaseId: string | null;
}

/** Each has eight indexes. */
const COST_OF_DOWNLOAD = 8;

const oldestOfProject = prepared((db) =>
  db.$client.prepare<[string, number], StoredDownload>(
    `SELECT rowid AS position, channel_id AS channelId, release_id AS releaseId FROM downloads WHERE project_id = ?
      ORDER BY created_at LIMIT ?`,
  ),
);

const deleteRow = prepared((db) => db.$client.prepare<[number]>('DELETE FROM downloads WHERE rowid = ?'));

const deleteTotals = prepared((db) =>
  [
    'DELETE FROM download_sums WHERE subject_id IN (SELECT subject_id FROM download_sums WHERE subject_id = ? LIMIT ?)',
    `DELETE FROM download_totals WHERE (subject_id, build_id) IN (
      SELECT subject_id, build_id FROM download_totals WHERE subject_id = ? LIMIT ?)`,
    `DELETE FROM download_days WHERE (channel_id, day) IN (
      SELECT channel_id, day FROM download_days WHERE channel_id = ? LIMIT ?)`,
  ].map((text) => db.$client.prepare<[string, number]>(text)),
);

/**
 * Deletes downloads of a deleted project, at the cost of up to `max` rows, and before them the totals of their releases and channels, which
 * nothing can read anymore. Returns the cost.
 */
export function deleteDownloadsOf(tx: Tx, { rootId }: Pick<Removal, 'rootId'>, max: number): number {
  const some = oldestOfProject(tx).all(rootId, Math.ceil(max / COST_OF_DOWNLOAD));
  const subjects = new Set(some.flatMap(({ channelId, releaseId }) => [channelId, releaseId]));
  let totals = 0;
  for (const subject of subjects) {
    if (subject === null) continue;
    for (const statement of deleteTotals(tx)) {
      if (totals < max) totals += statement.run(subject, max - totals).changes;
    }
  }
  if (totals > 0) return totals;
  for (const { position } of some) deleteRow(tx).run(position);
  return some.length * COST_OF_DOWNLOAD;
}
