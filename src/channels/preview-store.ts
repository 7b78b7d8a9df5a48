// Queries for previews.
import { and, asc, count, desc, eq, lt, lte } from 'drizzle-orm';
import type { App, Tx } from '../core/context.ts';
import { isNotRemoved } from '../core/removal.ts';
import { channels, previews } from '../data/tables/tables.ts';
import type { Location } from '../http/operation.ts';
import type { ChannelRow } from './store.ts';

export type PreviewRow = typeof previews.$inferSelect;
export interface PreviewWithChannel {
  preview: PreviewRow;
  channel: ChannelRow;
}
type Db = Pick<App, 'db'>;

const withChannel = ({ db }: Db) =>
  db
    .select({ preview: previews, channel: channels })
    .from(previews)
    .innerJoin(channels, eq(channels.id, previews.channelId));

/** Returns the open preview of a pull request in a project. */
export function findPreview(app: Db, projectId: string, pullRequest: number): PreviewWithChannel | undefined {
  return withChannel(app)
    .where(and(eq(previews.projectId, projectId), eq(previews.pullRequest, pullRequest)))
    .get();
}

/** Returns an open preview by its id, without checking permissions. */
export function findPreviewById(app: Db, id: string): PreviewWithChannel | undefined {
  return withChannel(app)
    .where(and(eq(previews.id, id), isNotRemoved(previews.projectId)))
    .get();
}

/** Returns the location of a preview, for access declarations. */
export function locatePreview(app: Db, id: string): Location | undefined {
  const { channel } = findPreviewById(app, id) ?? {};
  return channel && { organizationId: channel.organizationId, projectId: channel.projectId, channelId: channel.id };
}

/** Returns a page of a project's open previews, newest first. */
export function listPreviews(app: Db, projectId: string, before: string, limit: number): PreviewWithChannel[] {
  return withChannel(app)
    .where(and(eq(previews.projectId, projectId), lt(previews.id, before)))
    .orderBy(desc(previews.id))
    .limit(limit)
    .all();
}

/** Returns previews that have been quiet for long enough, the oldest first. */
export function listQuietPreviews(app: Db, now: number, limit: number): PreviewWithChannel[] {
  return withChannel(app)
    .where(and(lte(previews.endsAt, now), isNotRemoved(previews.projectId)))
    .orderBy(asc(previews.endsAt))
    .limit(limit)
    .all();
}

/** Returns the number of a project's open previews, which a limit bounds. */
export function countPreviews(app: Db, projectId: string): number {
  const row = app.db.select({ total: count() }).from(previews).where(eq(previews.projectId, projectId)).get();
  return row?.total ?? 0;
}

export function insertPreview(tx: Tx, row: PreviewRow): void {
  tx.db.insert(previews).values(row).run();
}

export function updatePreviewEnd(tx: Tx, id: string, endsAt: number): void {
  tx.db.update(previews).set({ endsAt }).where(eq(previews.id, id)).run();
}

export function deletePreview(tx: Tx, id: string): void {
  tx.db.delete(previews).where(eq(previews.id, id)).run();
}
