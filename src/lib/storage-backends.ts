// The kinds of storage backends.

/** Where objects can be stored. */
export const storageBackends = ['local', 's3'] as const;

export type StorageBackend = (typeof storageBackends)[number];
