// How far Litestream has come: the files that it keeps beside the database say what it has copied there, and its metrics what it
// has sent to the replica.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { readBoundedText } from '../lib/bounded-text.ts';

/** A place in the copies of the write-ahead log: their number, and the bytes of the last one. */
export interface LogPosition {
  index: number;
  offset: number;
}

/** What Litestream has copied beside the database. A generation begins with a complete copy of the database. */
export interface CopiedPosition extends LogPosition {
  generation: string;
}

export interface LitestreamState {
  copied: CopiedPosition | undefined;
  /** Unknown until Litestream has sent something since it started. */
  sent: LogPosition | undefined;
  /** The number of times that it copied the log without an error since it started. */
  syncs: number;
}

/** Litestream responds within milliseconds. */
const TIMEOUT_MS = 2_000;
const MAX_BYTES = 1024 * 1024;

/** Whether everything up to a place in the log is sent. */
export const hasReached = (sent: LogPosition, copied: LogPosition): boolean =>
  sent.index > copied.index || (sent.index === copied.index && sent.offset >= copied.offset);

/** Returns the folder that Litestream keeps beside a database. */
export const litestreamFolderOf = (database: string): string =>
  join(dirname(database), `.${basename(database)}-litestream`);

/** Returns the state of the running Litestream, or undefined if none responds. */
export async function readLitestream(
  { database, address }: { database: string; address: string },
  request: typeof fetch,
): Promise<LitestreamState | undefined> {
  // Read first: what was sent is at least this, if Litestream is done.
  const copied = readCopied(database);
  try {
    const response = await request(`http://${address}/metrics`, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    if (response.status !== 200) return undefined;
    const read = parseMetrics(await readBoundedText(response, MAX_BYTES), database);
    return read === undefined ? undefined : { copied, ...read };
  } catch {
    return undefined;
  }
}

function readCopied(database: string): CopiedPosition | undefined {
  try {
    const folder = litestreamFolderOf(database);
    const generation = readFileSync(join(folder, 'generation'), 'utf8').trim();
    if (!/^[0-9a-f]{16}$/.test(generation)) return undefined;
    const logs = join(folder, 'generations', generation, 'wal');
    const last = readdirSync(logs)
      .filter((name) => /^[0-9a-f]{8}\.wal$/.test(name))
      .sort()
      .at(-1);
    if (last === undefined) return undefined;
    return { generation, index: Number.parseInt(last, 16), offset: statSync(join(logs, last)).size };
  } catch {
    // Litestream has not started yet, or deletes the files of an old generation.
    return undefined;
  }
}

/** Returns the bytes that Litestream keeps beside a database: what it hasn't sent, and little else. */
export async function measureCopied(database: string): Promise<number> {
  const folder = litestreamFolderOf(database);
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  let bytes = 0;
  // One after the other, because Litestream can have left thousands.
  for (const entry of entries) {
    if (entry.isFile()) bytes += await sizeOf(join(entry.parentPath, entry.name));
  }
  return bytes;
}

/** Litestream deletes files at any time. */
async function sizeOf(file: string): Promise<number> {
  try {
    return (await stat(file)).size;
  } catch {
    return 0;
  }
}

/** Parses the metrics of one database; undefined if Litestream doesn't replicate it. */
export function parseMetrics(text: string, database: string): Omit<LitestreamState, 'copied'> | undefined {
  const path = database.replace(/[\\"\n]/g, (sign) => (sign === '\n' ? '\\n' : `\\${sign}`));
  const find = (name: string): number | undefined => {
    const start = `litestream_${name}{db="${path}"`;
    const line = text.split('\n').find((candidate) => candidate.startsWith(start));
    const value = Number(line?.slice(line.lastIndexOf(' ') + 1));
    return Number.isFinite(value) && line !== undefined ? value : undefined;
  };
  const syncs = find('sync_count');
  if (syncs === undefined) return undefined;
  const [index, offset] = [find('replica_wal_index'), find('replica_wal_offset')];
  const sent = index === undefined || offset === undefined ? undefined : { index, offset };
  return { sent, syncs: syncs - (find('sync_error_count') ?? 0) };
}
