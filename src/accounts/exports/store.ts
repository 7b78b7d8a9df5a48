// Queries for personal data exports.

import { and, between, desc, eq, gt, lt, lte, ne, sql } from 'drizzle-orm';
import type { App, ObjectOwner, Tx } from '../../core/context.ts';
import { dataExports } from '../../data/tables/tables.ts';
import { notFound } from '../../lib/errors.ts';
import { UUID_PATTERN } from '../../lib/uuid.ts';

export type ExportRow = typeof dataExports.$inferSelect;
type Db = Pick<App, 'db'>;

/** Returns an export of a developer. Throws `not_found` if it doesn't exist or belongs to another person. */
export function loadExport(app: Db, developerId: string, id: string): ExportRow {
  const row = findExport(app, id);
  if (row === undefined || row.developerId !== developerId) throw notFound();
  return row;
}

export function findExport(app: Db, id: string): ExportRow | undefined {
  return app.db.select().from(dataExports).where(eq(dataExports.id, id)).get();
}

/** Returns whether an export has an archive or is being prepared. */
function hasArchive(app: Db, id: string): boolean {
  const row = findExport(app, id);
  return row !== undefined && (row.state === 'preparing' || row.objectKey !== null);
}

const KEY = new RegExp(`^exports/(${UUID_PATTERN})\\.zip$`);

/** Archives of personal data. */
export const exportArchives: ObjectOwner = {
  prefix: 'exports/',
  findOrphans: (app, keys) =>
    keys.filter((key) => {
      const [, id] = KEY.exec(key) ?? [];
      return id !== undefined && !hasArchive(app, id);
    }),
};

export function findPreparing(app: Db, developerId: string): ExportRow | undefined {
  return app.db
    .select()
    .from(dataExports)
    .where(and(eq(dataExports.developerId, developerId), eq(dataExports.state, 'preparing')))
    .get();
}

/**
 * Returns when the exports that count toward the limits were requested after `since`, newest first. Failed ones don't count,
 * nor those in the future: the clock was ahead then.
 */
export function listRequestsSince(app: Db, developerId: string, since: number, now: number): number[] {
  return app.db
    .select({ createdAt: dataExports.createdAt })
    .from(dataExports)
    .where(
      and(
        eq(dataExports.developerId, developerId),
        between(dataExports.createdAt, since + 1, now),
        ne(dataExports.state, 'failed'),
      ),
    )
    .orderBy(desc(dataExports.createdAt))
    .all()
    .map((row) => row.createdAt);
}

export function listExports(app: Db, developerId: string, before: string, limit: number): ExportRow[] {
  return app.db
    .select()
    .from(dataExports)
    .where(and(eq(dataExports.developerId, developerId), lt(dataExports.id, before)))
    .orderBy(desc(dataExports.id))
    .limit(limit)
    .all();
}

export function insertExport(tx: Tx, row: ExportRow): void {
  tx.db.insert(dataExports).values(row).run();
}

/** Changes the state of an export if it is still in the expected state. Returns false if it wasn't. */
export function moveExport(tx: Tx, id: string, from: ExportRow['state'], changes: Partial<ExportRow>): boolean {
  const where = and(eq(dataExports.id, id), eq(dataExports.state, from));
  return tx.db.update(dataExports).set(changes).where(where).run().changes === 1;
}

/** Uses up one of the downloads of a ready archive. Returns false if none is left or the archive has expired. */
export function takeDownload(tx: Tx, id: string, max: number): boolean {
  const isOpen = and(
    eq(dataExports.id, id),
    eq(dataExports.state, 'ready'),
    lt(dataExports.downloads, max),
    gt(dataExports.expiresAt, tx.now),
  );
  const taken = tx.db
    .update(dataExports)
    .set({ downloads: sql`${dataExports.downloads} + 1` })
    .where(isOpen)
    .run();
  return taken.changes === 1;
}

/** A state as text of the query, not as a parameter, so that SQLite uses the index of rows with that state. */
const isIn = (state: 'preparing' | 'ready') => sql`${dataExports.state} = ${sql.raw(`'${state}'`)}`;

/** Returns exports that have been in preparation since before a moment. */
export function listStale(app: Db, before: number, limit: number): ExportRow[] {
  return app.db
    .select()
    .from(dataExports)
    .where(and(isIn('preparing'), lt(dataExports.createdAt, before)))
    .limit(limit)
    .all();
}

/** Returns archives that have expired. */
export function listDue(app: Db, now: number, limit: number): ExportRow[] {
  return app.db
    .select()
    .from(dataExports)
    .where(and(isIn('ready'), lte(dataExports.expiresAt, now)))
    .limit(limit)
    .all();
}

export { collectPersonalData } from './personal-data.ts';
