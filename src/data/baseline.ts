// The baseline: the tables after one of the migrations. A new database gets them in one step, because running the migrations
// up to there takes four times as long.
import type Sqlite from 'better-sqlite3';
import { readAsset } from '../lib/assets.ts';

/** The file in migrations/, which scripts/baseline writes. */
export const BASELINE_FILE = 'baseline.sql';

const HEADER = /^-- Tables after (\w+)\..*\n/;

/** Returns the baseline with the migrations that it includes, or undefined if the given ones don't begin with these. */
export function findBaseline<Migration extends { name: string }>(
  migrations: readonly Migration[],
  embedded: readonly Migration[],
): { included: readonly Migration[]; sql: string } | undefined {
  const sql = readAsset(`migrations/${BASELINE_FILE}`).toString('utf8');
  const last = HEADER.exec(sql)?.[1];
  const included = embedded.slice(0, embedded.findIndex(({ name }) => name === last) + 1);
  if (included.length === 0) throw new Error(`${BASELINE_FILE} names no migration: run scripts/baseline`);
  return included.every((migration, index) => migration === migrations[index]) ? { included, sql } : undefined;
}

/** Returns the content of the baseline: the tables of a database that has no rows, and has the migrations up to `last`. */
export function writeBaseline(client: Sqlite.Database, last: string): string {
  const statements = client
    .prepare<[], string>(
      `SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND tbl_name NOT IN ('schema_migrations', 'sqlite_sequence')
        ORDER BY rowid`,
    )
    .pluck()
    .all();
  return `-- Tables after ${last}. Written by scripts/baseline.\n${statements.map((sql) => `${sql};\n`).join('')}`;
}
