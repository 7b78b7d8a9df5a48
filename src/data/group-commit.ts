// Group commit: a commit only writes to the log, and one flush on another thread makes all commits before it durable. Checkpoints
// run on another thread too, so the main thread doesn't wait for the disk, however long its flushes take.
import { close, closeSync, fdatasync, fsyncSync, openSync } from 'node:fs';
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
    // Whoever waits gets the error, and health ends the process.
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
 * Lets what leaves a command wait for the server's commits too: the command sees them before the server's next flush. The commits of
 * the connection itself are flushed.
 */
export function flushBeforeEffects(db: Db): void {
  const logFile = logOf(db.$client);
  db.durability = { ...settledByCommit, settle: () => flushLog(logFile) };
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

/**
 * Flushes the log on request. A flush covers all commits before the system call; whoever comes during it shares the next one.
 */
function openFlusher({ $client: client, writes }: Db): Flusher {
  const logFile = logOf(client);
  // Closing it drops no lock, because SQLite locks the other two files. Windows flushes only files that are open for writing.
  const handle = openLog(logFile);
  /** The count of writes up to which everything is on disk. */
  let durable = writes.count;
  /** The same for the running flush; undefined before its system call. */
  let covered: number | undefined;
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  let failure: Error | undefined;

  function begin(): Promise<void> {
    next = undefined;
    covered = undefined;
    running = new Promise((resolve, reject) => {
      // The requests of this turn of the event loop share the flush.
      setImmediate(() => {
        const count = writes.count;
        covered = count;
        fdatasync(handle, (error) => {
          running = undefined;
          if (error === null) {
            durable = count;
            resolve();
            return;
          }
          failure = new Sqlite.SqliteError(`flush of the log: ${error.message}`, 'SQLITE_IOERR_FSYNC');
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
      if (writes.count === durable) return undefined;
      if (next !== undefined) return next;
      if (running === undefined) return begin();
      if (covered === undefined || covered === writes.count) return running;
      next = running.then(begin);
      return next;
    },
    close: () => new Promise((closed) => close(handle, () => closed())),
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
