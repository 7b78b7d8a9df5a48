// Queries for releases with their builds and downloads.
import { and, desc, eq, isNull, lt, notExists, or, sql } from 'drizzle-orm';
import { placeholder } from 'drizzle-orm/sql/sql';
import { alias } from 'drizzle-orm/sqlite-core';
import type { App, Tx } from '../core/context.ts';
import { isAnyRemovalOpen, isNotRemoved, notRemoved } from '../core/removal.ts';
import { prepared } from '../data/database.ts';
import {
  builds,
  channels,
  developers,
  downloads,
  releases,
  reportDays,
  sdkInstalls,
  sdkReports,
} from '../data/tables/tables.ts';
import type { Location } from '../http/operation.ts';
import { notFound } from '../lib/errors.ts';

export type ReleaseRow = typeof releases.$inferSelect;
export type BuildRow = typeof builds.$inferSelect;
export interface ReleaseWithBuild {
  id: string;
  release: ReleaseRow;
  build: BuildRow;
}
type Db = Pick<App, 'db'>;

const columns = { id: releases.id, release: releases, build: builds };

const byId = prepared((db) =>
  db
    .select(columns)
    .from(releases)
    .innerJoin(builds, eq(builds.id, releases.buildId))
    .where(and(eq(releases.id, placeholder('id')), isNotRemoved(releases.channelId), isNotRemoved(releases.projectId)))
    .prepare(),
);

const pageOfChannel = prepared((db) =>
  db
    .select(columns)
    .from(releases)
    .innerJoin(builds, eq(builds.id, releases.buildId))
    .where(and(eq(releases.channelId, placeholder('channelId')), lt(releases.id, placeholder('before'))))
    .orderBy(desc(releases.id))
    .limit(placeholder('limit'))
    .prepare(),
);

/**
 * The newest active releases whose build isn't revoked: first the current one, then the target of a rollback. The state
 * is part of the SQL text, not a parameter, because SQLite uses the index of active releases only then.
 */
const servable = prepared((db) =>
  db
    .select(columns)
    .from(releases)
    .innerJoin(builds, eq(builds.id, releases.buildId))
    .where(
      and(
        eq(releases.channelId, placeholder('channelId')),
        sql`${releases.state} = 'active'`,
        isNull(builds.revokedAt),
      ),
    )
    .orderBy(desc(releases.id))
    .limit(placeholder('limit'))
    .prepare(),
);

/** The same for all channels of a project. */
const servableOfProject = prepared((db) =>
  db
    .select(columns)
    .from(releases)
    .innerJoin(builds, eq(builds.id, releases.buildId))
    .where(
      and(
        eq(releases.projectId, placeholder('projectId')),
        sql`${releases.state} = 'active'`,
        isNull(builds.revokedAt),
      ),
    )
    .orderBy(desc(releases.id))
    .limit(1)
    .prepare(),
);

/** Releases of the build in which the channel of a promotion is searched, so that reads stay cheap. */
const MAX_SEARCHED = 100;

/**
 * The newest release of the build to another channel before a release. The SQL text is exported for a test of its query
 * plan.
 */
export const PROMOTION_SOURCE = `
  SELECT c.id AS channel_id, c.name FROM (
    SELECT id, channel_id FROM releases WHERE build_id = @buildId AND id < @id ORDER BY id DESC LIMIT @max) r
    JOIN channels c ON c.id = r.channel_id
   WHERE r.channel_id <> @channelId AND ${notRemoved('r.channel_id')}
   ORDER BY r.id DESC LIMIT 1`;
const promotionSource = prepared((db) =>
  db.$client.prepare<
    [{ buildId: string; id: string; channelId: string; max: number }],
    { channel_id: string; name: string }
  >(PROMOTION_SOURCE),
);

const displayNameOf = prepared((db) =>
  db
    .select({ name: developers.displayName })
    .from(developers)
    .where(eq(developers.id, placeholder('id')))
    .prepare(),
);

