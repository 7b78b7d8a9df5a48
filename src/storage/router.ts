// Several backends as one storage: each object is read where it is, and new ones are stored in the configured backend.
import { type DeleteFailure, type RoutedStorage, type Storage, StorageError } from '../core/storage.ts';
import { type ContainerPlace, containerOf, type ObjectPlace, type ServerBackend } from '../lib/storage-backends.ts';
import type { Places } from './places.ts';

/** The containers of organizations. */
export type Containers = {
  /** The container for new packages of an organization, or undefined if they're stored by the server. */
  placeForNew(organizationId: string): ContainerPlace | undefined;
  /** Returns the storage of a container. Throws StorageError `unavailable` if there is no such container. */
  open(id: string): Storage;
  /** Does everything that builds need, also if other requests fail immediately. Throws StorageError. */
  probe(id: string): Promise<void>;
};

/** No organization has a container. */
export const noContainers: Containers = {
  placeForNew: () => undefined,
  open() {
    throw new StorageError('unavailable', "the object is in a container of an organization, which isn't opened here");
  },
  probe: async () => undefined,
};

/** A backend of the server, under its name. */
type ServerStorage = Storage & { readonly backend: ServerBackend };

/**
 * Combines backends; the first is for new objects. With one backend, places are only looked up, never recorded. An object
 * whose place isn't recorded is searched in each backend once. Moving and deleting keep the records up to date; objects are
 * moved between backends by move-objects.ts. Objects in containers of organizations are always recorded, so that nothing is
 * ever searched there. Before an object is deleted, `settle` waits until the commits that no longer refer to it are on disk.
 */
