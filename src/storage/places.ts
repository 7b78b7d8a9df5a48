// The recorded place of each object. Works on the connection, because commands that only read open no app.
import type Sqlite from 'better-sqlite3';
import { hasTable } from '../data/has-table.ts';
import type { ObjectPlace } from '../lib/storage-backends.ts';

/** Where an object is, and another place with a copy that isn't deleted yet. `isComplete`: the copy was the object before. */
type Place = {
  readonly backend: ObjectPlace;
  readonly leftBackend: ObjectPlace | null;
  readonly isComplete: 0 | 1;
};

export type Places = {
  find(key: string): Place | undefined;
  /** Records the place of an object, unless one is recorded. */
  record(key: string, backend: ObjectPlace): void;
  /** Records that an object isn't where it was recorded, but at another place. */
  correct(key: string, from: ObjectPlace, to: ObjectPlace): void;
  forget(keys: readonly string[]): void;
};

/** For a storage without a database: records nothing and finds nothing. */
export const noPlaces: Places = {
  find: () => undefined,
  record: () => undefined,
  correct: () => undefined,
  forget: () => undefined,
};

/** Whether an object is recorded in a backend. */
export function hasObjectsIn(client: Sqlite.Database, backend: ObjectPlace): boolean {
  if (!hasTable(client, 'object_places')) return false;
  return client.prepare('SELECT 1 FROM object_places WHERE backend = ? LIMIT 1').get(backend) !== undefined;
}

/**
 * Returns the recorded places of a database. `onCorrected` is called when an object was found elsewhere. The places of a read-only
 * database, or of one from an earlier version, can't be changed.
 */
export function createPlaces(
  client: Sqlite.Database,
  onCorrected: (from: ObjectPlace, to: ObjectPlace) => void = () => undefined,
): Places {
  if (!hasTable(client, 'object_places')) return noPlaces;
  const found = client.prepare<[string], Place>(
    `SELECT backend, left_backend AS leftBackend, left_modified_at IS NOT NULL AS isComplete FROM object_places
      WHERE object_key = ?`,
  );
  const find = (key: string) => found.get(key);
  if (client.readonly) return { ...noPlaces, find };
  const insert = client.prepare<[string, string]>(
    'INSERT INTO object_places (object_key, backend) VALUES (?, ?) ON CONFLICT DO NOTHING',
  );
  // Not while a copy is being made there: it may be incomplete.
  const change = client.prepare<[string, string, string, string]>(
    `UPDATE object_places SET backend = ?, left_backend = NULL, left_at = NULL, left_modified_at = NULL
      WHERE object_key = ? AND backend = ? AND (left_backend IS NULL OR left_backend <> ? OR left_modified_at IS NOT NULL)`,
  );
  const remove = client.prepare<[string]>('DELETE FROM object_places WHERE object_key = ?');
  return {
    find,
    record: (key, backend) => void insert.run(key, backend),
    correct(key, from, to) {
      if (change.run(to, key, from, to).changes === 1) onCorrected(from, to);
    },
    forget(keys) {
      for (const key of keys) if (find(key) !== undefined) remove.run(key);
    },
  };
}
