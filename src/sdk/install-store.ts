// Queries for installs and their update tokens.
import { and, count, desc, eq, gt, inArray, isNull, lt, lte } from 'drizzle-orm';
import { placeholder } from 'drizzle-orm/sql/sql';
import { alias } from 'drizzle-orm/sqlite-core';
import type { App, Tx } from '../core/context.ts';
import { prepared } from '../data/database.ts';
import { deleteUpTo } from '../data/queries.ts';
import { rowCacheOf } from '../data/row-cache.ts';
import { sdkInstalls, sdkReports, sdkTokens } from '../data/tables/tables.ts';

export type InstallRow = typeof sdkInstalls.$inferSelect;
export type TokenRow = typeof sdkTokens.$inferSelect;
export type ReportRow = typeof sdkReports.$inferSelect;
type Db = Pick<App, 'db'>;

export interface ListedInstall {
  id: string;
  install: InstallRow;
  report: ReportRow | null;
}

/** The token data required by a request of an install. */
export interface HeldToken {
  installRowId: string;
  expiresAt: number;
  seenAt: number;
  versionName: string | null;
  buildNumber: number | null;
}

const heldToken = prepared((db) =>
  db.$client.prepare<[string], HeldToken>(
    `SELECT install_row_id AS installRowId, expires_at AS expiresAt, seen_at AS seenAt, version_name AS versionName,
      build_number AS buildNumber
    FROM sdk_tokens WHERE token_hash = ?`,
  ),
);

const latestReports = alias(sdkReports, 'latest_reports');

const installById = prepared((db) =>
  db
    .select()
    .from(sdkInstalls)
    .where(eq(sdkInstalls.id, placeholder('id')))
    .prepare(),
);

const installByIdentity = prepared((db) =>
  db
    .select()
    .from(sdkInstalls)
    .where(and(eq(sdkInstalls.sdkAppId, placeholder('sdkAppId')), eq(sdkInstalls.installId, placeholder('installId'))))
    .prepare(),
);

/** With its last report of the few that each install has. */
const pageOfApp = prepared((db) =>
  db
    .select({ id: sdkInstalls.id, install: sdkInstalls, report: sdkReports })
    .from(sdkInstalls)
    .leftJoin(
      sdkReports,
      eq(
        sdkReports.id,
        db
          .select({ id: latestReports.id })
          .from(latestReports)
          .where(eq(latestReports.installRowId, sdkInstalls.id))
          .orderBy(desc(latestReports.updatedAt), desc(latestReports.id))
          .limit(1),
      ),
    )
    .where(and(eq(sdkInstalls.sdkAppId, placeholder('sdkAppId')), lt(sdkInstalls.id, placeholder('before'))))
    .orderBy(desc(sdkInstalls.id))
    .limit(placeholder('limit'))
    .prepare(),
);

/** Returns the token with this hash in any state. An install that starts sends several requests within a second. */
export function findHeldToken(app: Db, tokenHash: string): HeldToken | undefined {
  return rowCacheOf(app).getOrRead(heldToken, tokenHash, () => heldToken(app).get(tokenHash));
}

/** Forgets the cached token with this hash, whose row has changed. */
export function forgetHeldToken(app: Db, tokenHash: string): void {
  rowCacheOf(app).forget(heldToken, tokenHash);
}

/** Returns an install by its row id. */
export function findInstallRow(app: Db, id: string): InstallRow | undefined {
  return installById(app).get({ id });
}

/** Returns the install of an SDK app with an install_id. */
export function findInstall(app: Db, sdkAppId: string, installId: string): InstallRow | undefined {
  return installByIdentity(app).get({ sdkAppId, installId });
}

/** Returns a page of the installs of an SDK app with their last reports, newest first. */
export function listInstallRows(app: Db, sdkAppId: string, before: string, limit: number): ListedInstall[] {
  return pageOfApp(app).all({ sdkAppId, before, limit });
}

export function insertInstall(tx: Tx, row: InstallRow): void {
  tx.db.insert(sdkInstalls).values(row).run();
}

export function updateInstall(tx: Tx, id: string, changes: Partial<InstallRow>): void {
  tx.db.update(sdkInstalls).set(changes).where(eq(sdkInstalls.id, id)).run();
}

