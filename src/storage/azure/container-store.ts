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
}

const COLUMNS = `id, organization_id AS organizationId, prefix, account, container, tenant_id AS tenantId, client_id AS clientId,
  secret_encrypted AS secretEncrypted, state, activated_at AS activatedAt, updated_at AS updatedAt, unreachable_since AS unreachableSince,
  unreachable_reason AS unreachableReason, reported_at AS reportedAt, mailed_at AS mailedAt`;

/** The queries that run with each access to an object. */
export function prepareContainerQueries(client: Sqlite.Database) {
  const find = client.prepare<[string], ContainerRow>(`SELECT ${COLUMNS} FROM customer_containers WHERE id = ?`);
  const findActive = client
    .prepare<[string], string>("SELECT id FROM customer_containers WHERE organization_id = ? AND state = 'active'")
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

const anyActive = prepared((db) =>
  db.$client.prepare("SELECT 1 FROM customer_containers WHERE state = 'active' LIMIT 1").pluck(),
);

/** Whether an organization has a container for new packages. */
export function hasActiveContainer(app: Db): boolean {
  return anyActive(app).get() !== undefined;
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

/** Deletes the rows of deleted organizations whose containers have no object anymore. Returns the number deleted. */
export function deleteEmptied(tx: Tx): number {
  return tx.db.$client
    .prepare(
      `DELETE FROM customer_containers WHERE organization_id IS NULL
        AND NOT EXISTS (SELECT 1 FROM object_places WHERE backend = 'azure:' || id OR left_backend = 'azure:' || id)`,
    )
    .run().changes;
}
