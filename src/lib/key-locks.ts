// Puts work on one thing in a row, where a look and what follows from it must be one step and cannot be one transaction.

/** Runs work while holding the keys. */
export type KeyLocks = <T>(keys: readonly string[], work: () => Promise<T>) => Promise<T>;

/** A set of locks; only keys in use take memory. */
export function createKeyLocks(): KeyLocks {
  const tails = new Map<string, Promise<void>>();

  async function withKey<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = tails.get(key);
    const gate = Promise.withResolvers<void>();
    tails.set(key, gate.promise);
    // The promise before is open only after those before it, so waiting for it is waiting for all.
    await before;
    try {
      return await work();
    } finally {
      gate.resolve();
      if (tails.get(key) === gate.promise) tails.delete(key);
    }
  }

  return async function withKeys<T>(keys: readonly string[], work: () => Promise<T>): Promise<T> {
    // One order for everybody, or two holders could wait for each other.
    const [first, ...rest] = [...new Set(keys)].sort();
    return first === undefined ? work() : withKey(first, () => (rest.length > 0 ? withKeys(rest, work) : work()));
  };
}
