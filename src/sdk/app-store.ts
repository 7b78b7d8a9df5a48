// Queries for SDK apps.
import { and, desc, eq, lt, sql } from 'drizzle-orm';
import { placeholder } from 'drizzle-orm/sql/sql';
import type { App, Tx } from '../core/context.ts';
import { isNotRemoved } from '../core/removal.ts';
import { prepared } from '../data/database.ts';
import { rowCacheOf } from '../data/row-cache.ts';
import { sdkApps } from '../data/tables/tables.ts';
import type { Location } from '../http/operation.ts';
import { notFound } from '../lib/errors.ts';

export type SdkAppRow = typeof sdkApps.$inferSelect;
type Db = Pick<App, 'db'>;

/** Its channel and its project exist. */
const isServed = and(isNotRemoved(sdkApps.channelId), isNotRemoved(sdkApps.projectId));

const byId = prepared((db) =>
  db
    .select()
    .from(sdkApps)
    .where(and(eq(sdkApps.id, placeholder('id')), isServed))
    .prepare(),
);

const byKey = prepared((db) =>
  db
    .select()
    .from(sdkApps)
    .where(and(eq(sdkApps.appKey, placeholder('appKey')), isServed))
    .prepare(),
);

const pageOfProject = prepared((db) =>
  db
    .select()
    .from(sdkApps)
    .where(and(eq(sdkApps.projectId, placeholder('projectId')), lt(sdkApps.id, placeholder('before')), isServed))
    .orderBy(desc(sdkApps.id))
    .limit(placeholder('limit'))
    .prepare(),
);

/** Returns an SDK app without checking permissions. */
export function findSdkApp(app: Db, id: string): SdkAppRow | undefined {
  return byId(app).get({ id });
}

/** Returns the SDK app of a key. All its installs query it with each request. */
export function findSdkAppByKey(app: Db, appKey: string): SdkAppRow | undefined {
  return rowCacheOf(app).getOrRead(byKey, appKey, () => byKey(app).get({ appKey }));
}

/** Returns the location of an SDK app, for access declarations. */
export function locateSdkApp(app: Db, id: string): Location | undefined {
  const row = findSdkApp(app, id);
  return row && { organizationId: row.organizationId, projectId: row.projectId, channelId: row.channelId };
}

/** Returns an SDK app of a project. Throws `not_found` if it doesn't exist there. */
export function loadSdkApp(app: Db, projectId: string, id: string): SdkAppRow {
  const row = findSdkApp(app, id);
  if (row === undefined || row.projectId !== projectId) throw notFound();
  return row;
}

/** Returns a page of a project's SDK apps, newest first, including revoked ones. */
export function listSdkApps(app: Db, projectId: string, before: string, limit: number): SdkAppRow[] {
  return pageOfProject(app).all({ projectId, before, limit });
}

export function insertSdkApp(tx: Tx, row: SdkAppRow): void {
  tx.db.insert(sdkApps).values(row).run();
}

export function updateSdkApp(
  tx: Tx,
  id: string,
  changes: Partial<Pick<SdkAppRow, 'name' | 'channelId' | 'secretHash' | 'secretRotatedAt' | 'revokedAt'>>,
): void {
  tx.db.update(sdkApps).set(changes).where(eq(sdkApps.id, id)).run();
}

/** Changes the number of installs, by a negative number if installs were deleted. */
export function addToInstallCount(tx: Tx, id: string, change: number): void {
  tx.db
    .update(sdkApps)
    .set({ installCount: sql`${sdkApps.installCount} + ${change}` })
    .where(eq(sdkApps.id, id))
    .run();
}
