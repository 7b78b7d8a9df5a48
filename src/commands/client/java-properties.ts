// Properties files of Java, which TeamCity writes.

const escapes: Record<string, string> = { t: '\t', n: '\n', r: '\r', f: '\f' };

/** Returns the values by their keys. Lines that end with a backslash continue on the next. */
export function readProperties(text: string): Map<string, string> {
  const found = new Map<string, string>();
  const lines = text.replace(/(?<!\\)((?:\\\\)*)\\(?:\r\n|\n|\r)[ \t\f]*/g, '$1').split(/[\r\n]+/);
  for (const line of lines) {
    const entry = line.trimStart();
    if (entry === '' || entry.startsWith('#') || entry.startsWith('!')) continue;
    const [, key = '', value = ''] = /^((?:\\.|[^\\=:\s])*)\s*[=:]?\s*(.*)$/s.exec(entry) ?? [];
    found.set(readEscapes(key), readEscapes(value));
  }
  return found;
}

function readEscapes(text: string): string {
  return text.replace(/\\(?:u([0-9a-fA-F]{4})|(.))/gs, (_, unit: string | undefined, other: string | undefined) =>
    unit === undefined ? (escapes[other ?? ''] ?? other ?? '') : String.fromCharCode(Number.parseInt(unit, 16)),
  );
}
