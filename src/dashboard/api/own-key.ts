// Names in what a browser keeps for a whole host, where several servers may live, each under a path of its own.

/** The name as this server uses it. */
export function ownKey(name: string): string {
  const base = globalThis.document?.querySelector<HTMLMetaElement>('meta[name="taxiway-base"]')?.content ?? '';
  return base === '' ? name : `${name} ${base}`;
}
