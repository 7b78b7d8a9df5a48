// Database health: whether writes work, according to recent writes and a small write of its own on request.
import { closeSync, openSync, rmSync, statSync, writeSync } from 'node:fs';
import type { Logger } from 'pino';
import { type Clock, SECOND } from '../lib/clock.ts';
import { isBusy } from './busy.ts';
import { checkpoint } from './checkpoints.ts';
import type { Db } from './database.ts';

/**
 * A flush of the database failed. The page cache can't be trusted afterwards: a later flush may report success for pages that
 * never reached the disk. The process must exit; the next start reads the state on disk.
 */
export class DatabaseUnsafeError extends Error {}

export interface DatabaseHealth {
  /** Returns undefined while writes work, otherwise the reason, without paths. Writes at most every three seconds. */
  check(): string | undefined;
  /** Writes one page, regardless of the last time. Does nothing while another process writes. */
  write(): void;
  /** Records an error thrown by a statement. Ignores errors that don't indicate a failing database. */
  note(error: unknown): void;
  /** Returns the code of the newest sign of damage, or undefined. */
  damage(): string | undefined;
}

export interface HealthParts {
  db: Db;
  clock: Clock;
  log: Pick<Logger, 'fatal' | 'error' | 'flush'>;
  /** Ends the process. Called before any further write. */
  onUnsafe(error: DatabaseUnsafeError): void;
}

const PROBE_EVERY_MS = 3 * SECOND;
/** A failed write is reported for this long, even if small writes succeed in between. */
const FAILURE_LIFETIME_MS = 10 * SECOND;
const PAGE_BYTES = 4096;

/** Starts watching the writes of a database. */
export function watchDatabase({ db, clock, log, onUnsafe }: HealthParts): DatabaseHealth {
  const client = db.$client;
  let failure: { code: string; at: number } | undefined;
  let probedAt = Number.NEGATIVE_INFINITY;
  let damage: string | undefined;
  let isUnsafe = false;

  function note(error: unknown): void {
    const code = codeOf(error);
    if (code === undefined) return;
    if (isDamage(code)) {
      if (damage === undefined) log.error({ code }, 'database damaged');
      damage = code;
    }
    if (!isWriteFailure(code)) return;
    failure = { code, at: clock.time() };
    if (!isFlushFailure(code) || isUnsafe) return;
    isUnsafe = true;
    const unsafe = new DatabaseUnsafeError(
      `the disk couldn't flush the database ${client.name} (${code}). Taxiway has stopped, because further changes ` +
        'might be lost. Check the disk, then start again.',
      { cause: error },
    );
    log.fatal({ code, database: client.name }, 'database flush failed');
    log.flush?.();
    onUnsafe(unsafe);
  }

  /**
   * Writes one page and checkpoints it into the database file, because SQLite's automatic checkpoints don't report errors. The page
   * stays in the log, which is as durable, if Litestream checkpoints, or the server's own thread, which reports its errors.
   */
  function probe(): void {
    const timeout = client.pragma('busy_timeout', { simple: true });
    client.pragma('busy_timeout = 0');
    try {
      const version = Number(client.pragma('user_version', { simple: true }));
      // Nothing else uses this number. It's in the header of the database.
      client.pragma(`user_version = ${(version + 1) % 2 ** 31}`);
      db.writes.count += 1;
      checkpoint(client);
    } catch (error) {
      // Another process is writing, so writes work.
      if (isBusy(error)) return;
      note(error);
      if (failure === undefined || failure.at !== clock.time()) throw error;
    } finally {
      client.pragma(`busy_timeout = ${Number(timeout)}`);
    }
  }

  db.writes.onError = note;
  return {
    note,
    damage: () => damage,
    write: probe,
    check() {
      const now = clock.time();
      if (Math.abs(now - probedAt) >= PROBE_EVERY_MS) {
        probedAt = now;
        probe();
      }
      if (failure === undefined) return undefined;
      if (Math.abs(now - failure.at) < FAILURE_LIFETIME_MS) return describeFailure(failure.code, client.name);
      failure = undefined;
      return undefined;
    },
  };
}

function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return undefined;
  return error.code.startsWith('SQLITE_') ? error.code : undefined;
}

const isFlushFailure = (code: string) => code === 'SQLITE_IOERR_FSYNC' || code === 'SQLITE_IOERR_DIR_FSYNC';
const isDamage = (code: string) => code.startsWith('SQLITE_CORRUPT') || code === 'SQLITE_NOTADB';

function isWriteFailure(code: string): boolean {
  if (code === 'SQLITE_READONLY_DBMOVED' || isDamage(code)) return true;
  return ['SQLITE_FULL', 'SQLITE_IOERR', 'SQLITE_READONLY', 'SQLITE_CANTOPEN', 'SQLITE_PERM'].some((kind) =>
    code.startsWith(kind),
  );
}

/** Reasons by system error code. SQLite has a single code for everything except a full disk. */
const REASONS: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota of the account is used up',
  EFBIG: 'the database has reached the maximum file size of the file system',
  EROFS: 'the disk is read-only',
  EIO: 'the disk reports errors',
};

function describeFailure(code: string, file: string): string {
  if (code === 'SQLITE_FULL') return 'the disk is full';
  if (isFlushFailure(code)) return "the disk couldn't flush changes";
  if (code === 'SQLITE_READONLY_DBMOVED') return 'the database file was moved or deleted';
  if (code.startsWith('SQLITE_READONLY')) return 'the database is read-only';
  if (isDamage(code)) return 'the database is damaged';
  if (!code.startsWith('SQLITE_IOERR')) return `the database can't be opened for writing (${code})`;
  return REASONS[findSystemError(file) ?? ''] ?? `the disk reports errors (${code})`;
}

/** Writes a page to a separate file, at the offset of the next page of the write-ahead log. Returns the system's error code. */
function findSystemError(file: string): string | undefined {
  const probe = `${file}.probe`;
  try {
    const sizes = [file, `${file}-wal`].map((path) => statSync(path, { throwIfNoEntry: false })?.size ?? 0);
    const handle = openSync(probe, 'w', 0o600);
    try {
      writeSync(handle, Buffer.alloc(PAGE_BYTES), 0, PAGE_BYTES, Math.max(...sizes));
    } finally {
      closeSync(handle);
    }
    return undefined;
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : undefined;
  } finally {
    rmSync(probe, { force: true });
  }
}
