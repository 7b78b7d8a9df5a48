// Rows of the containers of organizations. Works on the connection, because commands that only read open no app.
import type Sqlite from 'better-sqlite3';
import type { App, Tx } from '../../core/context.ts';
import { prepared } from '../../data/database.ts';

export interface ContainerRow {
  readonly id: string;
  /** Null after the organization was deleted. */
  readonly organizationId: string | null;
  readonly prefix: string;
  readonly account: string;
  readonly container: string;
  readonly tenantId: string;
  readonly clientId: string;
  /** Encrypted; null with federation. */
  readonly secretEncrypted: string | null;
  readonly state: 'active' | 'left';
  readonly activatedAt: number;
  readonly updatedAt: number;
  readonly unreachableSince: number | null;
  readonly unreachableReason: string | null;
  readonly reportedAt: number | null;
  readonly mailedAt: number | null;
  /** When a cleanup job found that the organization had been deleted. */
  readonly orphanedAt: number | null;
}

const COLUMNS = `id, organization_id AS organizationId, prefix, account, container, tenant_id AS tenantId, client_id AS clientId,
  secret_encrypted AS secretEncrypted, state, activated_at AS activatedAt, updated_at AS updatedAt, unreachable_since AS unreachableSince,
  unreachable_reason AS unreachableReason, reported_at AS reportedAt, mailed_at AS mailedAt,
  orphaned_at AS orphanedAt`;

/** The queries that run with each access to an object. */
export function prepareContainerQueries(client: Sqlite.Database) {
  const find = client.prepare<[string], ContainerRow>(`SELECT ${COLUMNS} FROM customer_containers WHERE id = ?`);
  // With the plus, SQLite keeps the plan (data/database.ts).
  const findActive = client
    .prepare<[string], string>("SELECT id FROM customer_containers WHERE organization_id = +? AND state = 'active'")
    .pluck();
  return { find: (id: string) => find.get(id), findActive: (organizationId: string) => findActive.get(organizationId) };
}

type Db = Pick<App, 'db'>;

export function findContainer({ db }: Db, id: string): ContainerRow | undefined {
  return db.$client.prepare<[string], ContainerRow>(`SELECT ${COLUMNS} FROM customer_containers WHERE id = ?`).get(id);
}

/** Returns the containers of an organization, the active one first. */
export function listContainers({ db }: Db, organizationId: string): ContainerRow[] {
  return db.$client
    .prepare<[string], ContainerRow>(
      `SELECT ${COLUMNS} FROM customer_containers WHERE organization_id = ? ORDER BY state, activated_at DESC`,
    )
    .all(organizationId);
}

/** Returns the IDs of the containers that can be used, as far as it's known. */
export function listReachable({ db }: Db): string[] {
  return db.$client
    .prepare<[], string>('SELECT id FROM customer_containers WHERE unreachable_since IS NULL ORDER BY id')
    .pluck()
    .all();
}

const accountsOf = prepared((db) =>
  db.$client
    .prepare<{ developerId: string }, string>(
      `SELECT DISTINCT account FROM customer_containers WHERE organization_id IN (
          SELECT organization_id FROM organization_memberships WHERE developer_id = @developerId
          UNION SELECT organization_id FROM projects WHERE id IN (
            SELECT project_id FROM project_memberships WHERE developer_id = @developerId))`,
    )
    .pluck(),
);

/** Returns the storage accounts of the organizations that a person belongs to. */
export function listAccountsOf(app: Db, developerId: string): string[] {
  return accountsOf(app).all({ developerId });
}

/** Returns containers, those that can't be used first, with the names of their organizations. */
export function listAllContainers({ db }: Db, limit: number): (ContainerRow & { organizationName: string | null })[] {
  return db.$client
    .prepare<[number], ContainerRow & { organizationName: string | null }>(
      `SELECT containers.*, organizations.name AS organizationName
        FROM (SELECT ${COLUMNS} FROM customer_containers) AS containers
        LEFT JOIN organizations ON organizations.id = organizationId
        ORDER BY unreachableSince IS NULL, unreachableSince, organizationName, account, container LIMIT ?`,
    )
    .all(limit);
}

export function countContainers({ db }: Db): number {
  return db.$client.prepare<[], number>('SELECT count(*) FROM customer_containers').pluck().get() ?? 0;
}

export function insertContainer(tx: Tx, row: ContainerRow): void {
  tx.db.$client
    .prepare(
      `INSERT INTO customer_containers (id, organization_id, prefix, account, container, tenant_id, client_id, secret_encrypted,
          state, activated_at, updated_at)
        VALUES (@id, @organizationId, @prefix, @account, @container, @tenantId, @clientId, @secretEncrypted,
          @state, @activatedAt, @updatedAt)`,
    )
    .run(row);
}

/** Makes a container the one for new packages, with these credentials. */
export function saveCredentials(
  tx: Tx,
  row: Pick<ContainerRow, 'id' | 'tenantId' | 'clientId' | 'secretEncrypted'>,
): void {
  tx.db.$client
    .prepare(
      `UPDATE customer_containers SET tenant_id = @tenantId, client_id = @clientId, secret_encrypted = @secretEncrypted,
          state = 'active', activated_at = CASE state WHEN 'active' THEN activated_at ELSE @now END,
          updated_at = max(@now, updated_at + 1)
        WHERE id = @id`,
    )
    .run({ ...row, now: tx.now });
}

