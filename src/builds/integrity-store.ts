// Queries for stored packages: their hash, their last verification and their problem.
import { and, asc, eq, isNotNull, lt, lte, not, sql } from 'drizzle-orm';
import { placeholder } from 'drizzle-orm/sql/sql';
import type { App, Tx } from '../core/context.ts';
import { prepared } from '../data/database.ts';
import { builds, packageIntegrity } from '../data/tables/tables.ts';

export type IntegrityRow = typeof packageIntegrity.$inferSelect;
export type PackageProblem = NonNullable<IntegrityRow['problem']>;
type Db = Pick<App, 'db'>;

const byBuild = prepared((db) =>
  db
    .select()
    .from(packageIntegrity)
    .where(eq(packageIntegrity.buildId, placeholder('buildId')))
    .prepare(),
);

const packageOfUpload = prepared((db) =>
  db
    .select({ buildId: builds.id, sizeBytes: builds.sizeBytes, integrity: packageIntegrity })
    .from(builds)
    .leftJoin(packageIntegrity, eq(packageIntegrity.buildId, builds.id))
    .where(eq(builds.pendingUploadId, placeholder('uploadId')))
    .prepare(),
);

/** Returns the integrity record of a build's package, or undefined if there is none. */
export function findIntegrity(app: Db, buildId: string): IntegrityRow | undefined {
  return byBuild(app).get({ buildId });
}

/** Returns the size and integrity of the package of an upload. */
export function findPackageOfUpload(app: Db, uploadId: string) {
  return packageOfUpload(app).get({ uploadId });
}

export function saveIntegrity(tx: Tx, row: IntegrityRow): void {
  const { buildId, ...changes } = row;
  tx.db
    .insert(packageIntegrity)
    .values({ buildId, ...changes })
    .onConflictDoUpdate({ target: packageIntegrity.buildId, set: changes })
    .run();
}

/**
 * Packages in containers of organizations, which are read only while they can be used. Without `isRepeated`, only once, because the
 * organization pays for it.
 */
const inContainer = (isRepeated: boolean) => sql`EXISTS (SELECT 1 FROM builds JOIN object_places USING (object_key)
  JOIN customer_containers ON customer_containers.id = substr(object_places.backend, 7)
  WHERE builds.id = ${packageIntegrity.buildId}
    AND (${isRepeated ? sql`0` : sql`${packageIntegrity.verifiedAt} > 0`} OR unreachable_since IS NOT NULL))`;

/** Returns builds whose package was last verified before a moment, oldest first. */
export function listUnverified(app: Db, before: number, limit: number): string[] {
  const { buildId, verifiedAt } = packageIntegrity;
  const rows = app.db
    .select({ buildId })
    .from(packageIntegrity)
    .where(and(lte(verifiedAt, before), not(inContainer(false))));
  return rows
    .orderBy(asc(verifiedAt))
    .limit(limit)
    .all()
    .map((row) => row.buildId);
}

/** Makes a package that couldn't be read due later. */
export function postponeVerification(app: Db, buildId: string, verifiedAt: number): void {
  app.db
    .update(packageIntegrity)
    .set({ verifiedAt: sql`max(${packageIntegrity.verifiedAt}, ${verifiedAt})` })
    .where(eq(packageIntegrity.buildId, buildId))
    .run();
}

/** Returns builds whose package has a known problem and was last verified before a moment, oldest first. */
export function listProblems(app: Db, before: number, limit: number): string[] {
  const { buildId, problem, verifiedAt } = packageIntegrity;
  const rows = app.db.select({ buildId }).from(packageIntegrity);
  return rows
    .where(and(isNotNull(problem), lt(verifiedAt, before), not(inContainer(true))))
    .orderBy(asc(verifiedAt))
    .limit(limit)
    .all()
    .map((row) => row.buildId);
}
