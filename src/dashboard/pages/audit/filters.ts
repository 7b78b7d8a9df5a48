// Filters of the audit trail, and its CSV file.
import { auditCsvHeader, auditCsvLine } from '../../../audit/csv.ts';
import type { AuditRow } from '../../../audit/schema.ts';
import { actorName, formatDetails } from '../../components/event-texts.ts';

/** `event` and `type` as in the events themselves. An empty string means no filter. */
export interface Filters {
  event: string;
  type: string;
  actor: string;
  search: string;
}

export const noFilters: Filters = { event: '', type: '', actor: '', search: '' };

/** Returns the events that match every filter. `describe` returns what is shown of an event, to search it too. */
export function filterEvents(
  rows: readonly AuditRow[],
  { event, type, actor, search }: Filters,
  describe: (row: AuditRow) => string = () => '',
): AuditRow[] {
  const term = search.trim().toLowerCase();
  return rows.filter(
    (row) =>
      (event === '' || row.event === event) &&
      (type === '' || row.type === type) &&
      (actor === '' || actorName(row) === actor) &&
      (term === '' ||
        [formatDetails(row.details), row.identifier, row.ip_address ?? '', describe(row)].some((text) =>
          text.toLowerCase().includes(term),
        )),
  );
}

/** Returns the distinct values of a column, sorted, as options of a filter. */
export function listValues(rows: readonly AuditRow[], read: (row: AuditRow) => string): string[] {
  return [...new Set(rows.map(read))].filter((value) => value !== '').sort((one, other) => one.localeCompare(other));
}

/** Returns the CSV (docs/specification/audit.md#csv), which is safe to open in a spreadsheet. */
export function writeCsv(rows: readonly AuditRow[]): string {
  return auditCsvHeader + rows.map(auditCsvLine).join('');
}

export type Days = { day: string } | { from: string; to: string };

/** Returns the requested days; undefined if they are incomplete or reversed. */
export function readDays(kind: 'day' | 'range', day: string, from: string, to: string): Days | undefined {
  if (kind === 'day') return day === '' ? undefined : { day };
  return from === '' || to === '' || from > to ? undefined : { from, to };
}

/** Returns the file name. */
export function nameCsv(days: Days): string {
  return 'day' in days ? `audit-${days.day}.csv` : `audit-${days.from}-to-${days.to}.csv`;
}
