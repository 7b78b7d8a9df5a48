// The health check of totals that triggers keep: compares them with a recount. Reads every download, report and build, so only the
// command does.
import type Sqlite from 'better-sqlite3';
import { listFills } from '../data/background-fills.ts';
import { compareTotals, hasTotals } from '../data/totals.ts';
import { type Finding, fail, ok } from './finding.ts';

const NAME = 'totals';

/** Recounts downloads, reports of installs, and builds. */
export function recountTotals(client: Sqlite.Database): Finding[] {
  if (!hasTotals(client)) return [];
  // They are compared once they are complete.
  if (listFills(client).some(({ name }) => name !== 'version_keys')) return [];
  const wrong = compareTotals(client);
  if (wrong.length === 0) return [ok(NAME, 'equal a recount of downloads, reports and builds')];
  const tables = wrong.map(({ table, rows }) => `${table} (${rows})`).join(', ');
  return [fail(NAME, `rows differ from a recount: ${tables}; run check --repair, and report this as a bug`)];
}
