// A place in one file: an SQLite database with the files of backups in pieces.
import { createHash } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import Sqlite from 'better-sqlite3';
import { type DeleteFailure, type ObjectHead, StorageError } from '../core/storage.ts';
import { makePrivate } from '../data/database.ts';
import { assertObjectKey } from '../storage/object-key.ts';
import type { BackupPlace } from './place.ts';

const PIECE_BYTES = 1024 * 1024;
/** "twbk", so that `file` and this program recognize it. */
const APPLICATION_ID = 0x7477626b;

type OpenOptions = { isReadOnly: boolean; nativeBinding: string | undefined };

/** Opens an archive, and creates a missing one. Throws StorageError for a file of another kind. */
export function openArchive(path: string, options: OpenOptions): BackupPlace {
  const client = openClient(path, options);
  try {
    prepare(client, options.isReadOnly);
  } catch (error) {
    client.close();
    throw new StorageError('unavailable', describeUnusable(path, error), error);
  }
  const insertPiece = () =>
    client.prepare<[string, number, Buffer]>('INSERT INTO pieces (file, piece, bytes) VALUES (?, ?, ?)');
  const findFile = client.prepare<[string], { size: number; etag: string; modified_at: number }>(
    'SELECT size, etag, modified_at FROM files WHERE file = ?',
  );
  const findPiece = client
    .prepare<[string, number], Buffer>('SELECT bytes FROM pieces WHERE file = ? AND piece = ?')
    .pluck();

  async function head(file: string): Promise<ObjectHead | undefined> {
    const found = guard(() => findFile.get(file));
    return found && { size: found.size, etag: found.etag, modifiedAt: new Date(found.modified_at) };
  }

  async function read(file: string, offset: number, length: number): Promise<Buffer> {
    const found = await head(file);
    if (found === undefined) throw new StorageError('not_found', "the file doesn't exist");
    const end = Math.min(found.size, offset + length);
    const parts: Buffer[] = [];
    for (let position = offset; position < end; ) {
      const piece = guard(() => findPiece.get(file, Math.floor(position / PIECE_BYTES)));
      const start = position % PIECE_BYTES;
      const part = (piece ?? Buffer.alloc(0)).subarray(start, start + end - position);
      if (part.length === 0) break;
      parts.push(part);
      position += part.length;
    }
    return Buffer.concat(parts);
  }

  function remove(file: string): void {
    client.prepare('DELETE FROM files WHERE file = ?').run(file);
    client.prepare('DELETE FROM pieces WHERE file = ?').run(file);
  }

  async function put(file: string, content: Uint8Array | AsyncIterable<Uint8Array>): Promise<ObjectHead> {
    assertObjectKey(file);
    guard(() => remove(file));
    const hash = createHash('sha256');
    let size = 0;
    let count = 0;
    const insert = insertPiece();
    // A file is there once it's in the list.
    for await (const piece of inPieces(content instanceof Uint8Array ? [content] : content)) {
      hash.update(piece);
      size += piece.length;
      guard(() => insert.run(file, count, piece));
      count += 1;
    }
    const stored = { file, size, etag: `"${hash.digest('hex')}"`, modified_at: Date.now() };
    guard(() => client.prepare('INSERT INTO files VALUES (@file, @size, @etag, @modified_at)').run(stored));
    return { size, etag: stored.etag, modifiedAt: new Date(stored.modified_at) };
  }

  return {
    name: path,
    head,
    read,
    put,
    async list(prefix, { after = '', limit }) {
      const rows = guard(() =>
        client
          .prepare<[string, string, string, number], { file: string; size: number; modified_at: number }>(
            'SELECT file, size, modified_at FROM files WHERE file > ? AND file >= ? AND file < ? ORDER BY file LIMIT ?',
          )
          .all(after, prefix, `${prefix}\u{10ffff}`, limit + 1),
      );
      const items = rows
        .slice(0, limit)
        .map((row) => ({ key: row.file, size: row.size, modifiedAt: new Date(row.modified_at) }));
      return { items, next: rows.length > limit ? items.at(-1)?.key : undefined };
    },
    async deleteMany(files) {
      const failures: DeleteFailure[] = [];
      for (const key of files) {
        try {
          guard(() => remove(key));
        } catch (error) {
          failures.push({ key, error });
        }
      }
      return failures;
    },
    close: () => void client.close(),
  };
}

function openClient(path: string, { isReadOnly, nativeBinding }: OpenOptions): Sqlite.Database {
  if (!isReadOnly) makePrivate(path);
  // SQLite undoes what an interrupted backup left only on a connection that can write.
  const readonly = isReadOnly && !existsSync(journalOf(path));
  try {
    return new Sqlite(path, { readonly, ...(nativeBinding === undefined ? {} : { nativeBinding }) });
  } catch (error) {
    const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
    const cause = isFolder ? new Error("it's a folder") : error;
    throw new StorageError('unavailable', `the archive ${path} can't be opened`, cause);
  }
}

/** SQLite's file with what an unfinished transaction changed. */
const journalOf = (path: string): string => `${path}-journal`;

function describeUnusable(path: string, error: unknown): string {
  const code = error instanceof Sqlite.SqliteError ? error.code : 'SQLITE_NOTADB';
  if (code !== 'SQLITE_NOTADB' && existsSync(journalOf(path))) {
    return `${path} has an unfinished backup: make it writable, and keep its -journal beside it`;
  }
  return /^SQLITE_(?:FULL|READONLY)/.test(code) ? `${path} can't be written` : `${path} isn't an archive of backups`;
}

function prepare(client: Sqlite.Database, isReadOnly: boolean): void {
  if (!isReadOnly && client.pragma('page_count', { simple: true }) === 0) {
    // Together, so that a process that is killed in between leaves an empty file.
    client.exec(`
      BEGIN;
      PRAGMA application_id = ${APPLICATION_ID};
      CREATE TABLE files (file TEXT PRIMARY KEY, size INTEGER NOT NULL, etag TEXT NOT NULL, modified_at INTEGER NOT NULL) STRICT;
      CREATE TABLE pieces (file TEXT NOT NULL, piece INTEGER NOT NULL, bytes BLOB NOT NULL, PRIMARY KEY (file, piece)) STRICT;
      COMMIT;
    `);
  }
  if (client.pragma('application_id', { simple: true }) !== APPLICATION_ID) throw new Error('another kind of database');
  if (isReadOnly) return;
  client.pragma('synchronous = FULL');
  // What a killed backup has written of a file.
  client.exec('DELETE FROM pieces WHERE file NOT IN (SELECT file FROM files)');
}

/** Errors of SQLite become those of a storage, which commands explain. */
function guard<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    const isFull = error instanceof Sqlite.SqliteError && error.code === 'SQLITE_FULL';
    throw new StorageError(isFull ? 'full' : 'unavailable', 'the archive is unavailable', error);
  }
}

/** Regroups bytes into pieces of the same size; the last may be shorter. */
async function* inPieces(content: Iterable<Uint8Array> | AsyncIterable<Uint8Array>): AsyncIterable<Buffer> {
  let waiting: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of content) {
    waiting.push(chunk);
    length += chunk.length;
    if (length < PIECE_BYTES) continue;
    const all = Buffer.concat(waiting);
    const whole = all.length - (all.length % PIECE_BYTES);
    for (let start = 0; start < whole; start += PIECE_BYTES) yield all.subarray(start, start + PIECE_BYTES);
    waiting = [all.subarray(whole)];
    length = all.length - whole;
  }
  if (length > 0) yield Buffer.concat(waiting);
}
