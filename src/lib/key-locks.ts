// Locks by key, for a check and an action that must be one step but can't share a transaction.

export type KeyLocks = {
  /** Runs work while holding the locks of all keys. */
  <T>(keys: readonly string[], work: () => Promise<T>): Promise<T>;
  /** Whether work holds the lock of a key, or waits for it. */
  isHeld(key: string): boolean;
};

/** Returns a set of locks. Only keys in use take memory. */
export function createKeyLocks(): KeyLocks {
  const tails = new Map<string, Promise<void>>();

  async function withKey<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = tails.get(key);
    const gate = Promise.withResolvers<void>();
    tails.set(key, gate.promise);
    // The previous promise resolves only after all earlier ones, so waiting for it is enough.
    await before;
    try {
      return await work();
    } finally {
      gate.resolve();
      if (tails.get(key) === gate.promise) tails.delete(key);
    }
  }

  async function withKeys<T>(keys: readonly string[], work: () => Promise<T>): Promise<T> {
    // Locking in sorted order prevents deadlocks.
    const [first, ...rest] = [...new Set(keys)].sort();
    return first === undefined ? work() : withKey(first, () => (rest.length > 0 ? withKeys(rest, work) : work()));
  }

  return Object.assign(withKeys, { isHeld: (key: string) => tails.has(key) });
}
