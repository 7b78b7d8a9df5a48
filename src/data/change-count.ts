// How often a connection may have changed rows: what was read before is as good as new while the number stays the same.
import type Sqlite from 'better-sqlite3';

export interface Writes {
  /** Grows with each statement that may change rows, and with each end of a transaction, which may take changes back. */
  count: number;
  /** Called with whatever a write or a transaction throws, before it's thrown on. */
  onError?: (error: unknown) => void;
}

/**
 * Counts the writes of a connection from now on. SQLite's own count of changes would have to be asked for by a statement, at
 * a microsecond a time, and does not tell of a rollback.
 */
export function countWrites(client: Sqlite.Database): Writes {
  const writes: Writes = { count: 0 };

  /** The same function, which counts before it runs. */
  function counted<F extends (...values: never[]) => unknown>(self: unknown, work: F): F {
    const count = (...values: Parameters<F>) => {
      writes.count += 1;
      return observe(() => Reflect.apply(work, self, values));
    };
    return count as F;
  }

  function observe<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      writes.onError?.(error);
      throw error;
    }
  }

  /** A commit fails after the work that was counted, so the transaction as a whole is observed too. */
  function observed<F extends (...values: never[]) => unknown>(run: F): F {
    return ((...values: Parameters<F>) => observe(() => run(...values))) as F;
  }

  const { prepare, transaction } = client;
  client.exec = counted(client, client.exec);
  client.prepare = ((source: string) => {
    const statement: Sqlite.Statement = prepare.call(client, source);
    if (statement.readonly) return statement;
    statement.run = counted(statement, statement.run);
    statement.get = counted(statement, statement.get);
    statement.all = counted(statement, statement.all);
    statement.iterate = counted(statement, statement.iterate);
    return statement;
  }) as typeof prepare;
  client.transaction = ((work: (...values: unknown[]) => unknown) => {
    const made = transaction.call(client, (...values: unknown[]) => {
      try {
        return work(...values);
      } finally {
        // Before the commit or the rollback: nobody reads in between, and whoever reads after either reads anew.
        writes.count += 1;
      }
    });
    const { deferred, immediate, exclusive } = made;
    const versions = {
      deferred: observed(deferred),
      immediate: observed(immediate),
      exclusive: observed(exclusive),
      database: client,
    };
    return Object.assign(observed(made), versions, { default: observed(made.default) });
  }) as typeof transaction;
  return writes;
}