const channelIdsOf = prepared((db) =>
  db
    .select({ id: channels.id })
    .from(channels)
    .where(eq(channels.projectId, placeholder('projectId')))
    .prepare(),
);

const earlierDownloads = alias(downloads, 'earlier_downloads');

/**
 * Downloads with the later reports of their SDK installs. Each install appears once, at the position of its first
 * download or report, so that it never moves between pages.
 */
const downloadsOfRelease = prepared((db) =>
  db
    .select({
      id: downloads.id,
      developerId: downloads.developerId,
      displayName: developers.displayName,
      installId: sdkInstalls.installId,
      deviceModel: sdkInstalls.deviceModel,
      state: sql<typeof sdkReports.$inferSelect.state>`coalesce(${sdkReports.state}, 'downloaded')`,
      error: sdkReports.error,
      createdAt: downloads.createdAt,
      updatedAt: sql<number>`coalesce(${sdkReports.updatedAt}, ${downloads.createdAt})`,
    })
    .from(downloads)
    .leftJoin(developers, eq(developers.id, downloads.developerId))
    .leftJoin(sdkInstalls, eq(sdkInstalls.id, downloads.sdkInstallId))
    .leftJoin(
      sdkReports,
      and(eq(sdkReports.installRowId, downloads.sdkInstallId), eq(sdkReports.releaseId, downloads.releaseId)),
    )
    .where(
      and(
        eq(downloads.releaseId, placeholder('releaseId')),
        lt(downloads.id, placeholder('before')),
        or(isNull(sdkReports.id), eq(sdkReports.followsDownload, true)),
        notExists(
          db
            .select({ id: earlierDownloads.id })
            .from(earlierDownloads)
            .where(
              and(
                eq(earlierDownloads.sdkInstallId, downloads.sdkInstallId),
                eq(earlierDownloads.releaseId, downloads.releaseId),
                lt(earlierDownloads.id, downloads.id),
              ),
            ),
        ),
      ),
    )
    .orderBy(desc(downloads.id))
    .limit(placeholder('limit'))
    .prepare(),
);

/**
 * Reports of SDK installs without a download. The condition is part of the SQL text because SQLite uses its index only
 * then.
 */
const reportsOfRelease = prepared((db) =>
  db
    .select({
      id: sdkReports.id,
      developerId: sql<null>`null`,
      displayName: sql<null>`null`,
      installId: sdkInstalls.installId,
      deviceModel: sdkInstalls.deviceModel,
      state: sdkReports.state,
      error: sdkReports.error,
      createdAt: sdkReports.createdAt,
      updatedAt: sdkReports.updatedAt,
    })
    .from(sdkReports)
    .innerJoin(sdkInstalls, eq(sdkInstalls.id, sdkReports.installRowId))
    .where(
      and(
        eq(sdkReports.releaseId, placeholder('releaseId')),
        lt(sdkReports.id, placeholder('before')),
        sql`${sdkReports.followsDownload} = 0`,
      ),
    )
    .orderBy(desc(sdkReports.id))
    .limit(placeholder('limit'))
    .prepare(),
);

const reportTotalsOfRelease = prepared((db) =>
  db
    .select({ state: reportDays.state, installs: sql<number>`sum(${reportDays.reports})` })
    .from(reportDays)
    .where(eq(reportDays.subjectId, placeholder('releaseId')))
    .groupBy(reportDays.state)
    .prepare(),
);

/** Returns a release with its build without checking permissions, for access checks and the public pages. */
export function findRelease(app: Db, id: string): ReleaseWithBuild | undefined {
  return byId(app).get({ id });
}

/** Returns whether a release exists and is neither disabled nor rolled back. */
export function isActiveRelease(app: Db, id: string): boolean {
  return findRelease(app, id)?.release.state === 'active';
}

/** Returns the location of a release, for access declarations. */
export function locateRelease(app: Db, id: string): Location | undefined {
  const row = findRelease(app, id)?.release;
  return row && { organizationId: row.organizationId, projectId: row.projectId, channelId: row.channelId };
}

