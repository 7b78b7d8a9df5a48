// The statements that some work runs on the database.
import Sqlite from 'better-sqlite3';

export interface StatementRecorder {
  /** Returns the statements that some work runs, in order. */
  statementsOf(work: () => unknown): Promise<string[]>;
  stop(): void;
}

/** Starts recording. Call it before the server prepares any statement: each copies these functions when it is prepared. */
export function recordStatements(): StatementRecorder {
  let seen: string[] | undefined;
  const prototype = Object.getPrototypeOf(new Sqlite(':memory:').prepare('SELECT 1'));
  const originals = (['run', 'get', 'all', 'iterate'] as const).map((name) => [name, prototype[name]] as const);
  for (const [name, original] of originals) {
    prototype[name] = function (this: { source: string }, ...values: unknown[]) {
      seen?.push(this.source);
      return original.apply(this, values);
    };
  }
  return {
    async statementsOf(work) {
      const list: string[] = [];
      seen = list;
      try {
        await work();
      } finally {
        seen = undefined;
      }
      return list;
    },
    stop() {
      for (const [name, original] of originals) prototype[name] = original;
    },
  };
}
