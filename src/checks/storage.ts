// Health checks of the storage: reading and writing, free space, and all objects that the database refers to.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type Sqlite from 'better-sqlite3';
import { isSameTime } from '../builds/integrity.ts';
import type { Config } from '../config.ts';
import { MIN_FREE_BYTES, type RoutedStorage, type Storage } from '../core/storage.ts';
import { systemClock } from '../lib/clock.ts';
import { describeFailure } from '../lib/failure.ts';
import { containerOf } from '../lib/storage-backends.ts';
import { createSecrets } from '../runtime/secrets.ts';
import { isFolderLost, openStorage } from '../storage/open.ts';
import { createPlaces, noPlaces } from '../storage/places.ts';
import { type Finding, fail, ok, warn } from './finding.ts';
import { hasIntegrity } from './packages.ts';

const MIB = 1024 ** 2;
const SHOWN = 3;
const PAGE = 500;
/** Remote storage takes a while for each. */
const CONCURRENT_HEADS = 16;

/**
 * Opens the storage of a configuration with temporary keys, because a check signs no URLs. The database has the backend of each
 * object. Throws file system errors.
 */
export async function openStorageForChecking(
  config: Config,
  client: Sqlite.Database | undefined,
): Promise<RoutedStorage> {
  const { keyring } = createSecrets(randomBytes(32));
  const places = client === undefined ? noPlaces : createPlaces(client);
  return (await openStorage(config, { keyring, clock: systemClock, places, database: client })).storage;
}

/** Returns a failure if the folder of packages is missing that the server of a database has used. */
export function checkFolder(config: Config, client: Sqlite.Database): Finding[] {
  if (!isFolderLost(config, client)) return [];
  const { directory } = config.storage.local;
  const reason = `the folder ${join(directory, 'objects')} is missing: mount its disk or restore it; to continue without packages, create it and restart the server`;
  return [fail('storage', reason, 'storage_broken', { reason })];
}

/** Writes, reads and deletes a small object, and checks the free space. */
export async function checkStorage(config: Config, storage: Storage): Promise<Finding[]> {
  const { ok: isOk, detail, freeBytes } = await storage.check();
  const findings = [
    isOk ? ok('storage', detail, 'storage_works') : fail('storage', detail, 'storage_broken', { reason: detail }),
  ];
  if (freeBytes === undefined) return findings;
  const values = { mebibytes: Math.floor(freeBytes / MIB) };
  const free = `${values.mebibytes} MiB free`;
  const required = MIN_FREE_BYTES / MIB;
  if (freeBytes < MIN_FREE_BYTES)
    findings.push(
      fail('disk', `${free}; below ${required} MiB the server reports that it isn't ready`, 'disk_full', {
        ...values,
        required,
      }),
    );
  else if (freeBytes < 2 * config.limits.build_size_bytes)
    findings.push(warn('disk', `${free}: less than two builds of the maximum size`, 'disk_low', values));
  else findings.push(ok('disk', free, 'disk_free', values));
  return findings;
}

/** What rows refer to: what a finding calls it, the table and the column of the key. */
const KINDS = [
  ['build', 'builds', 'object_key'],
  ['icon of build', 'builds', 'icon_key'],
  ['icon of organization', 'organizations', 'icon_key'],
  ['icon of project', 'projects', 'icon_key'],
  ['avatar of account', 'developers', 'avatar_key'],
  ['screenshot', 'project_screenshots', 'image_key'],
  ['picture of feedback', 'feedback_pictures', 'image_key'],
  ['export', 'data_exports', 'object_key'],
] as const;

/** Returns the references to objects a page at a time. Older databases have fewer tables. */
function* listReferences(client: Sqlite.Database): Generator<Reference> {
  const column = client.prepare('SELECT 1 FROM pragma_table_info(?) WHERE name = ?');
  const modifiedAt = hasIntegrity(client) ? RECORDED_TIME : 'NULL';
  for (const [owner, table, key] of KINDS) {
    if (column.get(table, key) === undefined) continue;
    const facts =
      table === 'builds' && key === 'object_key' ? `size_bytes AS size, ${modifiedAt}` : 'NULL AS size, NULL';
    const page = client.prepare<[string], Reference & { id: string }>(
      `SELECT id, '${owner} ' || id AS owner, ${key} AS key, ${facts} AS modifiedAt FROM ${table}
        WHERE id > ? AND ${key} IS NOT NULL ORDER BY id LIMIT ${PAGE}`,
    );
    for (let after: string | undefined = ''; after !== undefined; ) {
      const rows: (Reference & { id: string })[] = page.all(after);
      yield* rows;
      after = rows.length < PAGE ? undefined : rows.at(-1)?.id;
    }
  }
}

const RECORDED_TIME = '(SELECT modified_at FROM package_integrity WHERE build_id = builds.id)';

interface Reference {
  owner: string;
  key: string;
  size: number | null;
  /** When the object was written, in milliseconds, as recorded with its checksum. */
  modifiedAt: number | null;
}

/** Whether every object that the database refers to exists and has its size and time. */
export async function checkObjects(client: Sqlite.Database, storage: RoutedStorage): Promise<Finding> {
  const counts = { all: 0, troubles: 0 };
  const found: { place: number; text: string }[] = [];
  const references = listReferences(client);
  const work = async (): Promise<void> => {
    for (const reference of references) {
      // Those in containers of organizations are checked by "taxiway storage verify", which has the credentials.
      if (containerOf(storage.placeOf(reference.key)) !== undefined) continue;
      counts.all += 1;
      const place = counts.all;
      const trouble = await examine(storage, reference);
      if (trouble === undefined) continue;
      counts.troubles += 1;
      found.push({ place, text: trouble });
      // The first ones, whichever of them were examined sooner.
      if (found.length > SHOWN) found.splice(0, found.length, ...firstOf(found));
    }
  };
  await Promise.all(Array.from({ length: CONCURRENT_HEADS }, work));
  if (counts.troubles === 0) return ok('objects', `${counts.all} objects, none missing`);
  const more = counts.troubles > SHOWN ? '; …' : '';
  const first = firstOf(found).map(({ text }) => text);
  return fail('objects', `${counts.troubles} of ${counts.all} are damaged or missing: ${first.join('; ')}${more}`);
}

function firstOf<Found extends { place: number }>(found: readonly Found[]): Found[] {
  return found.toSorted((one, other) => one.place - other.place).slice(0, SHOWN);
}

async function examine(
  storage: RoutedStorage,
  { owner, key, size, modifiedAt }: Reference,
): Promise<string | undefined> {
  try {
    const head = await storage.head(key);
    if (head === undefined) return `${owner} is missing (${key})`;
    if (size !== null && head.size !== size) return `${owner} has ${head.size} bytes instead of ${size} (${key})`;
    return modifiedAt === null || isSameTime(modifiedAt, head.modifiedAt.getTime())
      ? undefined
      : `${owner} was modified after the upload (${key})`;
  } catch (error) {
    return `${owner} cannot be read: ${describeFailure(error)} (${key})`;
  }
}
