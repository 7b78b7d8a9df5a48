// Keys in the browser's storage. Several servers can share a host under different paths, so a key contains the base
// path.

/** Returns the storage key of a name for this server. */
export function storageKey(name: string): string {
  const base = globalThis.document?.querySelector<HTMLMetaElement>('meta[name="taxiway-base"]')?.content ?? '';
  return base === '' ? name : `${name} ${base}`;
}
