// Commits of a command beside a server. With `synchronous = FULL`, a commit flushes the log while it has the lock of all writers, and a
// command with many transactions takes the lock again at once, so the server waits for both on its main thread.
import { closeSync, fdatasyncSync, openSync } from 'node:fs';
import type Sqlite from 'better-sqlite3';
import type { Db } from './database.ts';
import { logOf } from './log-size.ts';

const MAX_REST_MS = 100;

export interface LockParts {
  /** Flushes the log. */
  flush(): void;
  /** Waits, while the lock is free. */
  rest(ms: number): void;
}

type Work = (...values: never[]) => unknown;

/**
 * Lets each commit of a connection flush the log after it has released the lock, and then leaves the lock to others for as long as the
 * transaction took. The caller still continues only when its commit is on disk. Returns a function to call before the connection closes.
 */
export function shareWriteLock({ $client: client }: Db, given?: LockParts): () => void {
  const handle = given === undefined ? openSync(logOf(client), 'r+') : undefined;
  const { flush, rest } = given ?? { flush: () => fdatasyncSync(handle as number), rest: sleepNow };
  let isShared = true;
  client.pragma('synchronous = NORMAL');

  /** A part of another transaction has its commit there. */
  function shared<F extends Work>(self: unknown, work: F): F {
    const run = (...values: Parameters<F>) => {
      if (!isShared || client.inTransaction) return Reflect.apply(work, self, values);
      const beganAt = performance.now();
      const result = Reflect.apply(work, self, values);
      const tookMs = performance.now() - beganAt;
      if (client.inTransaction) return result;
      flush();
      rest(Math.min(tookMs, MAX_REST_MS));
      return result;
    };
    return run as F;
  }

  const { prepare, transaction } = client;
  client.exec = shared(client, client.exec);
  client.prepare = ((source: string) => {
    const statement: Sqlite.Statement = prepare.call(client, source);
    if (statement.readonly) return statement;
    statement.run = shared(statement, statement.run);
    statement.get = shared(statement, statement.get);
    statement.all = shared(statement, statement.all);
    return statement;
  }) as typeof prepare;
  client.transaction = ((work: (...values: unknown[]) => unknown) => {
    const made = transaction.call(client, work);
    const { deferred, immediate, exclusive } = made;
    const versions = {
      deferred: shared(undefined, deferred),
      immediate: shared(undefined, immediate),
      exclusive: shared(undefined, exclusive),
      database: client,
    };
    return Object.assign(shared(undefined, made), versions, { default: shared(undefined, made.default) });
  }) as typeof transaction;
  return () => {
    // What is still committed while the rest closes is flushed by its commit.
    client.pragma('synchronous = FULL');
    isShared = false;
    flush();
    if (handle !== undefined) closeSync(handle);
  };
}

function sleepNow(ms: number): void {
  if (ms >= 1) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
