// Values that the schema allows but this version doesn't support. The server rejects them at start instead of ignoring them.
import type { Config } from './types.ts';

type Unserved = { key: string; isAsked: (config: Config) => boolean; instead: string };

const UNSERVED: readonly Unserved[] = [
  { key: 'storage.backend', isAsked: (c) => c.storage.backend !== 'local', instead: '"local"' },
  { key: 'billing.enabled', isAsked: (c) => c.billing.enabled, instead: 'false' },
  { key: 'billing.provider', isAsked: (c) => c.billing.provider !== 'none', instead: '"none"' },
  { key: 'backup.schedule', isAsked: (c) => c.backup.schedule !== '', instead: '""' },
];

/** Returns the keys with unsupported values and the value to set instead. */
export function findUnserved(config: Config): { path: string[]; instead: string }[] {
  return UNSERVED.filter((row) => row.isAsked(config)).map((row) => ({
    path: row.key.split('.'),
    instead: row.instead,
  }));
}
