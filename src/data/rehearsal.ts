// Tries an upgrade on a copy of the database, while a server may be using the original.
import { rmSync, statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type Sqlite from 'better-sqlite3';
import type { Clock } from '../lib/clock.ts';
import { formatBytes } from '../lib/formats.ts';
import { listFills } from './background-fills.ts';
import { type Db, makePrivate } from './database.ts';
import { databaseBytes } from './database-size.ts';
import { measureFills } from './fill-room.ts';
import { embeddedMigrations, migrateDatabase, migrationStatus } from './migrate.ts';

/** The result of a rehearsal. Times are in milliseconds, sizes in bytes. */
export interface Rehearsal {
  /** The migrations that the upgrade applies. */
  migrations: string[];
  /** How long saving the copy of the database takes. */
  copyMs: number;
  migrateMs: number;
  /** Rows that the server fills afterwards, while it runs. */
  backgroundRows: number;
  /**
   * The room that the upgrade needs in the folder of the database: the copy it keeps, its journal, temporary files, and what is filled
   * afterwards.
   */
  neededBytes: number;
  freeBytes: number;
}

/** The disk has no room for the rehearsal. */
export class NoRoomError extends Error {}

/** Indexes are sorted in temporary files, which are gone before they could be measured. */
const SORTING_SHARE = 0.25;
/** A rehearsal needs the copy, a journal that may be as large, and temporary files. */
const REHEARSAL_SHARE = 2 + SORTING_SHARE;

export interface RehearsalParts {
  /** The database, opened for reading. */
  client: Sqlite.Database;
  /** Opens the copy like the server opens its database. */
  open(file: string): Db;
  clock: Clock;
  /** Returns a monotonic time in milliseconds. */
  elapsed(): number;
  migrations?: ReturnType<typeof embeddedMigrations>;
}

/**
 * Migrates a copy of the database and deletes the copy. Returns undefined if no migration is pending. Throws NoRoomError, the errors of
 * `migrateDatabase`, and those of a migration that fails. The database itself doesn't change.
 */
export function rehearseUpgrade(parts: RehearsalParts): Rehearsal | undefined {
  const { client, open, clock, elapsed, migrations = embeddedMigrations() } = parts;
  const { waiting, unknown } = migrationStatus(client, migrations);
  if (waiting.length === 0 && unknown.length === 0) return undefined;
  const folder = dirname(client.name);
  const freeBytes = freeBytesOf(folder);
  const roomBytes = databaseBytes(client) * REHEARSAL_SHARE;
  if (freeBytes < roomBytes) {
    const [needed, free] = [roomBytes, freeBytes].map((bytes) => formatBytes(bytes, 'en'));
    throw new NoRoomError(`the rehearsal needs ${needed} of disk space in ${folder}, and ${free} are free`);
  }
  const copy = `${client.name}.rehearsal`;
  // Left behind by a rehearsal that was killed.
  removeDatabase(copy);
  try {
    makePrivate(copy);
    const startedAt = elapsed();
    client.prepare('VACUUM INTO ?').run(copy);
    const copiedAt = elapsed();
    const copyBytes = sizeOf(copy);
    const db = open(copy);
    try {
      // The copy that an upgrade keeps has been measured above.
      const applied = migrateDatabase(db.$client, clock, migrations, { isCopied: true });
      const migrateMs = elapsed() - copiedAt;
      // The journal isn't truncated before it's closed, so its size is the largest that it had.
      const journalBytes = sizeOf(`${copy}-wal`);
      const growthBytes = Math.max(0, databaseBytes(db.$client) - copyBytes);
      const backgroundRows = countFills(db.$client);
      const fills = measureFills(db.$client);
      // The log of the fills is written over the journal of the migrations.
      const logBytes = Math.max(journalBytes, fills.log);
      const neededBytes = Math.ceil(copyBytes * (1 + SORTING_SHARE)) + logBytes + growthBytes + fills.growth;
      return { migrations: applied, copyMs: copiedAt - startedAt, migrateMs, backgroundRows, neededBytes, freeBytes };
    } finally {
      db.$client.close();
    }
  } finally {
    removeDatabase(copy);
  }
}

function countFills(client: Sqlite.Database): number {
  return listFills(client).reduce(
    (all, { name, done, total }) => all + (name === 'download_sums' ? 0 : Math.max(0, total - done)),
    0,
  );
}

function freeBytesOf(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

/** Removes what a rehearsal left that was killed. The caller makes sure that none is running. */
export function removeRehearsal(file: string): void {
  removeDatabase(`${file}.rehearsal`);
}

function removeDatabase(file: string): void {
  for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(`${file}${suffix}`, { force: true });
}
