// Email addresses in pasted text: lists with commas, semicolons or lines, "Name <address>", and CSV with a header.

/** Addresses of one dialog, because each is sent in a request of its own. */
export const MAX_ADDRESSES = 50;

export interface ParsedAddresses {
  /** In lower case, each once, in the order of the text. */
  addresses: string[];
  /** Entries that aren't addresses, as they were written. */
  invalid: string[];
}

const ADDRESS = /^[^\s@<>()[\]\\,;:"]{1,64}@[^\s@<>()[\]\\,;:"]+$/;
const ADDRESS_HEADER = /^(e-?mail|mail)([ _-]?(address|adresse))?$/i;

/** Finds the addresses in a text. */
export function parseAddresses(written: string): ParsedAddresses {
  // A file can begin with a byte order mark, and end its lines as older Macs did.
  const text = written.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n');
  const addresses = new Set<string>();
  const invalid = new Set<string>();
  for (const entry of readColumn(text) ?? splitList(text)) {
    const found = readEntry(entry);
    if (found === undefined) invalid.add(entry);
    else for (const address of found) addresses.add(address.toLowerCase());
  }
  return { addresses: [...addresses], invalid: [...invalid] };
}

/** Returns the column of addresses if the text is CSV with a header that names it. */
function readColumn(text: string): string[] | undefined {
  const [header = '', ...lines] = (splitRows(text) ?? text.split('\n')).filter((line) => line.trim() !== '');
  const separator = ['\t', ';', ','].find((candidate) => header.includes(candidate)) ?? ',';
  const names = splitOutsideQuotes(header, separator).map(unquote);
  const column = names.findIndex((name) => ADDRESS_HEADER.test(name));
  if (column < 0) return undefined;
  return lines.map((line) => unquote(splitOutsideQuotes(line, separator)[column] ?? '') || line.trim());
}

/**
 * Splits CSV into its rows, each on one line although quoted cells can contain line breaks. Returns undefined if there are quotes inside
 * of a cell.
 */
function splitRows(text: string): string[] | undefined {
  const cell = /(?: *"[^"]*(?:""[^"]*)*" *|[^"\n,;\t]*)(?:[,;\t\n]|$)/y;
  const rows: string[] = [];
  let start = 0;
  while (cell.lastIndex < text.length) {
    const found = cell.exec(text)?.[0];
    if (found === undefined) return undefined;
    if (!found.endsWith('\n')) continue;
    rows.push(text.slice(start, cell.lastIndex));
    start = cell.lastIndex;
  }
  return [...rows, text.slice(start)].map((row) => row.replaceAll('\n', ' '));
}

function splitList(text: string): string[] {
  return splitOutsideQuotes(text, ',;\t\n')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}

/** Splits at any of the separators, except inside of quotes. An unclosed quote ends with its line. */
function splitOutsideQuotes(text: string, separators: string): string[] {
  const parts: string[] = [];
  let start = 0;
  let isQuoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] ?? '';
    if (character === '"') isQuoted = !isQuoted;
    if (character === '\n') isQuoted = false;
    if (isQuoted || !separators.includes(character)) continue;
    parts.push(text.slice(start, at));
    start = at + 1;
  }
  return [...parts, text.slice(start)];
}

function unquote(cell: string): string {
  const trimmed = cell.trim();
  const inner = /^"(.*)"$/s.exec(trimmed)?.[1];
  return inner === undefined ? trimmed : inner.replaceAll('""', '"').trim();
}

/** Returns the addresses of an entry: one, or several separated by spaces. Undefined if it contains anything else. */
function readEntry(entry: string): string[] | undefined {
  const bracketed = /<([^<>]*)>\s*$/.exec(entry)?.[1];
  const words = (bracketed ?? unquote(entry)).trim().split(/\s+/);
  const found = words.map((word) => word.replace(/^mailto:/i, ''));
  return found.every((word) => ADDRESS.test(word)) ? found : undefined;
}
