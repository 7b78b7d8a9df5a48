// Queries for builds and pending uploads.
import { and, count, desc, eq, isNotNull, isNull, lt, lte, max, type SQL } from 'drizzle-orm';
import { placeholder } from 'drizzle-orm/sql/sql';
import type { App, Tx } from '../core/context.ts';
import { isNotRemoved } from '../core/removal.ts';
import { prepared } from '../data/database.ts';
import { deleteUpTo } from '../data/queries.ts';
import { rowCacheOf } from '../data/row-cache.ts';
import {
  buildInspections,
  buildLabels,
  builds,
  pendingUploads,
  projects,
  repeatedUploads,
} from '../data/tables/tables.ts';
import type { Location } from '../http/operation.ts';
import { notFound } from '../lib/errors.ts';
import { labelKey } from './source-schema.ts';

export type BuildRow = typeof builds.$inferSelect;
export type PendingRow = typeof pendingUploads.$inferSelect;
export type InspectionRow = typeof buildInspections.$inferSelect;
export type BuildStatus = 'active' | 'revoked' | 'all';
type Db = Pick<App, 'db' | 'clock'>;

const byId = prepared((db) =>
  db
    .select()
    .from(builds)
    .where(and(eq(builds.id, placeholder('id')), isNotRemoved(builds.projectId)))
    .prepare(),
);

const byPendingUpload = prepared((db) =>
  db
    .select()
    .from(builds)
    .where(eq(builds.pendingUploadId, placeholder('pendingUploadId')))
    .prepare(),
);

const byRepeatedUpload = prepared((db) =>
  db
    .select({ build: builds })
    .from(repeatedUploads)
    .innerJoin(builds, eq(builds.id, repeatedUploads.buildId))
    .where(eq(repeatedUploads.pendingUploadId, placeholder('pendingUploadId')))
    .prepare(),
);

// The status is part of the SQL text, not a parameter, because SQLite uses the index of that status only then.
const pageQuery = (status: SQL | undefined) =>
  prepared((db) =>
    db
      .select()
      .from(builds)
      .where(and(eq(builds.projectId, placeholder('projectId')), lt(builds.id, placeholder('before')), status))
      .orderBy(desc(builds.id))
      .limit(placeholder('limit'))
      .prepare(),
  );
const pages = {
  active: pageQuery(isNull(builds.revokedAt)),
  revoked: pageQuery(isNotNull(builds.revokedAt)),
  all: pageQuery(undefined),
};

const pendingById = prepared((db) =>
  db
    .select()
    .from(pendingUploads)
    .where(eq(pendingUploads.id, placeholder('id')))
    .prepare(),
);

const inspectionOf = prepared((db) =>
  db
    .select()
    .from(buildInspections)
    .where(eq(buildInspections.buildId, placeholder('buildId')))
    .prepare(),
);

const projectFacts = prepared((db) =>
  db
    .select({ name: projects.name, bundleIdentifier: projects.bundleIdentifier })
    .from(projects)
    .where(eq(projects.id, placeholder('id')))
    .prepare(),
);

/**
 * Returns a build without checking permissions, for other domains and for the public pages, which check the channel or
 * capability. It isn't cached, because the statements of a page must not depend on whether others have read the build.
 */
export function findBuild(app: Db, id: string): BuildRow | undefined {
  return byId(app).get({ id });
}

/** The same for operations of members, which read it twice: once for the access check and once for the response. */
function recallBuild(app: Db, id: string): BuildRow | undefined {
  return rowCacheOf(app).getOrRead(byId, id, () => findBuild(app, id));
}

/** Returns the location of a build, for access declarations. */
export function locateBuild(app: Db, id: string): Location | undefined {
  return recallBuild(app, id);
}

/** Returns a build of a project. Throws `not_found` if it doesn't exist there. */
export function loadBuild(app: Db, projectId: string, id: string): BuildRow {
  const row = recallBuild(app, id);
  if (row === undefined || row.projectId !== projectId) throw notFound();
  return row;
}

/** Returns the build of a completed upload of the project: the one created from it, or the one that already had its package. */
export function findBuildOfUpload(app: Db, projectId: string, pendingUploadId: string): BuildRow | undefined {
  const row = byPendingUpload(app).get({ pendingUploadId }) ?? byRepeatedUpload(app).get({ pendingUploadId })?.build;
  return row?.projectId === projectId ? row : undefined;
}

/** Returns a page of a project's builds, newest first. */
export function listBuilds(
  app: Db,
  of: { projectId: string; status: BuildStatus; before: string; limit: number },
): BuildRow[] {
  const { status, ...values } = of;
  return pages[status](app).all(values);
}

export interface Identity {
  projectId: string;
  versionName: string;
  buildNumber: number;
}

export type Claim = { by: 'build'; buildId: string } | { by: 'upload' };

/**
 * Returns the owner of a version and build number: a build (also a revoked one), a pending upload (also an expired
 * one), or none.
 */
