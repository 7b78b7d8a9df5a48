// Follows references through the resource table: to the text of a label, and to the files of an icon.
import type { ConfiguredValue, ResourceTable } from './resource-table.ts';
import { type ResourceValue, referenceOf, textOf } from './resource-value.ts';

const deepest = 16;
const mostLookups = 512;

/** The text a value stands for, following references in the default locale; null when it leads nowhere. */
export function resolveText(value: ResourceValue | undefined, table: ResourceTable | null): string | null {
  let current = value;
  for (let depth = 0; current && depth < deepest; depth += 1) {
    const id = referenceOf(current);
    if (id === null) return textOf(current);
    current = pickDefault(table?.find(id) ?? [])?.value;
  }
  return null;
}

// Default configuration first, then anything without a locale, then English, then whatever there is.
function pickDefault(values: ConfiguredValue[]): ConfiguredValue | undefined {
  return (
    values.find((value) => value.isDefault) ??
    values.find((value) => !value.hasLocale) ??
    values.find((value) => value.language === 'en') ??
    values[0]
  );
}

/** All files a value stands for in any configuration, highest density first, each once. */
export function resolveFiles(value: ResourceValue, table: ResourceTable | null): string[] {
  const files = new Map<string, number>();
  const seen = new Set<number>();
  const collect = (current: ResourceValue, density: number) => {
    const id = referenceOf(current);
    if (id === null) {
      if (current.text !== null) files.set(current.text, Math.max(density, files.get(current.text) ?? 0));
      return;
    }
    if (seen.has(id) || seen.size >= mostLookups) return;
    seen.add(id);
    for (const found of table?.find(id) ?? []) {
      if (files.size >= mostLookups) return;
      collect(found.value, found.density);
    }
  };
  collect(value, 0);
  return [...files].toSorted(([, a], [, b]) => b - a).map(([file]) => file);
}
