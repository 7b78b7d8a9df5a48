// Keys in the browser's storage. Several servers can share a host under different paths, so a key contains the base
// path.

/** All names, each for one kind of value. */
type StorageName =
  | 'taxiway.app-count'
  | 'taxiway.app-view'
  | `taxiway.channel.${string}`
  | 'taxiway.email-sign-in'
  | 'taxiway.organization'
  | 'taxiway.refresh'
  | 'taxiway.session';

/** Returns the storage key of a name for this server. */
export function storageKey(name: StorageName): string {
  const base = globalThis.document?.querySelector<HTMLMetaElement>('meta[name="taxiway-base"]')?.content ?? '';
  return base === '' ? name : `${name} ${base}`;
}
