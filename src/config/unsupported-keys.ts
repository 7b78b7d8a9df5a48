// Keys of features that this version doesn't have: setting one stops the start instead of doing nothing.

import type { ConfigPath, ConfigTable } from './shape.ts';
import { isTable } from './sources.ts';
import { suggestKey } from './suggestion.ts';

/** Keys and whole tables. Remove a line here when the schema gets the key. */
const UNSUPPORTED = ['replication'].map((key) => key.split('.'));

/** Deletes unsupported keys from a raw configuration and returns their paths, so that they aren't reported as unknown. */
export function takeUnsupportedKeys(raw: Record<string, unknown>): string[][] {
  return UNSUPPORTED.filter((path) => {
    const parent = path.slice(0, -1).reduce<unknown>((table, key) => (isTable(table) ? table[key] : undefined), raw);
    const last = path.at(-1) ?? '';
    return isTable(parent) && Object.hasOwn(parent, last) && delete parent[last];
  });
}

/** Says why the schema has no key at `path`: `isn't supported …`, or `unknown key` with a similar one that exists. */
export function explainMissingKey(shape: ConfigTable, path: ConfigPath): string {
  const isUnsupported = UNSUPPORTED.some((known) => known.every((key, depth) => key === path[depth]));
  return isUnsupported ? "isn't supported by this version, remove it" : `unknown key${suggestKey(shape, path)}`;
}
