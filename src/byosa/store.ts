// Queries for the storage requests of organizations, and for what is stored.
import { and, desc, eq, inArray, lt } from 'drizzle-orm';
import type { App, Tx } from '../core/context.ts';
import { organizations, projects, storageRequests } from '../data/tables/tables.ts';
import { notFound } from '../lib/errors.ts';

type Db = Pick<App, 'db'>;
export type RequestRow = typeof storageRequests.$inferSelect;
type Status = RequestRow['status'];

export function findRequest({ db }: Db, organizationId: string): RequestRow | undefined {
  return db.select().from(storageRequests).where(eq(storageRequests.organizationId, organizationId)).get();
}

export function findRequestById({ db }: Db, id: string): RequestRow | undefined {
  return db.select().from(storageRequests).where(eq(storageRequests.id, id)).get();
}

/** Returns a request by its id. Throws `not_found`. */
export function loadRequestById(app: Db, id: string): RequestRow {
  const row = findRequestById(app, id);
  if (row === undefined) throw notFound();
  return row;
}

export function insertRequest(tx: Tx, row: RequestRow): void {
  tx.db.insert(storageRequests).values(row).run();
}

export function deleteRequest(tx: Tx, id: string): void {
  tx.db.delete(storageRequests).where(eq(storageRequests.id, id)).run();
}

/** Changes a request that has one of these statuses. Returns whether it had. */
export function changeRequest(
  tx: Tx,
  id: string,
  from: readonly Status[],
  change: Partial<
    Pick<
      RequestRow,
      'status' | 'report' | 'validatedAt' | 'browserUploads' | 'rejectionReason' | 'decidedAt' | 'clientSecretEncrypted'
    >
  >,
): boolean {
  const condition = and(eq(storageRequests.id, id), inArray(storageRequests.status, [...from]));
  return tx.db.update(storageRequests).set(change).where(condition).run().changes === 1;
}

/** Returns requests with ids below `before`, newest first. */
export function listRequests({ db }: Db, statuses: readonly Status[], before: string, limit: number) {
  return db
    .select({ request: storageRequests, organizationName: organizations.name })
    .from(storageRequests)
    .innerJoin(organizations, eq(organizations.id, storageRequests.organizationId))
    .where(and(inArray(storageRequests.status, [...statuses]), lt(storageRequests.id, before)))
    .orderBy(desc(storageRequests.id))
    .limit(limit)
    .all();
}

export function findOrganizationName({ db }: Db, id: string): string | undefined {
  return db.select({ name: organizations.name }).from(organizations).where(eq(organizations.id, id)).get()?.name;
}

export function listProjects({ db }: Db, organizationId: string) {
  return db
    .select({ id: projects.id, name: projects.name })
    .from(projects)
    .where(eq(projects.organizationId, organizationId))
    .orderBy(projects.name, projects.id)
    .all();
}

interface Sizes {
  builds: number;
  bytes: number;
  /** The last build that was counted; null if there was none. */
  last: string | null;
}

/** Counts up to `limit` builds of a project with ids above `after`. */
export function sumSizes({ db }: Db, projectId: string, after: string, limit: number): Sizes {
  return db.$client
    .prepare<[string, string, number], Sizes>(
      `SELECT count(*) AS builds, coalesce(sum(size_bytes), 0) AS bytes, max(id) AS last
        FROM (SELECT id, size_bytes FROM builds WHERE project_id = ? AND id > ? ORDER BY id LIMIT ?)`,
    )
    .get(projectId, after, limit) as Sizes;
}
