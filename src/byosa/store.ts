// Queries for the storage requests of organizations, and for what is stored.
import { and, desc, eq, inArray, lt } from 'drizzle-orm';
import type { App, Tx } from '../core/context.ts';
import { prepared } from '../data/database.ts';
import { organizations, storageRequests } from '../data/tables/tables.ts';
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

const federated = prepared((db) =>
  db.$client
    .prepare<[], 0 | 1>(
      `SELECT EXISTS (SELECT 1 FROM customer_containers WHERE secret_encrypted IS NULL)
        OR EXISTS (SELECT 1 FROM storage_requests WHERE authentication = 'federation' AND status NOT IN ('approved', 'rejected'))`,
    )
    .pluck(),
);

/** Whether the tenant of an organization has to read this server's keys, for a container in use or a request that isn't decided. */
export function isFederationUsed(app: Db): boolean {
  return federated(app).get() === 1;
}

export function findOrganizationName({ db }: Db, id: string): string | undefined {
  return db.select({ name: organizations.name }).from(organizations).where(eq(organizations.id, id)).get()?.name;
}

export interface ProjectUsage {
  id: string;
  name: string;
  builds: number;
  bytes: number;
}

/** The SQL text, for a test of its query plan. */
export const USAGE = `
  SELECT p.id, p.name, coalesce(sum(t.builds), 0) AS builds, coalesce(sum(t.bytes), 0) AS bytes
    FROM projects p LEFT JOIN build_totals t ON t.project_id = p.id
   WHERE p.organization_id = ? GROUP BY p.id ORDER BY p.name, p.id`;

/** Returns the projects of an organization with the number of their builds and their bytes, by name. */
export function listUsage({ db }: Db, organizationId: string): ProjectUsage[] {
  return db.$client.prepare<[string], ProjectUsage>(USAGE).all(organizationId);
}
