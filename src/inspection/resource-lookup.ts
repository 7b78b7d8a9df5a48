// Resolves references in the resource table: to a label's text and an icon's files.
import type { ConfiguredValue, ResourceTable } from './resource-table.ts';
import { isTrue, type ResourceValue, referenceOf, textOf } from './resource-value.ts';

const deepest = 16;
const maxLookups = 512;

/** Returns the text of a value, following references in the default locale, or null. */
export function resolveText(value: ResourceValue | undefined, table: ResourceTable | null): string | null {
  const found = resolveValue(value, table);
  return found === undefined ? null : textOf(found);
}

/** Returns whether Android takes a value for true, following references. */
export function resolveBoolean(value: ResourceValue | undefined, table: ResourceTable | null): boolean {
  const found = resolveValue(value, table);
  return found !== undefined && isTrue(found);
}

function resolveValue(value: ResourceValue | undefined, table: ResourceTable | null): ResourceValue | undefined {
  let current = value;
  for (let depth = 0; current && depth < deepest; depth += 1) {
    const id = referenceOf(current);
    if (id === null) return current;
    current = pickDefault(table?.find(id) ?? [])?.value;
  }
  return undefined;
}

// The default configuration, else one without a locale, else English, else the first.
function pickDefault(values: ConfiguredValue[]): ConfiguredValue | undefined {
  return (
    values.find((value) => value.isDefault) ??
    values.find((value) => !value.hasLocale) ??
    values.find((value) => value.language === 'en') ??
    values[0]
  );
}

/** Returns the files of a value in all configurations, highest density first, without duplicates. */
export function resolveFiles(value: ResourceValue, table: ResourceTable | null): string[] {
  const files = new Map<string, number>();
  const seen = new Set<number>();
  const collect = (current: ResourceValue, density: number) => {
    const id = referenceOf(current);
    if (id === null) {
      if (current.text !== null) files.set(current.text, Math.max(density, files.get(current.text) ?? 0));
      return;
    }
    if (seen.has(id) || seen.size >= maxLookups) return;
    seen.add(id);
    for (const found of table?.find(id) ?? []) {
      if (files.size >= maxLookups) return;
      collect(found.value, found.density);
    }
  };
  collect(value, 0);
  return [...files].toSorted(([, a], [, b]) => b - a).map(([file]) => file);
}
