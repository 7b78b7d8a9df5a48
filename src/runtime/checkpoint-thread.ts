// Checkpoints of the database in a thread of their own, because they flush files.
import Sqlite from 'better-sqlite3';
import type { Logger } from 'pino';
import { checkpointWorker } from '../lib/assets.ts';
import { MINUTE } from '../lib/clock.ts';
import { createTaskThread } from './task-thread.ts';

export interface CheckpointTask {
  file: string;
  /** Path of SQLite's native addon if it isn't in node_modules. */
  nativeBinding: string | undefined;
}

/** Empty, or an error of SQLite. */
export interface CheckpointOutcome {
  code?: string;
  message?: string;
}

export interface CheckpointThread {
  /** Checkpoints as far as no other connection reads the log. Returns whether the thread ended it. Rejects with an error of SQLite. */
  run(): Promise<boolean>;
  close(): Promise<void>;
}

/** Longer than any disk takes for the pages of a log. The thread isn't stopped during a system call. */
const TIMEOUT_MS = 10 * MINUTE;
const MEMORY_MB = 32;

/** Creates the thread of a database. It starts with the first checkpoint and ends when there are none. */
export function createCheckpointThread(task: CheckpointTask, log: Pick<Logger, 'warn'>): CheckpointThread {
  const thread = createTaskThread<CheckpointTask, CheckpointOutcome>({
    entry: checkpointWorker(),
    timeoutMs: TIMEOUT_MS,
    maxMemoryMb: MEMORY_MB,
    maxWaiting: 1,
  });
  return {
    async run() {
      const outcome = await thread.run(task).catch((error: unknown) => {
        // The next checkpoint starts another thread.
        log.warn({ err: error }, 'checkpoint not finished');
        return undefined;
      });
      if (outcome === undefined) return false;
      const { code, message } = outcome;
      if (code !== undefined) throw new Sqlite.SqliteError(`checkpoint: ${message}`, code);
      return true;
    },
    close: () => thread.close(),
  };
}
