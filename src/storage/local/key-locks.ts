// Puts what changes one object in a row, so that looking and renaming are one step.

/** Runs work while holding the keys. */
export type KeyLocks = <T>(keys: readonly string[], work: () => Promise<T>) => Promise<T>;

/** Locks of one storage; only keys in use take memory. */
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