/** Deletes some of the oldest installs of an SDK app with their data. Returns the number deleted. */
export function deleteOldestInstalls(tx: Tx, sdkAppId: string, limit: number): number {
  const oldest = tx.db
    .select({ id: sdkInstalls.id })
    .from(sdkInstalls)
    .where(eq(sdkInstalls.sdkAppId, sdkAppId))
    .orderBy(sdkInstalls.id)
    .limit(limit);
  return tx.db.delete(sdkInstalls).where(inArray(sdkInstalls.id, oldest)).run().changes;
}

export function insertToken(tx: Tx, row: TokenRow): void {
  tx.db.insert(sdkTokens).values(row).run();
}

/** Returns the number of valid tokens of an install that weren't replaced. */
export function countUnreplacedTokens(tx: Tx, installRowId: string): number {
  const row = tx.db
    .select({ total: count() })
    .from(sdkTokens)
    .where(and(eq(sdkTokens.installRowId, installRowId), isNull(sdkTokens.replacedAt), gt(sdkTokens.expiresAt, tx.now)))
    .get();
  return row?.total ?? 0;
}

/** Marks a token as replaced and expiring at `expiresAt`. Returns false if it was already replaced or expired. */
export function replaceToken(tx: Tx, tokenHash: string, expiresAt: number): boolean {
  const { changes } = tx.db
    .update(sdkTokens)
    .set({ replacedAt: tx.now, expiresAt })
    .where(and(eq(sdkTokens.tokenHash, tokenHash), isNull(sdkTokens.replacedAt), gt(sdkTokens.expiresAt, tx.now)))
    .run();
  return changes === 1;
}

/** Deletes the expired tokens of an install, and then those that expire first until at most `max` are left. */
export function trimTokens(tx: Tx, installRowId: string, max: number): void {
  const ofInstall = eq(sdkTokens.installRowId, installRowId);
  tx.db
    .delete(sdkTokens)
    .where(and(ofInstall, lte(sdkTokens.expiresAt, tx.now)))
    .run();
  const superfluous = tx.db
    .select({ tokenHash: sdkTokens.tokenHash })
    .from(sdkTokens)
    .where(ofInstall)
    .orderBy(desc(sdkTokens.expiresAt))
    .limit(Number.MAX_SAFE_INTEGER)
    .offset(max);
  tx.db.delete(sdkTokens).where(inArray(sdkTokens.tokenHash, superfluous)).run();
}

/** Returns tokens that expired before a time, earliest first. */
export function listEndedTokens(app: Db, before: number, limit: number): { tokenHash: string; installRowId: string }[] {
  return app.db
    .select({ tokenHash: sdkTokens.tokenHash, installRowId: sdkTokens.installRowId })
    .from(sdkTokens)
    .where(lt(sdkTokens.expiresAt, before))
    .orderBy(sdkTokens.expiresAt)
    .limit(limit)
    .all();
}

export function deleteToken(tx: Tx, tokenHash: string): void {
  tx.db.delete(sdkTokens).where(eq(sdkTokens.tokenHash, tokenHash)).run();
}

/** Deletes an install without tokens. Returns its SDK app, or undefined if it stays. */
export function deleteTokenlessInstall(tx: Tx, installRowId: string): string | undefined {
  const token = tx.db
    .select({ tokenHash: sdkTokens.tokenHash })
    .from(sdkTokens)
    .where(eq(sdkTokens.installRowId, installRowId))
    .get();
  if (token !== undefined) return undefined;
  return tx.db
    .delete(sdkInstalls)
    .where(eq(sdkInstalls.id, installRowId))
    .returning({ sdkAppId: sdkInstalls.sdkAppId })
    .get()?.sdkAppId;
}

/** Returns the next SDK app with installs after an id, existing or deleted. */
export function nextAppWithInstalls(app: Db, after: string): string | undefined {
  return app.db
    .select({ id: sdkInstalls.sdkAppId })
    .from(sdkInstalls)
    .where(gt(sdkInstalls.sdkAppId, after))
    .orderBy(sdkInstalls.sdkAppId)
    .limit(1)
    .get()?.id;
}

/** Returns the next release with reports after an id, existing or deleted. */
export function nextReportedRelease(app: Db, after: string): string | undefined {
  return app.db
    .select({ id: sdkReports.releaseId })
    .from(sdkReports)
    .where(gt(sdkReports.releaseId, after))
    .orderBy(sdkReports.releaseId)
    .limit(1)
    .get()?.id;
}

/** Deletes some of the reports about a release. Returns the number deleted. */
export function deleteReportsOf(tx: Tx, releaseId: string, limit: number): number {
  return deleteUpTo(tx, sdkReports.id, eq(sdkReports.releaseId, releaseId), limit);
}
