// Damage of a database file. Imports little, because a process that only checks a database loads it.
import { statSync } from 'node:fs';
import type Sqlite from 'better-sqlite3';
import { codeOf } from '../lib/error-code.ts';
import { databaseBytes } from './database-size.ts';

const MAX_PROBLEMS = 10;

/** Returns up to ten problems in SQLite's wording; empty for an intact database. Errors of the check itself count as problems. */
export function findDamage(client: Sqlite.Database, pragma: 'quick_check' | 'integrity_check'): string[] {
  try {
    if (isShort(client)) return ['the file is shorter than its header says'];
    const rows = client.prepare<[], string>(`PRAGMA ${pragma}(${MAX_PROBLEMS})`).pluck().all();
    return rows.length === 1 && rows[0] === 'ok'
      ? []
      : rows.map((row) => row.replace(/^\*\*\* in database main \*\*\*\n/, ''));
  } catch (error) {
    const code = codeOf(error);
    if (!/^SQLITE_(?:CORRUPT|NOTADB|ERROR|IOERR)/.test(code)) throw error;
    return [`${error instanceof Error ? error.message : String(error)} (${code})`];
  }
}

/** SQLite doesn't notice missing pages at the end if nothing refers to them. Pages in a log aren't in the file yet. */
function isShort(client: Sqlite.Database): boolean {
  const log = statSync(`${client.name}-wal`, { throwIfNoEntry: false });
  return (log?.size ?? 0) === 0 && statSync(client.name).size < databaseBytes(client);
}