export function findClaim(app: Db, { projectId, versionName, buildNumber }: Identity): Claim | undefined {
  const claimed = (table: typeof builds | typeof pendingUploads) =>
    and(eq(table.projectId, projectId), eq(table.versionName, versionName), eq(table.buildNumber, buildNumber));
  const build = app.db.select({ id: builds.id }).from(builds).where(claimed(builds)).get();
  if (build !== undefined) return { by: 'build', buildId: build.id };
  const pending = app.db.select({ id: pendingUploads.id }).from(pendingUploads).where(claimed(pendingUploads)).get();
  return pending === undefined ? undefined : { by: 'upload' };
}

/** Returns the highest build number of a project's builds and pending uploads, or 0. One index seek each. */
export function findHighestNumber(app: Db, projectId: string): number {
  const highest = (table: typeof builds | typeof pendingUploads) =>
    app.db
      .select({ number: max(table.buildNumber) })
      .from(table)
      .where(eq(table.projectId, projectId))
      .get()?.number ?? 0;
  return Math.max(highest(builds), highest(pendingUploads));
}

/** Returns the number of the project's pending uploads, including expired ones that weren't deleted yet. */
export function countPending(app: Db, projectId: string): number {
  const row = app.db
    .select({ total: count() })
    .from(pendingUploads)
    .where(eq(pendingUploads.projectId, projectId))
    .get();
  return row?.total ?? 0;
}

/** Returns a pending upload of the project. */
export function findPending(app: Db, projectId: string, id: string): PendingRow | undefined {
  const row = pendingById(app).get({ id });
  return row?.projectId === projectId ? row : undefined;
}

/** Returns a pending upload of any project. */
export function findPendingById(app: Db, id: string): PendingRow | undefined {
  return pendingById(app).get({ id });
}

/** Returns whether an upload is pending. */
export function isPending(app: Db, id: string): boolean {
  return findPendingById(app, id) !== undefined;
}

/** Returns whether a build was created from an upload. */
export function isCompleted(app: Db, pendingUploadId: string): boolean {
  return byPendingUpload(app).get({ pendingUploadId }) !== undefined;
}

/** Returns expired pending uploads, oldest first. */
export function listExpired(app: Db, now: number, limit: number): PendingRow[] {
  return app.db
    .select()
    .from(pendingUploads)
    .where(lte(pendingUploads.expiresAt, now))
    .orderBy(pendingUploads.expiresAt)
    .limit(limit)
    .all();
}

export function insertPending(tx: Tx, row: PendingRow): void {
  tx.db.insert(pendingUploads).values(row).run();
}

export function deletePending(tx: Tx, id: string): void {
  tx.db.delete(pendingUploads).where(eq(pendingUploads.id, id)).run();
}

/** Remembers that the package of an upload already was a build. */
export function insertRepeated(tx: Tx, row: typeof repeatedUploads.$inferSelect): void {
  tx.db.insert(repeatedUploads).values(row).run();
}

/** Deletes up to `limit` of these memories whose upload would have expired. Returns the number deleted. */
export function deleteExpiredRepeated(tx: Tx, limit: number): number {
  return deleteUpTo(tx, repeatedUploads.pendingUploadId, lte(repeatedUploads.expiresAt, tx.now), limit);
}

export function insertBuild(tx: Tx, row: BuildRow, inspection: Omit<InspectionRow, 'buildId'>): void {
  tx.db.insert(builds).values(row).run();
  tx.db
    .insert(buildInspections)
    .values({ buildId: row.id, ...inspection })
    .run();
}

export function updateBuild(
  tx: Tx,
  id: string,
  changes: Partial<Pick<BuildRow, 'releaseNotes' | 'revokedAt' | 'iconColor' | 'pinnedAt' | 'retentionNoticeAt'>>,
): void {
  tx.db.update(builds).set(changes).where(eq(builds.id, id)).run();
}

/** Adds labels, which the build doesn't have yet. */
export function insertLabels(tx: Tx, { id: buildId, projectId }: BuildRow, labels: readonly string[]): void {
  if (labels.length === 0) return;
  tx.db
    .insert(buildLabels)
    .values(labels.map((label) => ({ buildId, projectId, key: labelKey(label), label })))
    .run();
}

export function deleteLabels(tx: Tx, buildId: string): void {
  tx.db.delete(buildLabels).where(eq(buildLabels.buildId, buildId)).run();
}

/** Returns the stored inspection of a build, its content as JSON text. */
export function findInspectionRow(app: Db, buildId: string): InspectionRow | undefined {
  return inspectionOf(app).get({ buildId });
}

/** Returns the project's values for the file name of a build and the comparison with the package. */
export function findProjectFacts(
  app: Db,
  projectId: string,
): { name: string; bundleIdentifier: string | null } | undefined {
  return projectFacts(app).get({ id: projectId });
}
