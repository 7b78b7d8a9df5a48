// Lines of CSV files (RFC 4180) that a spreadsheet shows as text and never runs
// (docs/specification/conventions.md#identifiers-and-times).

/** What makes a spreadsheet take a cell for a formula: the signs, their wide forms, and either behind what is not seen. */
const FORMULA_START = /^[\s\p{Cf}]*[=+\-@\uff1d\uff0b\uff0d\uff20]|^[\t\r]/u;

/** One line with its end. A cell that could start a formula gets an apostrophe before it; null is empty. */
export function csvLine(cells: readonly (string | null)[]): string {
  return `${cells.map((cell) => csvCell(cell ?? '')).join(',')}\r\n`;
}

function csvCell(text: string): string {
  const safe = FORMULA_START.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
