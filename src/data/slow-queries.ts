// Measures SQL statements. Logs those that take long with SQLite's plan. Values are never logged, because they contain secrets.
import type Sqlite from 'better-sqlite3';

/** A statement that took too long. */
export interface SlowQuery {
  ms: number;
  sql: string;
  /** The steps of SQLite's query plan, as in EXPLAIN QUERY PLAN. */
  plan: readonly string[];
}

/** The same statement isn't reported more often, because a busy server would fill the log with it. */
const PAUSE_MS = 60_000;
const MAX_SQL_LENGTH = 1_000;
/** Statements reported recently. Generated SQL could otherwise fill the memory. */
const MAX_REMEMBERED = 200;

/**
 * Calls `around` for each execution of a statement, with its text, a function that executes it, and its values. Only covers statements
 * that are prepared afterwards. Rows that are read one by one (`iterate`) aren't included, because their time is mostly
 * that of the reader.
 */
export function measureStatements(
  client: Sqlite.Database,
  around: <T>(source: string, run: () => T, values: readonly unknown[]) => T,
): void {
  const { prepare } = client;

  function measured<F extends (...values: never[]) => unknown>(statement: Sqlite.Statement, method: F): F {
    const { source } = statement;
    const run = (...values: Parameters<F>) => around(source, () => method.apply(statement, values), values);
    return run as F;
  }

  client.prepare = ((source: string) => {
    const statement: Sqlite.Statement = prepare.call(client, source);
    statement.run = measured(statement, statement.run);
    statement.get = measured(statement, statement.get);
    statement.all = measured(statement, statement.all);
    return statement;
  }) as typeof prepare;
}

/** Reports each statement of a connection that takes at least `limitMs`, at most once a minute. */
export function watchSlowQueries(client: Sqlite.Database, limitMs: number, report: (query: SlowQuery) => void): void {
  const { prepare } = client;
  const reportedAt = new Map<string, number>();

  function explain(sql: string, values: readonly unknown[]): string[] {
    try {
      const statement: Sqlite.Statement = prepare.call(client, `EXPLAIN QUERY PLAN ${sql}`);
      return (statement.all(...values) as { detail: string }[]).map(({ detail }) => detail);
    } catch {
      // Statements such as PRAGMA have no plan.
      return [];
    }
  }

  function note(sql: string, values: readonly unknown[], ms: number): void {
    const now = performance.now();
    if (now - (reportedAt.get(sql) ?? Number.NEGATIVE_INFINITY) < PAUSE_MS) return;
    if (reportedAt.size >= MAX_REMEMBERED) reportedAt.clear();
    reportedAt.set(sql, now);
    const shown = sql.replace(/\s+/g, ' ').trim().slice(0, MAX_SQL_LENGTH);
    report({ ms: Math.round(ms), sql: shown, plan: explain(sql, values) });
  }

  measureStatements(client, (source, run, values) => {
    const startedAt = performance.now();
    const result = run();
    const ms = performance.now() - startedAt;
    if (ms >= limitMs) note(source, values, ms);
    return result;
  });
}
