// A temporary database of a backup that is being made, verified or restored: lists of files and objects that don't fit in memory.
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import type { StoredFile } from './format.ts';

const INDEX_FOLDER = '.taxiway-backup-';

export type IndexedObject = { key: string; file: string; size: number; sha256: string };

export type FileIndex = ReturnType<typeof openFileIndex>;

/** Deletes the folders that killed processes left behind. They have a copy of the database. */
export function deleteIndexes(parent: string): void {
  for (const name of readdirSync(parent)) {
    if (name.startsWith(INDEX_FOLDER)) rmSync(join(parent, name), { recursive: true, force: true });
  }
}

/** Runs `work` with an index in a temporary folder below `parent`. */
export async function withFileIndex<T>(
  parent: string,
  nativeBinding: string | undefined,
  work: (index: FileIndex, folder: string) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(join(parent, INDEX_FOLDER));
  const index = openFileIndex(join(folder, 'index'), nativeBinding);
  try {
    return await work(index, folder);
  } finally {
    index.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Opens an empty index in a file, which the caller deletes after `close`. */
function openFileIndex(path: string, nativeBinding: string | undefined) {
  const client = new Sqlite(path, nativeBinding === undefined ? {} : { nativeBinding });
  client.pragma('journal_mode = OFF');
  client.pragma('synchronous = OFF');
  client.exec(`
    CREATE TABLE files (file TEXT PRIMARY KEY, size INTEGER NOT NULL, sha256 TEXT NOT NULL, is_there INTEGER NOT NULL DEFAULT 0,
      is_needed INTEGER NOT NULL DEFAULT 0, plain_size INTEGER, plain_sha256 TEXT) STRICT, WITHOUT ROWID;
    CREATE TABLE objects (key TEXT PRIMARY KEY, file TEXT NOT NULL, size INTEGER NOT NULL, sha256 TEXT NOT NULL,
      is_kept INTEGER NOT NULL DEFAULT 0) STRICT, WITHOUT ROWID;
  `);
  const addFile = client.prepare<StoredFile>(
    'INSERT INTO files (file, size, sha256) VALUES (@file, @size, @sha256) ON CONFLICT DO UPDATE SET size = @size, sha256 = @sha256',
  );
  const markThere = client.prepare<[string, number]>('UPDATE files SET is_there = 1 WHERE file = ? AND size = ?');
  const markNeeded = client.prepare<[string]>('UPDATE files SET is_needed = 1 WHERE file = ?');
  const markContent = client.prepare<[number, string, string]>(
    'UPDATE files SET plain_size = ?, plain_sha256 = ? WHERE file = ?',
  );
  const findFile = client.prepare<[string], StoredFile & { is_there: number; is_needed: number }>(
    'SELECT * FROM files WHERE file = ?',
  );
  const addObject = client.prepare<IndexedObject>(
    'INSERT OR IGNORE INTO objects (key, file, size, sha256) VALUES (@key, @file, @size, @sha256)',
  );
  const keepObject = client.prepare<[string]>('UPDATE objects SET is_kept = 1 WHERE key = ?');
  const findObject = client.prepare<[string], IndexedObject>('SELECT * FROM objects WHERE key = ?');
  const PAGE = 500;

  function* pages<Row>(sql: string, keyOf: (row: Row) => string): Generator<Row> {
    const page = client.prepare<[string], Row>(sql);
    let after = '';
    for (;;) {
      const rows = page.all(after);
      yield* rows;
      const last = rows.at(-1);
      if (last === undefined || rows.length < PAGE) return;
      after = keyOf(last);
    }
  }

  return {
    /** Adds a file that is known, but maybe not there anymore. */
    addFile: (file: StoredFile) => void addFile.run(file),
    markThere: (file: string, size: number) => void markThere.run(file, size),
    markNeeded: (file: string) => void markNeeded.run(file),
    findFile: (file: string) => findFile.get(file),
    addObject: (object: IndexedObject) => void addObject.run(object),
    hasObject: (key: string) => findObject.get(key) !== undefined,
    keepObject: (key: string) => void keepObject.run(key),
    deleteOtherObjects: () => void client.prepare('DELETE FROM objects WHERE is_kept = 0').run(),
    listObjects: () =>
      pages<IndexedObject>(
        `SELECT key, file, size, sha256 FROM objects WHERE key > ? ORDER BY key LIMIT ${PAGE}`,
        ({ key }) => key,
      ),
    /** Records the plain content of a file, from an object that has it. */
    markContent: ({ file, size, sha256 }: IndexedObject) => void markContent.run(size, sha256, file),
    listContents: () =>
      pages<StoredFile & { plain_size: number | null; plain_sha256: string | null }>(
        `SELECT file, size, sha256, plain_size, plain_sha256 FROM files WHERE file > ? ORDER BY file LIMIT ${PAGE}`,
        ({ file }) => file,
      ),
    /** Lists the files that objects need. */
    listNeededFiles: () =>
      pages<StoredFile>(
        `SELECT file, size, sha256 FROM files WHERE file > ? AND is_needed = 1 ORDER BY file LIMIT ${PAGE}`,
        ({ file }) => file,
      ),
    totals: () =>
      client
        .prepare<[], { objects: number; bytes: number; files: number; fileBytes: number }>(
          `SELECT (SELECT count(*) FROM objects) AS objects, (SELECT coalesce(sum(size), 0) FROM objects) AS bytes,
            (SELECT count(*) FROM files WHERE is_needed = 1) AS files,
            (SELECT coalesce(sum(size), 0) FROM files WHERE is_needed = 1) AS fileBytes`,
        )
        .get() ?? { objects: 0, bytes: 0, files: 0, fileBytes: 0 },
    close: () => void client.close(),
  };
}
