// The recorded place of each object. Works on the connection, because commands that only read open no app.
import type Sqlite from 'better-sqlite3';
import type { ObjectPlace } from '../lib/storage-backends.ts';

/** Where an object is, and the place that it was moved from if its copy there isn't deleted yet. */
type Place = { readonly backend: ObjectPlace; readonly leftBackend: ObjectPlace | null };

export type Places = {
  find(key: string): Place | undefined;
  /** Records the place of an object, unless one is recorded. */
  record(key: string, backend: ObjectPlace): void;
  forget(keys: readonly string[]): void;
};

/** No object is recorded, and nothing is. */
export const noPlaces: Places = { find: () => undefined, record: () => undefined, forget: () => undefined };

/** Returns the recorded places of a database. Those of a read-only or an earlier one can't be changed. */
export function createPlaces(client: Sqlite.Database): Places {
  if (client.prepare("SELECT 1 FROM sqlite_master WHERE name = 'object_places'").get() === undefined) return noPlaces;
  const found = client.prepare<[string], Place>(
    'SELECT backend, left_backend AS leftBackend FROM object_places WHERE object_key = ?',
  );
  const find = (key: string) => found.get(key);
  if (client.readonly) return { ...noPlaces, find };
  const insert = client.prepare<[string, string]>(
    'INSERT INTO object_places (object_key, backend) VALUES (?, ?) ON CONFLICT DO NOTHING',
  );
  const remove = client.prepare<[string]>('DELETE FROM object_places WHERE object_key = ?');
  return {
    find,
    record: (key, backend) => void insert.run(key, backend),
    forget(keys) {
      for (const key of keys) if (find(key) !== undefined) remove.run(key);
    },
  };
}
