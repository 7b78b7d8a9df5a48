// Lines of CSV files (RFC 4180) that a spreadsheet shows as text and never runs
// (docs/specification/conventions.md#identifiers-and-times).

/** Starts that spreadsheets read as a formula: the operators and their full-width forms, also after invisible characters. */
const FORMULA_START = /^[\s\p{Cf}]*[=+\-@\uff1d\uff0b\uff0d\uff20]|^[\t\r]/u;

/** Returns one line including its line break. Cells that look like a formula get an apostrophe prefix; null becomes an empty cell. */
export function csvLine(cells: readonly (string | null)[]): string {
  return `${cells.map((cell) => csvCell(cell ?? '')).join(',')}\r\n`;
}

function csvCell(text: string): string {
  const safe = FORMULA_START.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
