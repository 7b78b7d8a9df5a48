// The longest write transaction of a process: how long it keeps other processes from writing.
import Sqlite from 'better-sqlite3';
import { openRunQueue, type RunQueue } from './run-queue.ts';

export interface Locked {
  /** From the moment at which the process had the lock to the end of the commit, apart from waiting for a processor. */
  ms: number;
  /** Of it on the processor. */
  cpuMs: number;
  /** How much longer it was because other programs had the processors. */
  queuedMs: number;
}

const NONE: Locked = { ms: 0, cpuMs: 0, queuedMs: 0 };

type Work = (...values: unknown[]) => unknown;

const readCpu = () => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};

/** Watches the transactions of all connections that are opened from now on. Returns the longest since the last call. */
export function watchLocks(queue: Pick<RunQueue, 'read'> = openRunQueue()): () => Locked {
  let longest = NONE;
  let since = { at: 0, cpu: 0, queued: 0 };
  const begin = () => {
    since = { at: performance.now(), cpu: readCpu(), queued: queue.read() };
  };
  const end = () => {
    const queuedMs = queue.read() - since.queued;
    const ms = Math.max(0, performance.now() - since.at - queuedMs);
    const held = { ms, cpuMs: readCpu() - since.cpu, queuedMs };
    if (held.ms > longest.ms) longest = held;
  };
  const prototype = Sqlite.prototype as unknown as { transaction: (work: Work) => Record<string, unknown> };
  const { transaction } = prototype;
  prototype.transaction = function (this: Sqlite.Database, work: Work) {
    const isInner = () => this.inTransaction;
    const made = transaction.call(this, (...values: unknown[]) => {
      // BEGIN IMMEDIATE has waited for the lock.
      begin();
      return work(...values);
    });
    const inner = transaction.call(this, work);
    const immediate: Work = (...values) => {
      if (isInner()) return (inner.immediate as Work)(...values);
      try {
        return (made.immediate as Work)(...values);
      } finally {
        end();
      }
    };
    const { deferred, exclusive } = inner;
    const run: Work = (...values) => (inner as unknown as Work)(...values);
    return Object.assign(run, { immediate, deferred, exclusive, default: run, database: this }) as never;
  };
  return () => {
    const found = longest;
    longest = NONE;
    return found;
  };
}
