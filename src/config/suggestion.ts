// Suggests the intended key for an unknown one.
import type { ConfigPath, ConfigTable } from './shape.ts';

/** Says that the schema has no key at `path`, with a similar one that exists. */
export function explainMissingKey(shape: ConfigTable, path: ConfigPath): string {
  return `unknown key${suggestKey(shape, path)}`;
}

/** Returns `, did you mean "…"?` if the same table has a key with a similar name, otherwise an empty text. */
function suggestKey(shape: ConfigTable, path: ConfigPath): string {
  let table = shape;
  for (const key of path) {
    const node = table.keys.get(key);
    if (node?.kind === 'table') {
      table = node;
      continue;
    }
    const nearest = findNearest(key, [...table.keys.keys()]);
    return nearest === undefined || nearest === key ? '' : `, did you mean "${nearest}"?`;
  }
  return '';
}

function findNearest(word: string, candidates: readonly string[]): string | undefined {
  let best: string | undefined;
  let bestDistance = Math.min(4, Math.ceil(word.length / 2) + 1);
  for (const candidate of candidates) {
    const distance = measureDistance(word.slice(0, 64), candidate);
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** Returns the Levenshtein distance. */
function measureDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
