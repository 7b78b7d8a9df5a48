// The kinds of storage backends, and the names of places.

/** Where a server can store new objects. */
export const serverBackends = ['local', 's3'] as const;

export type ServerBackend = (typeof serverBackends)[number];

/** Where objects can be: also in the Azure container of an organization. */
export const storageBackends = [...serverBackends, 'azure'] as const;

export type StorageBackend = (typeof storageBackends)[number];

/** A container by the ID of its row. */
export type ContainerPlace = `azure:${string}`;

/** The place of an object, as it's recorded: a backend of the server, or a container. */
export type ObjectPlace = ServerBackend | ContainerPlace;

/** Returns the ID of the container that a place is, or undefined for a backend of the server. */
export function containerOf(place: ObjectPlace): string | undefined {
  return place.startsWith('azure:') ? place.slice('azure:'.length) : undefined;
}

/** Whether a place is a backend of the server, and not a container of an organization. */
export function isServerBackend(place: ObjectPlace): place is ServerBackend {
  return containerOf(place) === undefined;
}

/** Returns the kind of backend that a place is in. */
export function backendOf(place: ObjectPlace): StorageBackend {
  return isServerBackend(place) ? place : 'azure';
}
