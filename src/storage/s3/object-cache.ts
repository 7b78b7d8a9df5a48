// Small objects in memory, such as icons: pages show them often, and their keys are new for new content.

export type ObjectCache = {
  find(key: string): Buffer | undefined;
  /** Returns a number to pass to `remember`: bytes that were requested before a change of their key aren't kept. */
  stamp(): number;
  remember(key: string, bytes: Buffer, stamp: number): void;
  forget(keys: readonly string[]): void;
};

/** Keeps the most recently used objects of up to `maxObjectBytes`, together up to `maxBytes`. */
export function createObjectCache({
  maxObjectBytes,
  maxBytes,
}: {
  maxObjectBytes: number;
  maxBytes: number;
}): ObjectCache {
  const objects = new Map<string, Buffer>();
  let bytes = 0;
  let changes = 0;

  function remove(key: string): void {
    bytes -= objects.get(key)?.length ?? 0;
    objects.delete(key);
  }

  return {
    find(key) {
      const found = objects.get(key);
      if (found === undefined) return undefined;
      objects.delete(key);
      objects.set(key, found);
      return found;
    },
    stamp: () => changes,
    remember(key, content, stamp) {
      if (stamp !== changes || content.length > maxObjectBytes) return;
      remove(key);
      objects.set(key, content);
      bytes += content.length;
      for (const oldest of objects.keys()) {
        if (bytes <= maxBytes) break;
        remove(oldest);
      }
    },
    forget(keys) {
      changes += 1;
      for (const key of keys) remove(key);
    },
  };
}
