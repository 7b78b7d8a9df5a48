// Health check of stored packages: lists known damage from the database.
import type Sqlite from 'better-sqlite3';
import { describeProblem } from '../builds/integrity.ts';
import type { PackageProblem } from '../builds/integrity-store.ts';
import { hasTable } from '../data/has-table.ts';
import { type Finding, fail } from './finding.ts';

const SHOWN = 3;

const PROBLEMS = `SELECT build_id AS id, problem FROM package_integrity WHERE problem IS NOT NULL ORDER BY verified_at LIMIT ${SHOWN}`;
const COUNT = 'SELECT count(*) FROM package_integrity WHERE problem IS NOT NULL';

/** Whether the database has the table, which older versions didn't have. */
export function hasIntegrity(client: Sqlite.Database): boolean {
  return hasTable(client, 'package_integrity');
}

/** Returns a finding if a download, a cleanup job or a storage check found damaged packages. */
export function checkPackages(client: Sqlite.Database): Finding[] {
  if (!hasIntegrity(client)) return [];
  const count = client.prepare<[], number>(COUNT).pluck().get() ?? 0;
  if (count === 0) return [];
  const rows = client.prepare<[], { id: string; problem: PackageProblem }>(PROBLEMS).all();
  const shown = rows.map(({ id, problem }) => `the package of build ${id} ${describeProblem(problem)}`).join('; ');
  const more = count > SHOWN ? `; and ${count - SHOWN} more, which taxiway verify lists` : '';
  const advice =
    count === 1
      ? 'Nobody can download it. Restore the file from a backup; it is read again within the hour'
      : 'Nobody can download them. Restore the files from a backup; they are read again within the hour';
  return [
    fail('packages', `${shown}${more}. ${advice}`, 'packages_damaged', {
      count,
      builds: rows.map(({ id }) => id).join(', '),
    }),
  ];
}
