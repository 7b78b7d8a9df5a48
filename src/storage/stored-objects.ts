// Queries for the stored objects that rows refer to, and for where they are.
import type { App, Context, Tx } from '../core/context.ts';
import type { ObjectPlace, ServerBackend } from '../lib/storage-backends.ts';

type Db = Pick<App, 'db'>;

/** A stored object with the row that refers to it. `build` and `project` are null if it belongs to none. */
export interface StoredObject {
  /** What it is, such as "package". */
  readonly what: string;
  /** The row that refers to it. */
  readonly id: string;
  readonly key: string;
  readonly build: string | null;
  readonly project: string | null;
  /** As recorded; null for objects other than packages. */
  readonly size: number | null;
  readonly sha256: string | null;
}

interface Kind {
  what: string;
  table: string;
  column: string;
  /** Build, project and organization of a row. */
  owners: readonly [build: string, project: string, organization: string];
  isPackage?: true;
}

const KINDS: readonly Kind[] = [
  {
    what: 'package',
    table: 'builds',
    column: 'object_key',
    owners: ['id', 'project_id', 'organization_id'],
    isPackage: true,
  },
  { what: 'icon of a build', table: 'builds', column: 'icon_key', owners: ['id', 'project_id', 'organization_id'] },
  { what: 'icon of a project', table: 'projects', column: 'icon_key', owners: ['NULL', 'id', 'organization_id'] },
  {
    what: 'screenshot',
    table: 'project_screenshots',
    column: 'image_key',
    owners: ['NULL', 'project_id', '(SELECT organization_id FROM projects WHERE id = project_id)'],
  },
  { what: 'icon of an organization', table: 'organizations', column: 'icon_key', owners: ['NULL', 'NULL', 'id'] },
  { what: 'avatar', table: 'developers', column: 'avatar_key', owners: ['NULL', 'NULL', 'NULL'] },
  { what: 'export', table: 'data_exports', column: 'object_key', owners: ['NULL', 'NULL', 'NULL'] },
];

const PAGE = 100;
const HASH = '(SELECT sha256 FROM package_integrity WHERE build_id = builds.id)';

/** Which objects: those of an organization, and packages only, as in the containers of organizations. */
export interface ObjectScope {
  organizationId?: string | undefined;
  isPackagesOnly?: boolean;
}

const kindsOf = ({ isPackagesOnly = false }: ObjectScope): readonly Kind[] =>
  isPackagesOnly ? KINDS.filter(({ isPackage }) => isPackage) : KINDS;

/** Returns stored objects a page at a time. Rows that are added meanwhile are included. */
export function* listStoredObjects({ db }: Db, given: ObjectScope = {}): Generator<StoredObject> {
  const { organizationId } = given;
  for (const { what, table, column, owners, isPackage = false } of kindsOf(given)) {
    const [build, project, organization] = owners;
    const facts = isPackage ? `size_bytes AS size, ${HASH} AS sha256` : 'NULL AS size, NULL AS sha256';
    const scope = organizationId === undefined ? '@organizationId IS NULL' : `${organization} = @organizationId`;
    const page = db.$client.prepare<object, Omit<StoredObject, 'what'>>(
      `SELECT id, ${column} AS key, ${build} AS build, ${project} AS project, ${facts} FROM ${table}
        WHERE id > @after AND ${column} IS NOT NULL AND ${scope} ORDER BY id LIMIT ${PAGE}`,
    );
    let after = '';
    for (;;) {
      const rows = page.all({ after, organizationId: organizationId ?? null });
      for (const row of rows) yield { what, ...row };
      if (rows.length < PAGE) break;
      after = rows.at(-1)?.id ?? '';
    }
  }
}

/** Returns the number of stored objects. */
export function countStoredObjects({ db }: Db, given: ObjectScope = {}): number {
  const { organizationId } = given;
  const counts = kindsOf(given).map(({ table, column, owners }) => {
    const scope = organizationId === undefined ? '@organizationId IS NULL' : `${owners[2]} = @organizationId`;
    const sql = `SELECT count(*) FROM ${table} WHERE ${column} IS NOT NULL AND ${scope}`;
    return db.$client
      .prepare<object, number>(sql)
      .pluck()
      .get({ organizationId: organizationId ?? null });
  });
  return counts.reduce<number>((sum, count) => sum + (count ?? 0), 0);
}

/** Whether the row still refers to the object. */
export function isReferenced({ db }: Db, { what, id, key }: StoredObject): boolean {
  const kind = KINDS.find((one) => one.what === what);
  const sql = `SELECT 1 FROM ${kind?.table} WHERE id = ? AND ${kind?.column} = ?`;
  return db.$client.prepare(sql).get(id, key) !== undefined;
}

export interface PlaceRow {
  backend: ObjectPlace;
  leftBackend: ObjectPlace | null;
}

export function findPlace({ db }: Db, key: string): PlaceRow | undefined {
  return db.$client
    .prepare<[string], PlaceRow>('SELECT backend, left_backend AS leftBackend FROM object_places WHERE object_key = ?')
    .get(key);
}