export function createRouter(
  given: readonly [Storage, ...Storage[]],
  places: Places,
  containers: Containers = noContainers,
  settle: () => Promise<void> | undefined = () => undefined,
): RoutedStorage {
  const backends = given as readonly [ServerStorage, ...ServerStorage[]];
  const [home] = backends;
  const attached: ReadonlyMap<ServerBackend, Storage> = new Map(backends.map((one) => [one.backend, one]));
  const isSingle = backends.length === 1;

  function at(place: ObjectPlace): Storage {
    const container = containerOf(place);
    if (container !== undefined) return containers.open(container);
    const storage = attached.get(place as ServerBackend);
    if (storage !== undefined) return storage;
    throw new StorageError('unavailable', `the object is in the backend "${place}", which isn't configured`);
  }

  function record(key: string, place: ObjectPlace): void {
    if (!isSingle || containerOf(place) !== undefined) places.record(key, place);
  }

  /** Returns the place of an object, or undefined if it's nowhere. `near`: an object that it can only be beside. */
  async function find(key: string, near?: string): Promise<ObjectPlace | undefined> {
    const place = places.find(key) ?? (near === undefined ? undefined : places.find(near));
    if (place !== undefined) return place.backend;
    return isSingle ? home.backend : search(key);
  }

  /** Searches an object that isn't recorded, in the server's backends. */
  async function search(key: string): Promise<ObjectPlace | undefined> {
    for (const storage of backends) {
      if ((await storage.head(key)) === undefined) continue;
      record(key, storage.backend);
      // Another process may have recorded it first.
      return places.find(key)?.backend ?? storage.backend;
    }
    return undefined;
  }

  /**
   * Searches an object that is missing where it's recorded: the database may be an earlier one that was restored, or someone moved
   * objects by other means.
   */
  async function searchAgain(key: string, missingIn: ObjectPlace): Promise<ObjectPlace | undefined> {
    const place = places.find(key);
    if (place === undefined || (isSingle && place.backend === home.backend && place.leftBackend === null)) {
      return undefined;
    }
    if (place.backend !== missingIn) return place.backend;
    const isCopying = (other: ObjectPlace) => place.leftBackend === other && !place.isComplete;
    const own = backends.map(({ backend }): ObjectPlace => backend);
    // In a container, only the former copy is searched.
    const former =
      place.leftBackend !== null && containerOf(place.leftBackend) !== undefined ? [place.leftBackend] : [];
    for (const other of [...own, ...former]) {
      if (other === missingIn || isCopying(other) || (await at(other).head(key)) === undefined) continue;
      places.correct(key, missingIn, other);
      return places.find(key)?.backend ?? other;
    }
    return undefined;
  }

  /** Asks for an object where it's recorded, and elsewhere if it's missing there. */
  async function ask<T>(key: string, question: (storage: Storage) => Promise<T | undefined>): Promise<T | undefined> {
    const place = await find(key);
    if (place === undefined) return undefined;
    const answer = await question(at(place));
    if (answer !== undefined) return answer;
    const other = await searchAgain(key, place);
    return other === undefined ? undefined : question(at(other));
  }

  const locate = async (key: string): Promise<ObjectPlace> => (await find(key)) ?? home.backend;
  const of = async (key: string): Promise<Storage> => at(await locate(key));
  const placeOf = (key: string): ObjectPlace => places.find(key)?.backend ?? home.backend;
  const placeForNew = (organizationId: string): ObjectPlace => containers.placeForNew(organizationId) ?? home.backend;

  /** The storages that have an object or a copy of it, and those that may have one that isn't recorded. */
  async function holdersOf(key: string): Promise<{ sure: readonly Storage[]; maybe: readonly Storage[] }> {
    const place = places.find(key);
    if (place !== undefined) {
      const { backend, leftBackend } = place;
      const isLeft =
        leftBackend !== null && (containerOf(leftBackend) !== undefined || attached.has(leftBackend as ServerBackend));
      return { sure: isLeft ? [at(backend), at(leftBackend)] : [at(backend)], maybe: [] };
    }
    // An object in the folder can be deleted while a bucket can't be reached. The cleanup job deletes what is left in it.
    const isInFolder = !isSingle && home.backend === 'local' && (await home.head(key)) !== undefined;
    return isInFolder ? { sure: [home], maybe: backends.slice(1) } : { sure: backends, maybe: [] };
  }

  function isOnlyIn(place: ObjectPlace, key: string): boolean {
    const recorded = places.find(key);
    return recorded?.backend === place && recorded.leftBackend === null;
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
    await settle();
    const known = new Map(keys.map((key) => [key, places.find(key)?.backend]));
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
    // A package that was moved to its key in a container since then is still there.
    const isStored = (key: string): boolean => {
      const place = places.find(key)?.backend;
      return place !== undefined && containerOf(place) !== undefined && place !== known.get(key);
    };
    places.forget(keys.filter((key) => !failures.has(key) && !isStored(key)));
    return [...failures].map(([key, error]) => ({ key, error }));
  }

  return {
    backend: home.backend,
    location: home.location,
    attached,
    placeOf,
    locate,
    placeForNew,
    at,
    probe: (id) => containers.probe(id),
    async signPut(request) {
      const { key, organizationId } = request;
      const forNew = organizationId === undefined ? home.backend : placeForNew(organizationId);
      const place = places.find(key)?.backend ?? forNew;
      const signed = await at(place).signPut(request);
      record(key, place);
      return signed;
    },
    signGet: async (request) => (await of(request.key)).signGet(request),
    async head(key, { near, ...options } = {}) {
      if (near === undefined) return ask(key, (storage) => storage.head(key, options));
      const place = await find(key, near);
      return place && at(place).head(key, options);
    },
    get: (key) => ask(key, (storage) => storage.get(key)),
    read: async (key, offset, length, condition) => (await of(key)).read(key, offset, length, condition),
    async move(from, to, condition) {
      const place = (await find(from)) ?? (await locate(to));
      const moved = await at(place).move(from, to, condition);
      record(to, place);
      if (!moved.isSourceLeft) places.forget([from]);
      return moved;
    },
    async delete(key) {
      for (const { error } of await deleteMany([key])) throw error;
    },
    deleteMany,
    async deleteFrom(place, keys) {
      await settle();
      const failures = await at(place).deleteMany(keys);
      const failed = new Set(failures.map(({ key }) => key));
      places.forget(keys.filter((key) => !failed.has(key) && isOnlyIn(place, key)));
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
      const place = placeOf(key);
      const stored = await at(place).put(key, bytes);
      record(key, place);
      return stored;
    },
    async hasRoom(organizationId) {
      return organizationId === undefined ? home.hasRoom() : at(placeForNew(organizationId)).hasRoom();
    },
    async claim(owner, previous) {
      for (const storage of backends) if (!(await storage.claim(owner, previous))) return false;
      return true;
    },
    check: () => home.check(),
  };
}

/** Keys are ASCII, so that this is the order of their bytes. */
function byteOrder(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
