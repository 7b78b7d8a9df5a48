// Queries for channels and their downloads.
import { and, count, desc, eq, lt, notExists } from 'drizzle-orm';
import { placeholder } from 'drizzle-orm/sql/sql';
import type { App, Tx } from '../core/context.ts';
import { isNotRemoved } from '../core/removal.ts';
import { prepared } from '../data/database.ts';
import { channels, previews, releases, sdkApps } from '../data/tables/tables.ts';
import type { Location } from '../http/operation.ts';
import { notFound } from '../lib/errors.ts';

export type ChannelRow = typeof channels.$inferSelect;
type Db = Pick<App, 'db'>;

const byId = prepared((db) =>
  db
    .select()
    .from(channels)
    .where(and(eq(channels.id, placeholder('id')), isNotRemoved(channels.projectId)))
    .prepare(),
);

const pageOfProject = prepared((db) =>
  db
    .select()
    .from(channels)
    .where(and(eq(channels.projectId, placeholder('projectId')), lt(channels.id, placeholder('before'))))
    .orderBy(desc(channels.id))
    .limit(placeholder('limit'))
    .prepare(),
);

const newestOfProject = prepared((db) =>
  db
    .select()
    .from(channels)
    .where(
      and(
        eq(channels.projectId, placeholder('projectId')),
        notExists(db.select({ id: previews.id }).from(previews).where(eq(previews.channelId, channels.id))),
      ),
    )
    .orderBy(desc(channels.id))
    .limit(placeholder('limit'))
    .prepare(),
);

/** Returns a channel by its id without checking permissions, for access checks and the public pages. */
export function findChannel(app: Db, id: string): ChannelRow | undefined {
  return byId(app).get({ id });
}

/** Returns the location of a channel, for access declarations. */
export function locateChannel(app: Db, id: string): Location | undefined {
  const row = findChannel(app, id);
  return row && { organizationId: row.organizationId, projectId: row.projectId, channelId: row.id };
}

/** Returns a channel of a project. Throws `not_found` if it doesn't exist there. */
export function loadChannel(app: Db, projectId: string, id: string): ChannelRow {
  const row = findChannel(app, id);
  if (row === undefined || row.projectId !== projectId) throw notFound();
  return row;
}

/** Returns a page of a project's channels, newest first. */
export function listChannels(app: Db, projectId: string, before: string, limit: number): ChannelRow[] {
  return pageOfProject(app).all({ projectId, before, limit });
}

/** Returns the newest channels of a project, newest first, without those of previews. */
export function listLastingChannels(app: Db, projectId: string, limit: number): ChannelRow[] {
  return newestOfProject(app).all({ projectId, limit });
}

/** Returns the channels of a project that get completed uploads automatically. */
export function listAutoChannels(app: Db, projectId: string): ChannelRow[] {
  return app.db
    .select()
    .from(channels)
    .where(and(eq(channels.projectId, projectId), eq(channels.autoDistribute, true)))
    .orderBy(channels.id)
    .all();
}

/** Returns whether a channel of the project has the name. */
export function isNameTaken(app: Db, projectId: string, name: string): boolean {
  const row = app.db
    .select({ id: channels.id })
    .from(channels)
    .where(and(eq(channels.projectId, projectId), eq(channels.name, name)))
    .get();
  return row !== undefined;
}

export function insertChannel(tx: Tx, row: ChannelRow): void {
  tx.db.insert(channels).values(row).run();
}

export function updateChannel(tx: Tx, id: string, changes: Partial<ChannelRow>): void {
  tx.db.update(channels).set(changes).where(eq(channels.id, id)).run();
}

/** Counts a channel's releases in any state up to `most`, without those that are being deleted with their build. */
export function countReleases(app: Db, channelId: string, most: number): number {
  const isOfChannel = and(eq(releases.channelId, channelId), isNotRemoved(releases.buildId));
  const some = app.db.select({ id: releases.id }).from(releases).where(isOfChannel).limit(most).as('some');
  return app.db.select({ total: count() }).from(some).get()?.total ?? 0;
}

/** Returns the number of a channel's SDK apps, including revoked ones. */
export function countSdkApps(app: Db, channelId: string): number {
  return app.db.select({ total: count() }).from(sdkApps).where(eq(sdkApps.channelId, channelId)).get()?.total ?? 0;
}
