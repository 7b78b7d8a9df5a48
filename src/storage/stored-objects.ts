// Queries for the stored objects that rows refer to, and for where they are.
import type { App, Context, Tx } from '../core/context.ts';
import { prepared } from '../data/database.ts';
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

/** Everything that backups contain, and that is verified and moved between backends. */
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
  {
    what: 'picture of feedback',
    table: 'feedback_pictures',
    column: 'image_key',
    owners: [
      'NULL',
      '(SELECT project_id FROM feedback WHERE id = feedback_id)',
      '(SELECT organization_id FROM feedback JOIN projects ON projects.id = project_id WHERE feedback.id = feedback_id)',
    ],
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

/** Returns stored objects a page at a time. Rows that are added while it runs are included. */
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

// Those that run for every object that is moved are prepared once: the memory of statements isn't known to the garbage collector.
const references = new Map(
  KINDS.map(({ what, table, column }) => [
    what,
    prepared((db) => db.$client.prepare(`SELECT 1 FROM ${table} WHERE id = ? AND ${column} = ?`)),
  ]),
);

/** Whether the row still refers to the object. */
export function isReferenced(app: Db, { what, id, key }: Pick<StoredObject, 'what' | 'id' | 'key'>): boolean {
  return references.get(what)?.(app).get(id, key) !== undefined;
}

interface PlaceRow {
  backend: ObjectPlace;
  leftBackend: ObjectPlace | null;
  leftModifiedAt: number | null;
}

const placeOf = prepared((db) =>
  db.$client.prepare<[string], PlaceRow>(
    'SELECT backend, left_backend AS leftBackend, left_modified_at AS leftModifiedAt FROM object_places WHERE object_key = ?',
  ),
);

/** Returns the recorded place of an object, or undefined for one on the only backend of a server. */
export function findPlace(app: Db, key: string): PlaceRow | undefined {
  return placeOf(app).get(key);
}

const insertPlace = prepared((db) =>
  db.$client.prepare('INSERT INTO object_places (object_key, backend) VALUES (?, ?) ON CONFLICT DO NOTHING'),
);

/** Records the place of an object, unless one is recorded. A server with one backend records nothing. */
export function recordPlace(app: Db, key: string, place: ObjectPlace): void {
  if (findPlace(app, key) === undefined) insertPlace(app).run(key, place);
}

/** Forgets the place of an object that was never stored. */
export function forgetPlace({ db }: Db, key: string): void {
  db.$client.prepare('DELETE FROM object_places WHERE object_key = ?').run(key);
}

/** A copy that is being made: nothing reads it, and if it's abandoned, the job deletes it. */
export interface Copying {
  key: string;
  from: ObjectPlace;
  to: ObjectPlace;
  /** When the record was created or last renewed, which distinguishes it from that of another attempt. */
  at: number;
}

const IS_COPYING = `object_key = @key AND backend = @from AND left_backend = @to AND left_at = @at AND left_modified_at IS NULL`;

const markCopying = prepared((db) =>
  db.$client.prepare(
    `UPDATE object_places SET left_backend = @to, left_at = @at WHERE object_key = @key AND backend = @from
      AND (left_backend IS NULL OR left_backend = @to AND left_modified_at IS NULL)`,
  ),
);

/** Records that an object is being copied. Returns undefined if it isn't there anymore, or if it has another copy. */
export function beginCopying(tx: Tx, copying: Omit<Copying, 'at'>): Copying | undefined {
  const begun = { ...copying, at: tx.now };
  return markCopying(tx).run(begun).changes === 1 ? begun : undefined;
}

/** Renews the record of a copy that takes long. Returns whether it was still recorded. */
export function renewCopying({ db, clock }: Context, copying: Copying): boolean {
  const now = clock.time();
  const sql = `UPDATE object_places SET left_at = @now WHERE ${IS_COPYING}`;
  if (db.$client.prepare(sql).run({ ...copying, now }).changes !== 1) return false;
  copying.at = now;
  return true;
}

/** Whether a copy is still recorded as being made by this attempt. */
export function isCopying({ db }: Db, copying: Copying): boolean {
  return db.$client.prepare(`SELECT 1 FROM object_places WHERE ${IS_COPYING}`).get(copying) !== undefined;
}

/** Forgets a copy that was deleted before it was complete. */
export function endCopying({ db }: Db, copying: Copying): void {
  db.$client.prepare(`UPDATE object_places SET left_backend = NULL, left_at = NULL WHERE ${IS_COPYING}`).run(copying);
}

const exchange = prepared((db) =>
  db.$client.prepare(
    `UPDATE object_places SET backend = @to, left_backend = @from, left_at = @now, left_modified_at = @leftModifiedAt
      WHERE ${IS_COPYING}`,
  ),
);

/** Makes a verified copy the object, and the former object the copy to delete. Returns false if it isn't recorded anymore. */
export function switchPlace(tx: Tx, copying: Copying, leftModifiedAt: Date): boolean {
  return exchange(tx).run({ ...copying, now: tx.now, leftModifiedAt: leftModifiedAt.getTime() }).changes === 1;
}

const packageOf = prepared((db) =>
  db.$client.prepare<[string], { organizationId: string; bytes: number }>(
    'SELECT organization_id AS organizationId, size_bytes AS bytes FROM builds WHERE id = ?',
  ),
);

/** Returns the organization of a build and the size of its package. */
export function findPackage(app: Db, buildId: string): { organizationId: string; bytes: number } | undefined {
  return packageOf(app).get(buildId);
}

const updateFacts = prepared((db) =>
  db.$client.prepare(
    `UPDATE package_integrity SET sha256 = ?, modified_at = ?, verified_at = ?, problem = NULL, problem_at = NULL
      WHERE build_id = ?`,
  ),
);

/** Records the hash and time of a package whose bytes were read completely. */
export function savePackageFacts(tx: Tx, buildId: string, sha256: string, modifiedAt: Date): void {
  updateFacts(tx).run(sha256, modifiedAt.getTime(), tx.now, buildId);
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
  /** Where the object is. */
  place: ObjectPlace;
  /** 0 for a copy that was never complete. */
  modifiedAt: number;
}

/** Returns copies that were left before a moment, oldest first. From then on, those that are being made can't become the object. */
export function takeLeft(ctx: Context, before: number, limit: number): LeftCopy[] {
  return ctx.transact(
    (tx) => {
      const left = tx.db.$client
        .prepare<[number, number], LeftCopy>(
          `SELECT object_key AS key, left_backend AS backend, backend AS place, coalesce(left_modified_at, 0) AS modifiedAt
            FROM object_places WHERE left_at IS NOT NULL AND left_at <= ? ORDER BY left_at LIMIT ?`,
        )
        .all(before, limit);
      const take = tx.db.$client.prepare('UPDATE object_places SET left_modified_at = ? WHERE object_key = ?');
      for (const { key, modifiedAt } of left) if (modifiedAt === 0) take.run(0, key);
      return left;
    },
    { bookkeeping: true },
  );
}

/** Whether moved objects left copies that must still be deleted. */
export function hasLeft({ db }: Db): boolean {
  return db.$client.prepare('SELECT 1 FROM object_places WHERE left_at IS NOT NULL LIMIT 1').get() !== undefined;
}

/** Records that copies were deleted. */
export function clearLeft(ctx: Context, copies: readonly LeftCopy[]): void {
  const clear = ctx.db.$client.prepare(
    `UPDATE object_places SET left_backend = NULL, left_at = NULL, left_modified_at = NULL
      WHERE object_key = ? AND left_backend = ? AND left_modified_at = ?`,
  );
  ctx.transact(
    () => {
      for (const { key, backend, modifiedAt } of copies) clear.run(key, backend, modifiedAt);
    },
    { bookkeeping: true },
  );
}

/** Moves copies that can't be deleted to the end, so that they don't block others. */
export function postponeLeft(ctx: Context, keys: readonly string[]): void {
  const postpone = ctx.db.$client.prepare(
    'UPDATE object_places SET left_at = ? WHERE object_key = ? AND left_at IS NOT NULL',
  );
  ctx.transact(
    (tx) => {
      for (const key of keys) postpone.run(tx.now, key);
    },
    { bookkeeping: true },
  );
}

/** Records the backends that a server uses, at its start. */
export function saveAttached(ctx: Context): void {
  const insert = ctx.db.$client.prepare(
    'INSERT INTO attached_backends (backend, location, attached_at) VALUES (?, ?, ?)',
  );
  ctx.transact(
    (tx) => {
      tx.db.$client.prepare('DELETE FROM attached_backends').run();
      for (const [backend, { location }] of ctx.storage.attached) insert.run(backend, location, tx.now);
    },
    { bookkeeping: true },
  );
}

/** Returns the location of a backend that the server uses since its last start. */
export function findLocationOfServer({ db }: Db, backend: ServerBackend): string | undefined {
  return db.$client
    .prepare<[string], string>('SELECT location FROM attached_backends WHERE backend = ?')
    .pluck()
    .get(backend);
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
