// Finds the line of each key in a TOML text, because the parser reports positions only for syntax errors.

/** Maps a key's path to its line, counted from 1. Requires a text that the TOML parser has accepted. */
export type KeyLines = (path: readonly (string | number)[]) => number | undefined;

/** Indexes the keys and table headers of a TOML text. For a path in an inline table, the result is the line of the table's key. */
export function indexTomlLines(source: string): KeyLines {
  const lines = new Map<string, number>();
  const scan: Scan = { source, at: 0, line: 1 };
  let table: string[] = [];
  while (skipToStatement(scan)) {
    const line = scan.line;
    if (source[scan.at] === '[') {
      scan.at += source.startsWith('[[', scan.at) ? 2 : 1;
      table = readKey(scan, ']');
      remember(lines, table, line);
      skipValue(scan);
      continue;
    }
    const path = [...table, ...readKey(scan, '=')];
    remember(lines, path, line);
    skipValue(scan);
  }
  return (path) => {
    for (let length = path.length; length > 0; length--) {
      const line = lines.get(path.slice(0, length).join('\0'));
      if (line !== undefined) return line;
    }
    return undefined;
  };
}

type Scan = { readonly source: string; at: number; line: number };

function remember(lines: Map<string, number>, path: readonly string[], line: number): void {
  for (let length = path.length; length > 0; length--) {
    const name = path.slice(0, length).join('\0');
    if (!lines.has(name)) lines.set(name, line);
  }
}

function skipToStatement(scan: Scan): boolean {
  for (; scan.at < scan.source.length; scan.at++) {
    const character = scan.source[scan.at];
    if (character === '\n') scan.line++;
    else if (character === '#') skipComment(scan);
    else if (character !== ' ' && character !== '\t' && character !== '\r') return true;
  }
  return false;
}

/** Stops at the last character before the line break. */
function skipComment(scan: Scan): void {
  const end = scan.source.indexOf('\n', scan.at);
  scan.at = (end === -1 ? scan.source.length : end) - 1;
}

function readKey(scan: Scan, terminator: string): string[] {
  const parts: string[] = [];
  let bare = '';
  for (; scan.at < scan.source.length; scan.at++) {
    const character = scan.source[scan.at] ?? '';
    if (character === '"' || character === "'") {
      const start = scan.at;
      skipString(scan);
      bare += unquote(scan.source.slice(start, scan.at + 1));
    } else if (character === '.' || character === terminator) {
      parts.push(bare);
      bare = '';
      if (character === terminator) break;
    } else if (character === '\n') break;
    else if (character !== ' ' && character !== '\t') bare += character;
  }
  scan.at++;
  return parts;
}

function unquote(quoted: string): string {
  if (quoted.startsWith("'")) return quoted.slice(1, -1);
  try {
    return String(JSON.parse(quoted));
  } catch {
    return quoted.slice(1, -1);
  }
}

/** Skips to the end of the line on which the value ends. */
function skipValue(scan: Scan): void {
  let depth = 0;
  for (; scan.at < scan.source.length; scan.at++) {
    const character = scan.source[scan.at];
    if (character === '"' || character === "'") skipString(scan);
    else if (character === '#') skipComment(scan);
    else if (character === '[' || character === '{') depth++;
    else if (character === ']' || character === '}') depth--;
    else if (character === '\n') {
      if (depth <= 0) return;
      scan.line++;
    }
  }
}

/** Skips from the opening quote to the last closing one, also over several lines. */
function skipString(scan: Scan): void {
  const quote = scan.source[scan.at] ?? '';
  const fence = quote.repeat(3);
  const isMultiline = scan.source.startsWith(fence, scan.at);
  scan.at += isMultiline ? 3 : 1;
  for (; scan.at < scan.source.length; scan.at++) {
    const character = scan.source[scan.at];
    if (character === '\\' && quote === '"') scan.at++;
    else if (!isMultiline && character === quote) return;
    else if (isMultiline && scan.source.startsWith(fence, scan.at)) break;
    if (scan.source[scan.at] === '\n') scan.line++;
  }
  scan.at += 2;
  while (scan.source[scan.at + 1] === quote) scan.at++;
}
