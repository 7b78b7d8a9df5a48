// Values that the schema knows and this version cannot serve: the start is refused instead of ignoring them.
import type { Config } from './types.ts';

type Unserved = { key: string; isAsked: (config: Config) => boolean; instead: string };

const UNSERVED: readonly Unserved[] = [
  { key: 'storage.backend', isAsked: (c) => c.storage.backend !== 'local', instead: '"local"' },
  { key: 'billing.enabled', isAsked: (c) => c.billing.enabled, instead: 'false' },
  { key: 'billing.provider', isAsked: (c) => c.billing.provider !== 'none', instead: '"none"' },
  { key: 'backup.schedule', isAsked: (c) => c.backup.schedule !== '', instead: '""' },
];

/** Keys whose value this version cannot serve, each with the value to set instead. */
export function findUnserved(config: Config): { path: string[]; instead: string }[] {
  return UNSERVED.filter((row) => row.isAsked(config)).map((row) => ({
    path: row.key.split('.'),
    instead: row.instead,
  }));
}
