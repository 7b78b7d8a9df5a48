// Rows of releases with their builds, and the downloads they served.
import { and, count, countDistinct, desc, eq, isNull, lt, max, min, notExists, or, sql } from 'drizzle-orm';
import { placeholder } from 'drizzle-orm/sql/sql';
import { alias } from 'drizzle-orm/sqlite-core';
import type { App, Tx } from '../core/context.ts';
import { isAnyRemovalOpen, isNotRemoved } from '../core/removal.ts';
import { prepared } from '../data/database.ts';
import { builds, channels, developers, downloads, releases, sdkInstalls, sdkReports } from '../data/tables/tables.ts';
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
 * The newest active releases whose build is not revoked: the current one first, then what a rollback goes back to. The state is
 * part of the text, not a parameter: only so does SQLite use the index of active releases.
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

/** The same across the channels of a project. */
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

const channelIdsOf = prepared((db) =>
  db
    .select({ id: channels.id })
    .from(channels)
    .where(eq(channels.projectId, placeholder('projectId')))
    .prepare(),
);

const downloadsOf = prepared((db) =>
  db
    .select({ total: count() })
    .from(downloads)
    .where(eq(downloads.releaseId, placeholder('releaseId')))
    .prepare(),
);

const totalsOfRelease = prepared((db) =>
  db
    .select({
      downloads: count(),
      testers: countDistinct(downloads.developerId),
      first: min(downloads.createdAt),
      last: max(downloads.createdAt),
    })
    .from(downloads)
    .where(eq(downloads.releaseId, placeholder('releaseId')))
    .prepare(),
);

const earlierDownloads = alias(downloads, 'earlier_downloads');

/**
 * Downloads with what their installs reported since. An install has the place of what it did first and keeps it, so that
 * nobody moves from one page to another: of its downloads the first counts, and none when it had reported before.
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

/** Reports of installs that had it from elsewhere. The condition is a text: only so does SQLite use its index. */
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
    .select({ state: sdkReports.state, installs: count() })
    .from(sdkReports)
    .where(eq(sdkReports.releaseId, placeholder('releaseId')))
    .groupBy(sdkReports.state)
    .prepare(),
);

/** A release with its build, whoever asks; for access and for the public pages. */
export function findRelease(app: Db, id: string): ReleaseWithBuild | undefined {
  return byId(app).get({ id });
}

/** Where a release lies; for the access declarations. */
export function locateRelease(app: Db, id: string): Location | undefined {
  const row = findRelease(app, id)?.release;
  return row && { organizationId: row.organizationId, projectId: row.projectId, channelId: row.channelId };
}

/** A release of one project; not_found when it is absent or elsewhere. */
export function loadRelease(app: Db, projectId: string, id: string): ReleaseWithBuild {
  const row = findRelease(app, id);
  if (row === undefined || row.release.projectId !== projectId) throw notFound();
  return row;
}

/** One page of a channel's releases, newest first. */
export function listReleases(app: Db, channelId: string, before: string, limit: number): ReleaseWithBuild[] {
  return pageOfChannel(app).all({ channelId, before, limit });
}

/** What the channel serves now, followed by what it would serve after a rollback. */
export function listServable(app: Db, channelId: string, limit: number): ReleaseWithBuild[] {
  return servable(app).all({ channelId, limit });
}

/** The release that the channel serves now; undefined when it serves none. */
export function findCurrent(app: Db, channelId: string): ReleaseWithBuild | undefined {
  return listServable(app, channelId, 1)[0];
}

/**
 * The newest release that any channel of the project serves: the newest active one is the current one of its channel. While
 * rows of a deleted channel may be left, each channel is asked, as they could be the newest in any number.
 */
export function findNewest(app: Db, projectId: string): ReleaseWithBuild | undefined {
  if (!isAnyRemovalOpen(app)) return servableOfProject(app).get({ projectId });
  const current = channelIdsOf(app)
    .all({ projectId })
    .flatMap(({ id }) => findCurrent(app, id) ?? []);
  return current.toSorted((one, other) => (one.id < other.id ? 1 : -1))[0];
}

/** How many downloads are stamped with the release. */
export function countDownloads(app: Db, releaseId: string): number {
  return downloadsOf(app).get({ releaseId })?.total ?? 0;
}

export function insertRelease(tx: Tx, row: ReleaseRow): void {
  tx.db.insert(releases).values(row).run();
}

export function updateRelease(tx: Tx, id: string, changes: Partial<ReleaseRow>): void {
  tx.db.update(releases).set(changes).where(eq(releases.id, id)).run();
}

/** The releases of a build that were created at its upload by nobody in particular: the automatic ones, oldest first. */
export function listAutomaticReleases(app: Db, { id, uploadedAt }: BuildRow): ReleaseRow[] {
  return app.db
    .select()
    .from(releases)
    .where(and(eq(releases.buildId, id), eq(releases.createdAt, uploadedAt), isNull(releases.createdBy)))
    .orderBy(releases.id)
    .all();
}

/** Exactly the downloads stamped with the release, aggregated. */
export function totalDownloads(app: Db, releaseId: string) {
  return totalsOfRelease(app).get({ releaseId });
}

/** How many installs reported each state of the release last. */
export function totalReports(app: Db, releaseId: string) {
  return reportTotalsOfRelease(app).all({ releaseId });
}

/** One page of who took a release, newest first: downloads, with the reports that followed, and reports without a download. */
export function listTakers(app: Db, releaseId: string, before: string, limit: number) {
  const asked = { releaseId, before, limit };
  return [...reportsOfRelease(app).all(asked), ...downloadsOfRelease(app).all(asked)]
    .sort((left, right) => (left.id < right.id ? 1 : -1))
    .slice(0, limit);
}
