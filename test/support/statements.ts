// The statements that the server runs on its database, for tests that requests do the same work.
import Sqlite from 'better-sqlite3';
import { followWork } from './own-work.ts';

export interface StatementRecorder {
  /** Returns the statements that some work runs, also in the requests that it sends, in order. Others at the time don't count. */
  during(work: () => unknown): Promise<string[]>;
  stop(): void;
}

/** Records statements. Start it before the server: each statement copies the recorded functions when it is prepared. */
export function recordStatements(): StatementRecorder {
  const { run, isOwn, stop } = followWork();
  let statements: string[] = [];
  const prototype = Object.getPrototypeOf(new Sqlite(':memory:').prepare('SELECT 1'));
  const originals = (['run', 'get', 'all', 'iterate'] as const).map((name) => [name, prototype[name]] as const);
  for (const [name, original] of originals) {
    prototype[name] = function (this: { source: string }, ...values: unknown[]) {
      if (isOwn()) statements.push(this.source);
      return original.apply(this, values);
    };
  }
  return {
    async during(work) {
      statements = [];
      await run(work);
      return statements;
    },
    stop() {
      stop();
      for (const [name, original] of originals) prototype[name] = original;
    },
  };
}