/** Makes no container of an organization the one for new packages. Returns whether one was. */
export function clearActive(tx: Tx, organizationId: string): boolean {
  return (
    tx.db.$client
      .prepare("UPDATE customer_containers SET state = 'left' WHERE organization_id = ? AND state = 'active'")
      .run(organizationId).changes > 0
  );
}

/** Records that requests fail, unless it's recorded. Returns whether it wasn't. */
export function saveUnreachable(tx: Tx, id: string, reason: string): boolean {
  const { changes } = tx.db.$client
    .prepare(
      `UPDATE customer_containers SET unreachable_since = ?, unreachable_reason = ?
        WHERE id = ? AND unreachable_since IS NULL`,
    )
    .run(tx.now, reason, id);
  return changes === 1;
}

/** Records the latest reason of an outage. */
export function saveReason(tx: Tx, id: string, reason: string): void {
  tx.db.$client.prepare('UPDATE customer_containers SET unreachable_reason = ? WHERE id = ?').run(reason, id);
}

/** Records that an outage is in the audit trail, and whether emails were sent. */
export function saveReported(tx: Tx, id: string, isMailed: boolean): void {
  tx.db.$client
    .prepare(
      'UPDATE customer_containers SET reported_at = @now, mailed_at = iif(@isMailed, @now, mailed_at) WHERE id = @id',
    )
    .run({ id, now: tx.now, isMailed: isMailed ? 1 : 0 });
}

/** Records that a container can be used again. */
export function saveReachable(tx: Tx, id: string): void {
  tx.db.$client
    .prepare(
      'UPDATE customer_containers SET unreachable_since = NULL, unreachable_reason = NULL, reported_at = NULL WHERE id = ?',
    )
    .run(id);
}

/** The condition of the index: few objects are in containers, and only those are searched by their place. */
const IN_CONTAINER = "backend LIKE 'azure:%'";

/** Deletes the rows of deleted organizations whose containers have no object anymore. Returns the number deleted. */
export function deleteEmptied(tx: Tx): number {
  return tx.db.$client
    .prepare(
      `DELETE FROM customer_containers WHERE organization_id IS NULL
        AND NOT EXISTS (SELECT 1 FROM object_places WHERE backend = 'azure:' || id AND ${IN_CONTAINER})
        AND NOT EXISTS (SELECT 1 FROM object_places WHERE left_at IS NOT NULL AND left_backend = 'azure:' || id)`,
    )
    .run().changes;
}

/** Records that organizations have been deleted, unless it's recorded. */
export function saveOrphaned(tx: Tx): void {
  tx.db.$client
    .prepare('UPDATE customer_containers SET orphaned_at = ? WHERE organization_id IS NULL AND orphaned_at IS NULL')
    .run(tx.now);
}

/** Returns the containers of organizations that were deleted before a time, or before another one if they haven't been usable since. */
export function listAbandoned({ db }: Db, times: { unreachable: number; deleted: number }): ContainerRow[] {
  return db.$client
    .prepare<object, ContainerRow>(
      `SELECT ${COLUMNS} FROM customer_containers WHERE organization_id IS NULL
        AND (orphaned_at <= @deleted OR orphaned_at <= @unreachable AND unreachable_since <= @unreachable) ORDER BY id`,
    )
    .all(times);
}

/** Forgets up to `limit` objects in a container. Copies of them elsewhere stay queued for deletion. Returns the number. */
export function forgetObjects(tx: Tx, id: string, limit: number): number {
  const { $client: client } = tx.db;
  const place = `azure:${id}`;
  const forgetCopy = client.prepare(
    'UPDATE object_places SET left_backend = NULL, left_at = NULL, left_modified_at = NULL WHERE object_key = ?',
  );
  const copies = client
    .prepare<[string, number], string>(
      'SELECT object_key FROM object_places WHERE left_at IS NOT NULL AND left_backend = ? LIMIT ?',
    )
    .pluck()
    .all(place, limit);
  for (const key of copies) forgetCopy.run(key);
  const objects = client
    .prepare<[string, number], { key: string; leftBackend: string | null }>(
      `SELECT object_key AS key, left_backend AS leftBackend FROM object_places WHERE backend = ? AND ${IN_CONTAINER} LIMIT ?`,
    )
    .all(place, limit - copies.length);
  const forget = [
    client.prepare('DELETE FROM doomed_objects WHERE object_key = ?'),
    client.prepare('DELETE FROM object_places WHERE object_key = ?'),
  ];
  const useCopy = client.prepare('UPDATE object_places SET backend = left_backend WHERE object_key = ?');
  for (const { key, leftBackend } of objects) {
    if (leftBackend === null) for (const statement of forget) statement.run(key);
    else {
      useCopy.run(key);
      forgetCopy.run(key);
    }
  }
  return copies.length + objects.length;
}

/** Deletes the row of a container. Returns whether there was one. */
export function deleteContainer(tx: Tx, id: string): boolean {
  return tx.db.$client.prepare('DELETE FROM customer_containers WHERE id = ?').run(id).changes === 1;
}
