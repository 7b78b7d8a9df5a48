// The query plans of the statements that some work runs, for tests that no list reads more rows than it returns.
import type { Database, Statement } from 'better-sqlite3';
import { followWork } from './own-work.ts';

export interface Plan {
  /** The text of the statement. */
  source: string;
  /** The steps, such as "SEARCH devices USING INDEX …". */
  steps: string[];
}

const METHODS = ['run', 'get', 'all', 'iterate'] as const;
type Runner = Record<(typeof METHODS)[number], (this: Statement, ...values: unknown[]) => unknown>;

/**
 * Returns the plans of the statements that `work` runs, each as often as it runs. Statements that write must be prepared in it. What
 * the server does by itself at the time doesn't count.
 */
export async function plansOf(client: Database, work: () => unknown): Promise<Plan[]> {
  // All statements of the process share it.
  const statements = Object.getPrototypeOf(client.prepare('SELECT 1')) as Runner;
  const originals = METHODS.map((name) => [name, statements[name]] as const);
  const sources: string[] = [];
  const { run, isOwn, stop } = followWork();
  for (const [name, original] of originals) {
    statements[name] = function (...values) {
      if (isOwn()) sources.push(this.source);
      return original.apply(this, values);
    };
  }
  try {
    await run(work);
  } finally {
    stop();
    Object.assign(statements, Object.fromEntries(originals));
  }
  return sources
    .filter((source) => /^\s*(?:select|with|insert|update|delete)/i.test(source))
    .map((source) => explain(client, source));
}

function explain(client: Database, source: string): Plan {
  const names = [...source.matchAll(/[@:]([a-z]\w*)/gi)].map(([, name]) => [name, '']);
  const values = names.length > 0 ? [Object.fromEntries(names)] : (source.match(/\?/g) ?? []).map(() => '');
  const rows = client.prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${source}`).all(...values);
  return { source, steps: rows.map(({ detail }) => detail) };
}

/** Returns the steps that read a table, of all plans. */
export const stepsOn = (table: string, plans: readonly Plan[]): string[] =>
  plans
    .filter(({ source }) => new RegExp(`\\b${table}\\b`).test(source))
    .flatMap(({ steps }) => steps)
    .filter((step) => step.includes(table) || step.includes('TEMP B-TREE'));
