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

  /** Returns the backend of an object, or undefined if it's nowhere. `near`: an object that it can only be beside. */
  async function find(key: string, near?: string): Promise<Storage | undefined> {
    const place = places.find(key) ?? (near === undefined ? undefined : places.find(near));
    if (place !== undefined) return at(place.backend);
    return isSingle ? home : search(key, backends);
  }

  /** Searches an object that isn't recorded. */
  async function search(key: string, candidates: readonly Storage[]): Promise<Storage | undefined> {
    for (const storage of candidates) {
      if ((await storage.head(key)) === undefined) continue;
      record(key, storage);
      // Another process may have recorded it meanwhile.
      return at(places.find(key)?.backend ?? storage.backend);
    }
    return undefined;
  }

  /**
   * Searches an object that is missing where it's recorded: the database may be an earlier one that was restored, or someone moved
   * objects by other means.
   */
  async function searchAgain(key: string, missingIn: Storage): Promise<Storage | undefined> {
    const place = places.find(key);
    if (isSingle || place === undefined) return undefined;
    if (place.backend !== missingIn.backend) return at(place.backend);
    const isCopying = (backend: StorageBackend) => place.leftBackend === backend && !place.isComplete;
    for (const storage of backends) {
      if (storage === missingIn || isCopying(storage.backend) || (await storage.head(key)) === undefined) continue;
      places.correct(key, missingIn.backend, storage.backend);
      return at(places.find(key)?.backend ?? storage.backend);
    }
    return undefined;
  }

  /** Asks for an object where it's recorded, and elsewhere if it's missing there. */
  async function ask<T>(key: string, question: (storage: Storage) => Promise<T | undefined>): Promise<T | undefined> {
    const storage = await find(key);
    if (storage === undefined) return undefined;
    const answer = await question(storage);
    if (answer !== undefined) return answer;
    const other = await searchAgain(key, storage);
    return other === undefined ? undefined : question(other);
  }

  const of = async (key: string): Promise<Storage> => (await find(key)) ?? home;

  /** The backends that have an object or a copy of it, and those that may have one that isn't recorded. */
  async function holdersOf(key: string): Promise<{ sure: readonly Storage[]; maybe: readonly Storage[] }> {
    const place = places.find(key);
    if (place !== undefined) {
      const left = place.leftBackend === null ? undefined : attached.get(place.leftBackend);
      return { sure: left === undefined ? [at(place.backend)] : [at(place.backend), left], maybe: [] };
    }
    // An object in the folder can be deleted while a bucket can't be reached. The cleanup job deletes what is left in it.
    const isInFolder = !isSingle && home.backend === 'local' && (await home.head(key)) !== undefined;
    return isInFolder ? { sure: [home], maybe: backends.slice(1) } : { sure: backends, maybe: [] };
  }

  function isOnlyIn(backend: StorageBackend, key: string): boolean {
    const place = places.find(key);
    return place?.backend === backend && place.leftBackend === null;
  }

  async function deleteMany(keys: readonly string[]): Promise<readonly DeleteFailure[]> {
    const failures = new Map<string, unknown>();
    const sure = new Map<Storage, string[]>();
    const maybe = new Map<Storage, string[]>();
    const add = (to: Map<Storage, string[]>, storage: Storage, key: string) => {
      const some = to.get(storage);
      if (some === undefined) to.set(storage, [key]);
      else some.push(key);
    };
    for (const key of keys) {
      try {
        const holders = await holdersOf(key);
        for (const storage of holders.sure) add(sure, storage, key);
        for (const storage of holders.maybe) add(maybe, storage, key);
      } catch (error) {
        failures.set(key, error);
      }
    }
    for (const [storage, some] of sure) {
      for (const { key, error } of await storage.deleteMany(some)) failures.set(key, error);
    }
    for (const [storage, some] of maybe) await storage.deleteMany(some);
    places.forget(keys.filter((key) => !failures.has(key)));
    return [...failures].map(([key, error]) => ({ key, error }));
  }

  return {
    backend: home.backend,
    location: home.location,
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
    head: async (key, { near, ...options } = {}) =>
      near === undefined
        ? ask(key, (storage) => storage.head(key, options))
        : (await find(key, near))?.head(key, options),
    get: (key) => ask(key, (storage) => storage.get(key)),
    read: async (key, offset, length, condition) => (await of(key)).read(key, offset, length, condition),
    async move(from, to, condition) {
      const storage = (await find(from)) ?? (await of(to));
      const moved = await storage.move(from, to, condition);
      record(to, storage);
      if (!moved.isSourceLeft) places.forget([from]);
      return moved;
    },
    async delete(key) {
      for (const { error } of await deleteMany([key])) throw error;
    },
    deleteMany,
    async deleteFrom(backend, keys) {
      const failures = await at(backend).deleteMany(keys);
      const failed = new Set(failures.map(({ key }) => key));
      places.forget(keys.filter((key) => !failed.has(key) && isOnlyIn(backend, key)));
      return failures;
    },
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
