// Lines of CSV files (RFC 4180) that a spreadsheet shows as text and never runs
// (docs/specification/conventions.md#identifiers-and-times).

/** Operators that spreadsheets read as the start of a formula, with their full-width and small forms. */
const OPERATOR = String.raw`[=+\-@\uff1d\uff0b\uff0d\uff20\ufe66\ufe62\ufe63\ufe6b]`;

/** The start of a formula, also after invisible characters. */
const FORMULA_START = new RegExp(String.raw`^[\s\p{Cf}]*${OPERATOR}|^[\t\r]`, 'u');

/**
 * The same in the middle of a text. Spreadsheets of languages with a decimal comma, such as German, separate cells at semicolons, and
 * quotes after the first cell of a line don't hold a text together then. A quote after a separator becomes two, which they read as an
 * empty quoted text before what follows.
 */
const LATER_FORMULA_START = new RegExp(String.raw`([;\r\n](?:(?![\r\n])[\s\p{Cf}"])*)(?=${OPERATOR})`, 'gu');

/** Returns one line including its line break. What looks like a formula gets an apostrophe prefix; null becomes an empty cell. */
export function csvLine(cells: readonly (string | null)[]): string {
  return `${cells.map((cell) => csvCell(cell ?? '')).join(',')}\r\n`;
}

function csvCell(text: string): string {
  const later = text.replace(LATER_FORMULA_START, "$1'");
  const safe = FORMULA_START.test(text) ? `'${later}` : later;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