/** Records that an object was copied to another backend, and that the copy that it was made from isn't deleted yet. */
export function savePlace(
  tx: Tx,
  key: string,
  { to, from, leftModifiedAt }: { to: ObjectPlace; from: ObjectPlace; leftModifiedAt: Date },
): void {
  tx.db.$client
    .prepare(
      `INSERT INTO object_places (backend, left_backend, left_at, left_modified_at, object_key) VALUES (?, ?, ?, ?, ?)
        ON CONFLICT (object_key) DO UPDATE SET backend = excluded.backend, left_backend = excluded.left_backend,
          left_at = excluded.left_at, left_modified_at = excluded.left_modified_at`,
    )
    .run(to, from, tx.now, leftModifiedAt.getTime(), key);
}

/** Records the hash and time of a package whose bytes were read completely. */
export function savePackageFacts(tx: Tx, buildId: string, sha256: string, modifiedAt: Date): void {
  tx.db.$client
    .prepare(
      `UPDATE package_integrity SET sha256 = ?, modified_at = ?, verified_at = ?, problem = NULL, problem_at = NULL
        WHERE build_id = ?`,
    )
    .run(sha256, modifiedAt.getTime(), tx.now, buildId);
}

/** Returns the modification time of the copy of an object that downloads may still read after its move. */
export function findLeftTime({ db }: Db, key: string): number | undefined {
  const row = db.$client
    .prepare<[string], number | null>('SELECT left_modified_at FROM object_places WHERE object_key = ?')
    .pluck()
    .get(key);
  return row ?? undefined;
}

export interface LeftCopy {
  key: string;
  backend: ObjectPlace;
}

/** Returns copies that were left before a moment, oldest first. */
export function listLeft({ db }: Db, before: number, limit: number): LeftCopy[] {
  return db.$client
    .prepare<[number, number], LeftCopy>(
      `SELECT object_key AS key, left_backend AS backend FROM object_places
        WHERE left_at IS NOT NULL AND left_at <= ? ORDER BY left_at LIMIT ?`,
    )
    .all(before, limit);
}

export function hasLeft({ db }: Db): boolean {
  return db.$client.prepare('SELECT 1 FROM object_places WHERE left_at IS NOT NULL LIMIT 1').get() !== undefined;
}

/** Records that copies were deleted. */
export function clearLeft(ctx: Context, keys: readonly string[]): void {
  const clear = ctx.db.$client.prepare(
    'UPDATE object_places SET left_backend = NULL, left_at = NULL, left_modified_at = NULL WHERE object_key = ?',
  );
  ctx.transact(
    () => {
      for (const key of keys) clear.run(key);
    },
    { bookkeeping: true },
  );
}

/** Moves copies that couldn't be deleted to the end, so that they don't keep others from being deleted. */
export function postponeLeft(ctx: Context, keys: readonly string[]): void {
  const postpone = ctx.db.$client.prepare(
    'UPDATE object_places SET left_at = ? WHERE object_key = ? AND left_at IS NOT NULL',
  );
  const now = ctx.clock.now().getTime();
  ctx.transact(
    () => {
      for (const key of keys) postpone.run(now, key);
    },
    { bookkeeping: true },
  );
}

/** Records the backends that a server uses, at its start. */
export function saveAttached(ctx: Context, backends: readonly ServerBackend[]): void {
  const insert = ctx.db.$client.prepare('INSERT INTO attached_backends (backend, attached_at) VALUES (?, ?)');
  ctx.transact(
    (tx) => {
      tx.db.$client.prepare('DELETE FROM attached_backends').run();
      for (const backend of backends) insert.run(backend, tx.now);
    },
    { bookkeeping: true },
  );
}

/** Whether the server uses a backend since its last start. */
export function isAttachedByServer({ db }: Db, backend: ServerBackend): boolean {
  return db.$client.prepare('SELECT 1 FROM attached_backends WHERE backend = ?').get(backend) !== undefined;
}

/** Returns the number of uploads that aren't complete, of an organization or all, and whose bytes are elsewhere. */
export function countUploadsElsewhere(
  { db }: Db,
  { to, home, organizationId }: { to: ObjectPlace; home: ObjectPlace; organizationId?: string | undefined },
): number {
  // Those in containers of organizations stay there when all other objects are moved.
  const sql = `SELECT count(*) FROM pending_uploads LEFT JOIN object_places USING (object_key)
    WHERE coalesce(backend, @home) <> @to
      AND CASE WHEN @organizationId IS NULL THEN coalesce(backend, @home) NOT LIKE 'azure:%' ELSE organization_id = @organizationId END`;
  const values = { to, home, organizationId: organizationId ?? null };
  return db.$client.prepare<object, number>(sql).pluck().get(values) ?? 0;
}

/** Whether an organization has, or had, a container of its own. */
export function hasContainer({ db }: Db, organizationId: string): boolean {
  return (
    db.$client.prepare('SELECT 1 FROM customer_containers WHERE organization_id = ?').get(organizationId) !== undefined
  );
}
