// Queries for publish jobs.
import { and, desc, eq, lt } from 'drizzle-orm';
import type { App, Tx } from '../core/context.ts';
import { isNotRemoved } from '../core/removal.ts';
import { publishJobs } from '../data/tables/tables.ts';
import type { Location } from '../http/operation.ts';

export type PublishRow = typeof publishJobs.$inferSelect;
type Db = Pick<App, 'db'>;

/** Returns a publish job, or undefined. Jobs of deleted projects don't exist. */
export function findPublish(app: Db, id: string): PublishRow | undefined {
  return app.db
    .select()
    .from(publishJobs)
    .where(and(eq(publishJobs.id, id), isNotRemoved(publishJobs.projectId)))
    .get();
}

/** Returns the location of a publish job, for access declarations. */
export function locatePublish(app: Db, id: string): Location | undefined {
  const row = findPublish(app, id);
  return row && { organizationId: row.organizationId, projectId: row.projectId };
}

/** Returns a page of a project's publish jobs, newest first. */
export function listPublishRows(app: Db, projectId: string, before: string, limit: number): PublishRow[] {
  return app.db
    .select()
    .from(publishJobs)
    .where(and(eq(publishJobs.projectId, projectId), lt(publishJobs.id, before)))
    .orderBy(desc(publishJobs.id))
    .limit(limit)
    .all();
}

export function insertPublish(tx: Tx, row: PublishRow): void {
  tx.db.insert(publishJobs).values(row).run();
}

export function updatePublish(tx: Tx, id: string, change: Partial<PublishRow>): void {
  tx.db.update(publishJobs).set(change).where(eq(publishJobs.id, id)).run();
}
