// Goes back to the copy of the database that was saved before an upgrade.
import {
  copyFileSync,
  existsSync,
  linkSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type Sqlite from 'better-sqlite3';
import { syncFolderOf } from '../lib/durable-file.ts';
import { hasTable } from './has-table.ts';
import { isInterrupted, migrationStatus } from './migrate.ts';

/** The database can't go back. */
export class DowngradeError extends Error {}

/** A copy that was saved before an upgrade. */
export interface SavedCopy {
  file: string;
  /** The first migration of the upgrade. */
  migration: string;
  /** When the copy was saved, in milliseconds. */
  savedAt: number;
}

/** What the database has and the copy doesn't.  */
export interface Loss {
  table: string;
  /** The plural in messages. */
  what: string;
  count: number;
}

/** The tables whose rows people would miss, with their plural in messages. */
const counted = {
  organizations: 'organizations',
  projects: 'projects',
  builds: 'builds',
  releases: 'releases',
  developers: 'accounts',
  devices: 'devices',
  downloads: 'downloads',
  audit_events: 'audit events',
} as const;

/**
 * Returns the copy of the newest upgrade of a database, or undefined if none is kept. Throws DowngradeError if the database isn't
 * upgraded to this version: it may be the copy already, and an earlier one would be years older.
 */
export function findSavedCopy(client: Sqlite.Database): SavedCopy | undefined {
  const { waiting } = migrationStatus(client);
  if (waiting.length > 0 && !isInterrupted(client)) {
    throw new DowngradeError(
      `${client.name} isn't upgraded to this version (${waiting.length} migrations are pending), so there is nothing to undo`,
    );
  }
  const prefix = `${basename(client.name)}.before-`;
  const { unknown, applied } = migrationStatus(client);
  const known = new Set([...applied, ...unknown]);
  const [migration] = readdirSync(dirname(client.name))
    .filter((name) => name.startsWith(prefix))
    .map((name) => name.slice(prefix.length))
    .filter((name) => known.has(name))
    .sort()
    .reverse();
  if (migration === undefined) return undefined;
  const file = join(dirname(client.name), prefix + migration);
  return { file, migration, savedAt: statSync(file).mtimeMs };
}

/** Counts the rows that the database has and the copy doesn't, by table. Rows that only changed aren't counted. */
export function countLosses(client: Sqlite.Database, copy: SavedCopy): Loss[] {
  client.prepare('ATTACH ? AS copy').run(copy.file);
  try {
    return Object.entries(counted)
      .filter(([table]) => hasTable(client, table, 'copy'))
      .map(([table, what]) => {
        const missing = `SELECT count(*) FROM main.${table} AS current
          WHERE NOT EXISTS (SELECT 1 FROM copy.${table} AS saved WHERE saved.id = current.id)`;
        return { table, what, count: client.prepare<[], number>(missing).pluck().get() ?? 0 };
      });
  } finally {
    client.exec('DETACH copy');
  }
}

function checkCopy(client: Sqlite.Database, copy: SavedCopy): void {
  client.prepare('ATTACH ? AS copy').run(copy.file);
  try {
    const [problem] = client.prepare<[], string>('PRAGMA copy.quick_check(1)').pluck().all();
    if (problem !== 'ok') throw new DowngradeError(`the copy ${copy.file} is damaged: ${problem}`);
  } finally {
    client.exec('DETACH copy');
  }
}

/**
 * Replaces the database with the copy, and keeps it as `<file>.undone-<migration>`, whose name is returned. `companions` are the suffixes
 * of files that describe the database; they're kept with it. Closes `client`. The caller holds the lock of the server. A crash at any
 * moment leaves one of the two as the database, complete. Throws DowngradeError if the copy is damaged or another program has
 * the database open.
 */
export function restoreSavedCopy(client: Sqlite.Database, copy: SavedCopy, companions: readonly string[]): string {
  // Beside a link, there would be no journal.
  const file = realpathSync(client.name);
  checkCopy(client, copy);
  const undone = `${file}.undone-${copy.migration}`;
  // The last connection writes the journal into the database and deletes it. Beside the copy, it would be applied to the copy.
  client.close();
  if ((statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0) {
    throw new DowngradeError(`another program uses the database ${file}; stop it first`);
  }
  rmSync(`${file}-wal`, { force: true });
  rmSync(`${file}-shm`, { force: true });
  keepAs(file, undone);
  // Until the database is replaced, they are needed beside it.
  const kept = companions.filter((suffix) => existsSync(`${file}${suffix}`));
  for (const suffix of kept) keepAs(`${file}${suffix}`, `${undone}${suffix}`);
  renameSync(copy.file, file);
  for (const suffix of kept) rmSync(`${file}${suffix}`);
  syncFolderOf(file);
  return undone;
}

function keepAs(file: string, kept: string): void {
  rmSync(kept, { force: true });
  try {
    linkSync(file, kept);
  } catch {
    // Some file systems have no hard links.
    copyFileSync(file, kept);
  }
}

/**
 * Completes a way back that was interrupted after it replaced the database: removes the companions of the upgraded one. Returns whether
 * there were any. The caller holds the lock of the server, and the database isn't upgraded.
 */
export function completeDowngrade(file: string, companions: readonly string[]): boolean {
  const folder = dirname(file);
  const prefix = `${basename(file)}.undone-`;
  const left = companions.filter((suffix) => {
    if (!existsSync(`${file}${suffix}`)) return false;
    const own = readFileSync(`${file}${suffix}`);
    const kept = readdirSync(folder).filter((name) => name.startsWith(prefix) && name.endsWith(suffix));
    return kept.some((name) => readFileSync(join(folder, name)).equals(own));
  });
  for (const suffix of left) rmSync(`${file}${suffix}`);
  if (left.length > 0) syncFolderOf(file);
  return left.length > 0;
}
