// Group commit: a commit only writes to the log, and one flush on another thread makes all commits before it durable. Checkpoints
// run on another thread too, so the main thread doesn't wait for the disk, however long its flushes take.
import { close, closeSync, fdatasync, fdatasyncSync, fsyncSync, openSync } from 'node:fs';
import { open } from 'node:fs/promises';
import Sqlite from 'better-sqlite3';
import { SECOND } from '../lib/clock.ts';
import { syncFolderOf } from '../lib/durable-file.ts';
import { type Checkpoints, createCheckpoints, type RunCheckpoint } from './background-checkpoints.ts';
import { leaveCheckpointsToThread } from './checkpoints.ts';
import type { Db } from './database.ts';
import { settledByCommit } from './durability.ts';
import { logOf } from './log-size.ts';

/** Commits that nobody waits for are flushed within this time. */
const LATEST_FLUSH_MS = SECOND;

/**
 * Starts group commit on a connection whose commits have been flushed until now. Returns a function that flushes what is left
 * and goes back to flushing with each commit. With Litestream, `runCheckpoint` is undefined, because only Litestream checkpoints.
 */
export function startGroupCommit(db: Db, runCheckpoint: RunCheckpoint | undefined): () => Promise<void> {
  const { $client: client } = db;
  const flusher = openFlusher(db);
  let checkpoints: Checkpoints | undefined;
  if (runCheckpoint !== undefined) {
    leaveCheckpointsToThread(client);
    checkpoints = createCheckpoints(db, runCheckpoint);
  }
  client.pragma('synchronous = NORMAL');
  db.durability = {
    settle: flusher.settle,
    whenLogIsFree: checkpoints?.whenLogIsFree ?? settledByCommit.whenLogIsFree,
  };
  const timer = setInterval(() => {
    // All that wait get the error, and health ends the process.
    flusher.settle()?.catch(() => undefined);
    checkpoints?.consider();
  }, LATEST_FLUSH_MS).unref();

  return async () => {
    clearInterval(timer);
    // What is still committed while the rest closes is flushed by its commit.
    client.pragma('synchronous = FULL');
    await checkpoints?.stop();
    await flusher.settle();
    db.durability = settledByCommit;
    await flusher.close();
  };
}

/**
 * Lets a command flush each of its commits when SQLite has released its locks, so that a server beside it doesn't wait for the disk. A
 * write returns when it's durable, as before. What leaves the command waits for the server's commits too, because the command sees them
 * before the server's next flush. Returns a function that goes back to flushing with each commit.
 */
export function flushAfterCommits(db: Db, flush: (handle: number) => void = fdatasyncSync): () => Promise<void> {
  const { $client: client, writes } = db;
  const logFile = logOf(client);
  let handle: number | undefined;
  writes.onCommit = () => {
    try {
      // Opening it flushes it too.
      if (handle === undefined) handle = openLog(logFile);
      else flush(handle);
    } catch (error) {
      throw flushError(error);
    }
  };
  client.pragma('synchronous = NORMAL');
  db.durability = { ...settledByCommit, settle: () => flushLog(logFile) };
  return async () => {
    client.pragma('synchronous = FULL');
    delete writes.onCommit;
    if (handle !== undefined) closeSync(handle);
  };
}

/** The error that SQLite throws for a failed flush, which ends the process (health.ts). */
function flushError(error: unknown): Error {
  const message = error instanceof Error ? error.message : String(error);
  return new Sqlite.SqliteError(`flush of the log: ${message}`, 'SQLITE_IOERR_FSYNC');
}

async function flushLog(logFile: string): Promise<void> {
  const handle = await open(logFile, 'r+');
  try {
    await handle.datasync();
  } finally {
    await handle.close();
  }
}

interface Flusher {
  settle(): Promise<void> | undefined;
  close(): Promise<void>;
}

/** What the connection can have seen: its own writes, and SQLite's number for the commits of other processes. */
interface Seen {
  writes: number;
  foreignCommits: number;
}

/**
 * Flushes the log on request. A flush covers all commits before the system call; requests during it share the next one. Commits of
 * commands count too, because these flush them only after the server can see them.
 */
function openFlusher({ $client: client, writes }: Db): Flusher {
  const foreignCommits = client.prepare<[], number>('PRAGMA data_version').pluck();
  /** Unequal to everything if it can't be read, so that the next flush is as good as any. */
  const look = (): Seen => {
    try {
      return { writes: writes.count, foreignCommits: foreignCommits.get() ?? Number.NaN };
    } catch (error) {
      writes.onError?.(error);
      return { writes: writes.count, foreignCommits: Number.NaN };
    }
  };
  const isCurrent = (seen: Seen) => {
    const now = look();
    return seen.writes === now.writes && seen.foreignCommits === now.foreignCommits;
  };
  /** What is on disk: opening the log flushes what was seen before. */
  let durable = look();
  // Closing it drops no lock, because SQLite locks the other two files. Windows flushes only files that are open for writing.
  const handle = openLog(logOf(client));
  /** What the running flush covers; undefined before its system call. */
  let covered: Seen | undefined;
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  let failure: Error | undefined;

  function begin(): Promise<void> {
    next = undefined;
    covered = undefined;
    running = new Promise((resolve, reject) => {
      // The requests of this turn of the event loop share the flush.
      setImmediate(() => {
        const seen = look();
        covered = seen;
        fdatasync(handle, (error) => {
          running = undefined;
          if (error === null) {
            durable = seen;
            resolve();
            return;
          }
          failure = flushError(error);
          writes.onError?.(failure);
          reject(failure);
        });
      });
    });
    return running;
  }

  return {
    settle() {
      if (failure !== undefined) return Promise.reject(failure);
      if (isCurrent(durable)) return undefined;
      if (next !== undefined) return next;
      if (running === undefined) return begin();
      if (covered === undefined || isCurrent(covered)) return running;
      next = running.then(begin);
      return next;
    },
    async close() {
      // One that waits would flush a closed file.
      for (let flush = running; flush !== undefined && failure === undefined; flush = next ?? running)
        await flush.catch(() => undefined);
      await new Promise<void>((closed) => close(handle, () => closed()));
    },
  };
}

/** Opens the log, which exists since the database was opened, and makes its name and content durable. */
function openLog(logFile: string): number {
  const handle = openSync(logFile, 'r+');
  try {
    fsyncSync(handle);
    syncFolderOf(logFile);
    return handle;
  } catch (error) {
    closeSync(handle);
    throw error;
  }
}
