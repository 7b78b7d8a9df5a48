// The CSV of an audit trail: a header and one line for each event (docs/specification/audit.md#csv).
import { csvLine } from '../lib/csv.ts';
import type { AuditRow } from './schema.ts';

const COLUMNS = ['timestamp', 'event_type_label', 'data_type_label', 'ip_address'] as const;

export const auditCsvHeader = csvLine(COLUMNS);

/** Returns the line of an event. */
export function auditCsvLine(row: AuditRow): string {
  return csvLine(COLUMNS.map((column) => row[column]));
}
