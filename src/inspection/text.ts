// Names in packages are untrusted text: kept, but limited in length and without control characters.

// C0 and C1 controls, line and paragraph separators, and bidirectional controls.
const unprintable = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

/** Returns text that is safe to store and display: no controls, no lone surrogates, at most `longest` UTF-16 units; null if empty. */
export function cleanText(value: unknown, longest = 255): string | null {
  if (typeof value !== 'string') return null;
  const bounded = value.length > longest * 4 ? value.slice(0, longest * 4) : value;
  let text = bounded.toWellFormed().replace(unprintable, '').trim();
  if (text.length > longest) text = text.slice(0, longest).replace(/[\ud800-\udbff]$/, '');
  return text === '' ? null : text;
}

/** Returns the cleaned, distinct texts of a list, sorted, at most `max`. */
export function cleanList(values: Iterable<unknown>, max: number, longest = 255): string[] {
  const kept = new Set<string>();
  for (const value of values) {
    if (kept.size >= max) break;
    const text = cleanText(value, longest);
    if (text !== null) kept.add(text);
  }
  return [...kept].sort();
}
