// Several backends as one storage: each object is read where it is, and new ones are stored in the configured backend.
import { type DeleteFailure, type RoutedStorage, type Storage, StorageError } from '../core/storage.ts';
import type { StorageBackend } from '../lib/storage-backends.ts';
import type { Places } from './places.ts';

/**
 * Combines backends; the first is for new objects. With one backend, places are only looked up, never recorded. An object
 * whose place isn't recorded is searched in each backend once. Moving and deleting keep the records up to date; objects are
 * moved between backends by move-objects.ts.
 */
export function createRouter(backends: readonly [Storage, ...Storage[]], places: Places): RoutedStorage {
  const [home] = backends;
  const attached: ReadonlyMap<StorageBackend, Storage> = new Map(backends.map((one) => [one.backend, one]));
  const isSingle = backends.length === 1;

  function at(backend: StorageBackend): Storage {
    const storage = attached.get(backend);
    if (storage !== undefined) return storage;
    throw new StorageError('unavailable', `the object is in the backend "${backend}", which isn't configured`);
  }

  function record(key: string, { backend }: Storage): void {
    if (!isSingle) places.record(key, backend);
  }

  /** Returns the backend of an object, or undefined if it's nowhere. */
  async function find(key: string): Promise<Storage | undefined> {
    const place = places.find(key);
    if (place !== undefined) return at(place.backend);
    if (isSingle) return home;
    for (const storage of backends) {
      if ((await storage.head(key)) === undefined) continue;
      record(key, storage);
      // Another process may have recorded it meanwhile.
      return at(places.find(key)?.backend ?? storage.backend);
    }
    return undefined;
  }

  const of = async (key: string): Promise<Storage> => (await find(key)) ?? home;

  /** The backends that may have the object or a copy of it. */
  function holdersOf(key: string): readonly Storage[] {
    const place = places.find(key);
    if (place === undefined) return backends;
    const left = place.leftBackend === null ? undefined : attached.get(place.leftBackend);
    return left === undefined ? [at(place.backend)] : [at(place.backend), left];
  }

  async function deleteMany(keys: readonly string[]): Promise<readonly DeleteFailure[]> {
    const failures = new Map<string, unknown>();
    const byHolder = new Map<Storage, string[]>();
    for (const key of keys) {
      try {
        for (const holder of holdersOf(key)) byHolder.set(holder, [...(byHolder.get(holder) ?? []), key]);
      } catch (error) {
        failures.set(key, error);
      }
    }
    for (const [holder, some] of byHolder) {
      for (const { key, error } of await holder.deleteMany(some)) failures.set(key, error);
    }
    places.forget(keys.filter((key) => !failures.has(key)));
    return [...failures].map(([key, error]) => ({ key, error }));
  }

  return {
    backend: home.backend,
    attached,
    backendOf: (key) => places.find(key)?.backend ?? home.backend,
    locate: async (key) => (await of(key)).backend,
    async signPut(request) {
      const storage = at(places.find(request.key)?.backend ?? home.backend);
      const signed = await storage.signPut(request);
      record(request.key, storage);
      return signed;
    },
    signGet: async (request) => (await of(request.key)).signGet(request),
    head: async (key, options) => (await find(key))?.head(key, options),
    get: async (key) => (await find(key))?.get(key),
    read: async (key, offset, length, condition) => (await of(key)).read(key, offset, length, condition),
    async move(from, to, condition) {
      const storage = (await find(from)) ?? (await of(to));
      const moved = await storage.move(from, to, condition);
      record(to, storage);
      return moved;
    },
    async delete(key) {
      for (const holder of holdersOf(key)) await holder.delete(key);
      places.forget([key]);
    },
    deleteMany,
    async list(prefix, { after, limit }) {
      if (isSingle) return home.list(prefix, { after, limit });
      const pages = await Promise.all(backends.map((storage) => storage.list(prefix, { after, limit })));
      const ends = pages.flatMap(({ next }) => (next === undefined ? [] : [next]));
      // Beyond the end of the shortest page, another backend may have keys in between.
      const end = ends.sort(byteOrder)[0];
      const listed = pages.flatMap(({ items }) => items.filter(({ key }) => end === undefined || key <= end));
      const unique = [...new Map(listed.reverse().map((item) => [item.key, item])).values()];
      const sorted = unique.sort((a, b) => byteOrder(a.key, b.key));
      const items = sorted.slice(0, limit);
      return { items, next: sorted.length > limit ? items.at(-1)?.key : end };
    },
    async put(key, bytes) {
      const storage = at(places.find(key)?.backend ?? home.backend);
      const stored = await storage.put(key, bytes);
      record(key, storage);
      return stored;
    },
    hasRoom: () => home.hasRoom(),
    async claim(owner) {
      for (const storage of backends) if (!(await storage.claim(owner))) return false;
      return true;
    },
    check: () => home.check(),
  };
}

/** Keys are ASCII, so that this is the order of their bytes. */
function byteOrder(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