/** Returns a release of a project. Throws `not_found` if it doesn't exist there. */
export function loadRelease(app: Db, projectId: string, id: string): ReleaseWithBuild {
  const row = findRelease(app, id);
  if (row === undefined || row.release.projectId !== projectId) throw notFound();
  return row;
}

/** Returns a page of a channel's releases, newest first. */
export function listReleases(app: Db, channelId: string, before: string, limit: number): ReleaseWithBuild[] {
  return pageOfChannel(app).all({ channelId, before, limit });
}

/** Returns the current release of a channel, followed by the targets of rollbacks. */
export function listServable(app: Db, channelId: string, limit: number): ReleaseWithBuild[] {
  return servable(app).all({ channelId, limit });
}

/** Returns the current release of a channel, or undefined. */
export function findCurrent(app: Db, channelId: string): ReleaseWithBuild | undefined {
  return listServable(app, channelId, 1)[0];
}

const servableOfBuild = prepared((db) =>
  db.$client.prepare<[string, string]>(
    `SELECT 1 FROM builds b JOIN releases r ON r.build_id = b.id
      WHERE b.id = ? AND b.revoked_at IS NULL AND r.channel_id = ? AND r.state = 'active' LIMIT 1`,
  ),
);

/** Returns whether a channel has an active release of a build that isn't revoked, which may be its current one. */
export function hasServable(app: Db, channelId: string, buildId: string): boolean {
  return servableOfBuild(app).get(buildId, channelId) !== undefined;
}

/**
 * Returns the newest current release of a project's channels. Normally that is the newest active release. While rows of
 * a deleted channel may remain, each channel is queried, because any number of them could be newer.
 */
export function findNewest(app: Db, projectId: string): ReleaseWithBuild | undefined {
  if (!isAnyRemovalOpen(app)) return servableOfProject(app).get({ projectId });
  const current = channelIdsOf(app)
    .all({ projectId })
    .flatMap(({ id }) => findCurrent(app, id) ?? []);
  return current.toSorted((one, other) => (one.id < other.id ? 1 : -1))[0];
}

/**
 * Returns the channel that a release was promoted from: that of the build's previous release to another one. Returns
 * undefined if the build's last 100 releases before it were to the same channel.
 */
export function findPromotionSource(
  app: Db,
  { id, buildId, channelId }: ReleaseRow,
): { channel_id: string; name: string } | undefined {
  return promotionSource(app).get({ id, buildId, channelId, max: MAX_SEARCHED });
}

/** Returns the current name of a developer, or undefined if the account was deleted. */
export function findDisplayName(app: Db, id: string): string | undefined {
  return displayNameOf(app).get({ id })?.name;
}

export function insertRelease(tx: Tx, row: ReleaseRow): void {
  tx.db.insert(releases).values(row).run();
}

export function updateRelease(tx: Tx, id: string, changes: Partial<ReleaseRow>): void {
  tx.db.update(releases).set(changes).where(eq(releases.id, id)).run();
}

/** Returns the automatic releases of a build, oldest first. */
export function listAutomaticReleases(app: Db, { id }: BuildRow): ReleaseRow[] {
  return app.db
    .select()
    .from(releases)
    .where(and(eq(releases.buildId, id), eq(releases.isAutomatic, true)))
    .orderBy(releases.id)
    .all();
}

/** Returns the number of installs by their last reported state of a release. */
export function totalReports(app: Db, releaseId: string) {
  return reportTotalsOfRelease(app).all({ releaseId });
}

/**
 * Returns a page of the installs of a release, newest first: downloads with their later reports, and reports without a
 * download.
 */
export function listAdopters(app: Db, releaseId: string, before: string, limit: number) {
  const asked = { releaseId, before, limit };
  return [...reportsOfRelease(app).all(asked), ...downloadsOfRelease(app).all(asked)]
    .sort((left, right) => (left.id < right.id ? 1 : -1))
    .slice(0, limit);
}
