// SHA-256 of received objects until it's needed. In memory only, so a restart clears it.

export type Digests = {
  /** Stores the SHA-256 (hex) of the object with this key and ETag. */
  remember(key: string, etag: string, sha256: string): void;
  /** Returns the SHA-256 in hex, or undefined if it isn't known for exactly this object. */
  find(key: string, etag: string): string | undefined;
  rename(from: string, to: string): void;
  forget(key: string): void;
};

/** Beyond this number, the oldest are dropped; they can be computed from the stored bytes. */
const MAX_DIGESTS = 10_000;

export function createDigests(): Digests {
  const known = new Map<string, { etag: string; sha256: string }>();

  function keep(key: string, digest: { etag: string; sha256: string }): void {
    known.delete(key);
    known.set(key, digest);
    const oldest = known.size > MAX_DIGESTS ? known.keys().next().value : undefined;
    if (oldest !== undefined) known.delete(oldest);
  }

  return {
    remember: (key, etag, sha256) => keep(key, { etag, sha256 }),
    find(key, etag) {
      const digest = known.get(key);
      return digest?.etag === etag ? digest.sha256 : undefined;
    },
    rename(from, to) {
      const digest = known.get(from);
      known.delete(from);
      if (digest !== undefined) keep(to, digest);
    },
    forget: (key) => void known.delete(key),
  };
}
