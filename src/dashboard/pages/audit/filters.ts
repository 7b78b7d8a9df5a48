// What of the events that were read is shown, and as which file it is saved.
import { auditCsvHeader, auditCsvLine } from '../../../audit/csv.ts';
import type { AuditRow } from '../../../audit/schema.ts';
import { actorOf, writeDetails } from '../../parts/event-texts.ts';

/** '' is no filter. */
export interface Filters {
  event: string;
  type: string;
  actor: string;
  words: string;
}

export const noFilters: Filters = { event: '', type: '', actor: '', words: '' };

/** The events that pass every filter. */
export function filterEvents(rows: readonly AuditRow[], { event, type, actor, words }: Filters): AuditRow[] {
  const wanted = words.trim().toLowerCase();
  return rows.filter(
    (row) =>
      (event === '' || row.event_type_label === event) &&
      (type === '' || row.data_type_label === type) &&
      (actor === '' || actorOf(row) === actor) &&
      (wanted === '' ||
        [writeDetails(row.details), row.identifier, row.ip_address ?? ''].some((text) =>
          text.toLowerCase().includes(wanted),
        )),
  );
}

/** The values of a column, each once, sorted; for a filter to choose from. */
export function listValues(rows: readonly AuditRow[], read: (row: AuditRow) => string): string[] {
  return [...new Set(rows.map(read))].filter((value) => value !== '').sort((one, other) => one.localeCompare(other));
}

/** The CSV of the specification: its four columns, safe to open in a spreadsheet. */
export function writeCsv(rows: readonly AuditRow[]): string {
  return auditCsvHeader + rows.map(auditCsvLine).join('');
}

export type Days = { day: string } | { from: string; to: string };

/** What is asked of the server; undefined while the days make no period. */
export function readDays(kind: 'day' | 'range', day: string, from: string, to: string): Days | undefined {
  if (kind === 'day') return day === '' ? undefined : { day };
  return from === '' || to === '' || from > to ? undefined : { from, to };
}

/** Name of the file. */
export function nameCsv(days: Days): string {
  return 'day' in days ? `audit-${days.day}.csv` : `audit-${days.from}-to-${days.to}.csv`;
}
