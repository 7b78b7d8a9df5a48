// Counts the writes of a connection. While the count is unchanged, rows that were read earlier are still current.
import type Sqlite from 'better-sqlite3';
import { takeLock } from './lock-wait.ts';

export interface Writes {
  /** Increases with each statement that may change rows, and at each end of a transaction, because a rollback undoes changes. */
  count: number;
  /** Called with every error of a write or transaction before it's rethrown. */
  onError?: (error: unknown) => void;
  /** Called after each commit, when SQLite has released its locks. What it throws is thrown by the write. */
  onCommit?: () => void;
}

/**
 * Starts counting the writes of a connection, which wait for the lock of writers for `busyTimeoutMs`. SQLite's own change counter takes
 * a statement (a microsecond) to read, and doesn't change on rollback.
 */
export function countWrites(client: Sqlite.Database, busyTimeoutMs: number): Writes {
  const writes: Writes = { count: 0 };

  /** Returns the same function with counting added. */
  function counted<F extends (...values: never[]) => unknown>(self: unknown, work: F): F {
    const count = (...values: Parameters<F>) => {
      writes.count += 1;
      return observe(() => Reflect.apply(work, self, values));
    };
    return count as F;
  }

  function observe<T>(work: () => T): T {
    try {
      const result = work();
      if (writes.onCommit !== undefined && !client.inTransaction) writes.onCommit();
      return result;
    } catch (error) {
      writes.onError?.(error);
      throw error;
    }
  }

  /**
   * Returns the same function of a statement, repeated until it gets the lock: without it, a statement changes nothing. Within a transaction
   * it runs once: with the lock it needs no other, and without it, SQLite may report the lock immediately.
   */
  function locking<F extends (...values: never[]) => unknown>(self: unknown, work: F): F {
    return ((...values: Parameters<F>) => {
      const attempt = () => Reflect.apply(work, self, values);
      return client.inTransaction ? attempt() : takeLock(attempt, busyTimeoutMs);
    }) as F;
  }

  /** Several statements in one text can have committed before the one that failed. */
  function observeAll(exec: typeof client.exec): typeof client.exec {
    return (source) => {
      try {
        return exec(source);
      } catch (error) {
        // Flushes them like any other commit.
        observe(() => undefined);
        throw error;
      }
    };
  }

  /** Observes the whole transaction too, because it commits after all counted statements, and the commit can fail. */
  function observed<F extends (...values: never[]) => unknown>(run: F): F {
    return ((...values: Parameters<F>) => observe(() => run(...values))) as F;
  }

  const { prepare, transaction } = client;
  client.exec = observeAll(counted(client, client.exec));
  client.prepare = ((source: string) => {
    const statement: Sqlite.Statement = prepare.call(client, source);
    if (statement.readonly) return statement;
    statement.run = counted(statement, locking(statement, statement.run));
    statement.get = counted(statement, locking(statement, statement.get));
    statement.all = counted(statement, locking(statement, statement.all));
    statement.iterate = counted(statement, statement.iterate);
    return statement;
  }) as typeof prepare;
  client.transaction = ((work: (...values: unknown[]) => unknown) => {
    let hasBegun = false;
    const made = transaction.call(client, (...values: unknown[]) => {
      hasBegun = true;
      try {
        return work(...values);
      } finally {
        // Runs before the commit or rollback. No code can read in between, so every later read sees the new count.
        writes.count += 1;
      }
    });
    const { deferred, immediate, exclusive } = made;
    /** Repeats only the beginning of the transaction, because the work may have effects of its own. */
    const beginning = <F extends (...values: never[]) => unknown>(run: F): F => {
      const begin = (...values: Parameters<F>) => {
        hasBegun = false;
        return run(...values);
      };
      return observed(((...values: Parameters<F>) =>
        takeLock(
          () => begin(...values),
          busyTimeoutMs,
          () => hasBegun,
        )) as F);
    };
    const versions = {
      deferred: observed(deferred),
      immediate: beginning(immediate),
      exclusive: beginning(exclusive),
      database: client,
    };
    return Object.assign(observed(made), versions, { default: observed(made.default) });
  }) as typeof transaction;
  return writes;
}
