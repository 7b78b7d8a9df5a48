// The folders that a restore writes to: what they may contain before, and what an interrupted restore has left in them.
import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative } from 'node:path';
import { headFileOf } from '../audit/chain-heads.ts';
import type { Config } from '../config.ts';
import { hasFile, restoreMarkOf } from '../data/missing-database.ts';
import { writeOnce } from '../lib/durable-file.ts';
import { Refusal } from '../lib/failure.ts';
import * as z from '../lib/zod.ts';
import { lockFiles } from '../storage/local/lock.ts';

/** The file in the packages' folder with the token of the restore that writes them. */
const TOKEN_FILE = '.restoring';
/** A folder that exists in the root of a file system. */
const LOST_FILES = 'lost+found';

/** What a restore writes and the next one may delete. Its mark has it, because the next one may have another configuration. */
const begunShape = z.object({
  database: z.string(),
  objects: z.string(),
  hasKey: z.boolean(),
  /** Also in the packages' folder while they are those of this restore. */
  token: z.string(),
});
type Begun = z.output<typeof begunShape>;

/**
 * Throws Refusal if a folder has an installation, or something that could be part of one. Packages are a part, unless
 * `allowsPackages`.
 */
export function refuseExisting(
  { server, database, storage, backup, replication }: Config,
  { allowsPackages = false }: { allowsPackages?: boolean } = {},
): void {
  const locks = [join(server.data_dir, 'backup.lock'), `${database.file}.lock`];
  const own = [
    ...locks.flatMap((lock) => [lock, `${lock}-journal`]),
    ...['config.toml', 'secret.key'].map((name) => join(server.data_dir, name)),
    ...[server.data_dir, dirname(database.file)].map((folder) => join(folder, LOST_FILES)),
    // Checked below.
    storage.local.directory,
    ...[backup.directory, replication.target].filter((folder) => isAbsolute(folder)),
  ];
  const found = [
    ...findOthers(server.data_dir, own),
    // SQLite would add the write-ahead log of another database to the restored one, and its heads would be taken for the restored one's.
    ...[database.file, `${database.file}-wal`, headFileOf(database.file)].filter((file) => existsSync(file)),
    ...(!allowsPackages && listContent(storage.local.directory).some(isFileOrHasOne) ? [storage.local.directory] : []),
  ];
  if (found.length === 0) return;
  throw new Refusal(
    `the data folder must be empty, but it contains ${found[0]}: move it away, or set another server.data_dir`,
  );
}

/** Returns the paths in a folder of packages that an empty one doesn't have. */
function listContent(folder: string): string[] {
  const empty = [LOST_FILES, TOKEN_FILE, ...lockFiles];
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return names.filter((name) => !empty.includes(name)).map((name) => join(folder, name));
}

/** A server or a check without a package leaves empty folders. */
function isFileOrHasOne(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true ? hasFile(path) : true;
}

/** Returns the paths below a folder except for `own` ones, the folders around them, and hidden files. */
function findOthers(folder: string, own: readonly string[]): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => !name.startsWith('.'))
    .map((name) => join(folder, name))
    .flatMap((path) => {
      // `relative` compares as the file system does: on Windows, without regard to case.
      const places = own.map((one) => relative(path, one));
      if (places.includes('')) return [];
      const isAround = places.some((place) => !place.startsWith('..') && !isAbsolute(place));
      const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
      return isAround && isFolder ? findOthers(path, own) : [path];
    });
}

/** Records what a restore will write, before it writes anything, so that the next one can delete it. */
export function markBegun({ server, storage, database }: Config, hasKey: boolean): void {
  const begun: Begun = { database: database.file, objects: storage.local.directory, hasKey, token: randomUUID() };
  writeOnce(restoreMarkOf(server.data_dir), JSON.stringify(begun), 0o600);
  removeToken(begun.objects);
  writeOnce(join(begun.objects, TOKEN_FILE), begun.token, 0o600);
}

/** Makes the packages in a folder those of an installation, which no restore deletes. */
export function removeToken(objects: string): void {
  rmSync(join(objects, TOKEN_FILE), { force: true });
}

/**
 * Returns what an interrupted or failed restore has written, or undefined if there was none. Throws Refusal if it wrote elsewhere: what is in
 * the folders of this configuration may be anyone's.
 */
export function findBegun({ server, storage, database }: Config): Begun | undefined {
  const mark = restoreMarkOf(server.data_dir);
  // A command that created a database in the meantime has removed the mark, and what is there is an installation.
  if (!existsSync(mark)) return undefined;
  const begun = readMark(mark);
  if (begun?.database === database.file && begun.objects === storage.local.directory) return begun;
  const places = begun === undefined ? 'other folders' : `${begun.database} and ${begun.objects}`;
  throw new Refusal(
    `an interrupted restore wrote to ${places}: set database.file and storage.local.directory as they were, or delete what it wrote and ${mark}`,
  );
}

/** Deletes what an interrupted or failed restore has written. Throws Refusal as `findBegun` does. */
export function emptyFolders(config: Config): void {
  const begun = findBegun(config);
  if (begun === undefined) return;
  const { server, storage, database } = config;
  const { directory } = storage.local;
  const tokenFile = join(directory, TOKEN_FILE);
  deleteAsides(tokenFile);
  // Without the token, the packages are those of another installation that was put there since.
  if (existsSync(tokenFile) && readFileSync(tokenFile, 'utf8') === begun.token) {
    // The folder itself may be a link or the root of a file system.
    for (const path of listContent(directory)) rmSync(path, { recursive: true, force: true });
    rmSync(tokenFile);
  }
  for (const file of [headFileOf(database.file), ...(begun.hasKey ? [join(server.data_dir, 'secret.key')] : [])]) {
    rmSync(file, { force: true });
    deleteAsides(file);
  }
  rmSync(restoreMarkOf(server.data_dir));
}

/** Returns undefined for a mark that doesn't say what was written. */
function readMark(mark: string): Begun | undefined {
  try {
    return begunShape.safeParse(JSON.parse(readFileSync(mark, 'utf8'))).data;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Deletes the files that were to become another one. */
export function deleteAsides(file: string): void {
  const folder = dirname(file);
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder)) {
    if (name.startsWith(`${basename(file)}.`) && name.endsWith('.part')) rmSync(join(folder, name), { force: true });
  }
}
