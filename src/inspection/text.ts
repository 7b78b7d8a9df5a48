// Names found inside packages are untrusted text: kept as they are, but bounded and free of control characters.

// C0 and C1 controls, line and paragraph separators, and the characters that turn the direction of the text around.
const unprintable = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

/** Text fit to store and show: no controls, no lone surrogates, at most `longest` UTF-16 units; null when nothing is left. */
export function cleanText(value: unknown, longest = 255): string | null {
  if (typeof value !== 'string') return null;
  const bounded = value.length > longest * 4 ? value.slice(0, longest * 4) : value;
  let text = bounded.toWellFormed().replace(unprintable, '').trim();
  if (text.length > longest) text = text.slice(0, longest).replace(/[\ud800-\udbff]$/, '');
  return text === '' ? null : text;
}

/** The cleaned, distinct texts of a list, sorted, at most `most` of them. */
export function cleanList(values: Iterable<unknown>, most: number, longest = 255): string[] {
  const kept = new Set<string>();
  for (const value of values) {
    if (kept.size >= most) break;
    const text = cleanText(value, longest);
    if (text !== null) kept.add(text);
  }
  return [...kept].sort();
}
