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
  /** Does everything that builds need, also if other requests fail at once. Throws StorageError. */
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
 * ever searched there.
 */
export function createRouter(
  given: readonly [Storage, ...Storage[]],
  places: Places,
  containers: Containers = noContainers,
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

  /** Returns the place of an object, or undefined if it's nowhere. */
  async function find(key: string): Promise<ObjectPlace | undefined> {
    const place = places.find(key);
    if (place !== undefined) return place.backend;
    if (isSingle) return home.backend;
    for (const storage of backends) {
      if ((await storage.head(key)) === undefined) continue;
      record(key, storage.backend);
      // Another process may have recorded it meanwhile.
      return places.find(key)?.backend ?? storage.backend;
    }
    return undefined;
  }

  const locate = async (key: string): Promise<ObjectPlace> => (await find(key)) ?? home.backend;
  const of = async (key: string): Promise<Storage> => at(await locate(key));
  const placeOf = (key: string): ObjectPlace => places.find(key)?.backend ?? home.backend;
  const placeForNew = (organizationId: string): ObjectPlace => containers.placeForNew(organizationId) ?? home.backend;

  async function findStorage(key: string): Promise<Storage | undefined> {
    const place = await find(key);
    return place && at(place);
  }

  /** The backends that may have the object or a copy of it. */
  function holdersOf(key: string): readonly Storage[] {
    const place = places.find(key);
    if (place === undefined) return backends;
    const { backend, leftBackend } = place;
    const isLeft =
      leftBackend !== null && (containerOf(leftBackend) !== undefined || attached.has(leftBackend as ServerBackend));
    return isLeft ? [at(backend), at(leftBackend)] : [at(backend)];
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
    head: async (key, options) => (await findStorage(key))?.head(key, options),
    get: async (key) => (await findStorage(key))?.get(key),
    read: async (key, offset, length, condition) => (await of(key)).read(key, offset, length, condition),
    async move(from, to, condition) {
      const place = (await find(from)) ?? (await locate(to));
      const moved = await at(place).move(from, to, condition);
      record(to, place);
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
      const place = placeOf(key);
      const stored = await at(place).put(key, bytes);
      record(key, place);
      return stored;
    },
    async hasRoom(organizationId) {
      return organizationId === undefined ? home.hasRoom() : at(placeForNew(organizationId)).hasRoom();
    },
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
