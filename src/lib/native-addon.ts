// Writes the executable's embedded native code to a folder that the operating system loads it from.
import { createHash } from 'node:crypto';
import {
  accessSync,
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { makeFolderNow } from './durable-file.ts';

/** Native code inside the executable, read only when it has to be written. */
export interface EmbeddedAddon {
  /** SHA-256 of its content, in hexadecimal. */
  digest: string;
  read(): Buffer;
}

const CHUNK_BYTES = 64 * 1024;

/**
 * Writes the addon to a file named after its content and returns the path. Reuses an intact file of an earlier start. Throws an
 * Error that lists each rejected folder with the reason.
 * @param candidateDirs folders to try first, before the folders of the system
 */
export function installAddon(addon: EmbeddedAddon, candidateDirs: readonly string[], env = process.env): string {
  const refusals: string[] = [];
  for (const directory of [...candidateDirs, ...systemDirs(env)]) {
    try {
      return placeIn(directory, addon);
    } catch (error) {
      refusals.push(`${directory}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  throw new Error(`The database driver can't be stored in any of these folders:\n  ${refusals.join('\n  ')}`);
}

function systemDirs(env: NodeJS.ProcessEnv): string[] {
  const mine = `taxiway-${process.getuid?.() ?? 'user'}`;
  const cache = env.XDG_CACHE_HOME ?? (env.HOME ? join(env.HOME, '.cache') : undefined);
  const dirs = [tmpdir(), '/dev/shm', env.XDG_RUNTIME_DIR, '/run', '/var/tmp'].filter((dir) => dir !== undefined);
  return [...(cache ? [join(cache, 'taxiway')] : []), ...dirs.map((dir) => join(dir, mine))];
}

function placeIn(directory: string, { digest, read }: EmbeddedAddon): string {
  // It may be the first in a data folder.
  makeFolderNow(dirname(directory));
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  refuseForeign(lstatSync(directory), 'folder');
  const file = join(directory, `better_sqlite3-${digest.slice(0, 32)}.node`);
  if (!isIntact(file, digest)) writeWhole(file, read());
  try {
    // On a file system mounted with noexec, access is denied although the mode allows it.
    accessSync(file, constants.R_OK | constants.X_OK);
  } catch (error) {
    rmSync(file, { force: true });
    throw error;
  }
  return file;
}

/** A planted file would run with the server's rights, so a file is used only if it's a plain file, owned by us, and unchanged. */
function isIntact(file: string, digest: string): boolean {
  let handle: number;
  try {
    handle = openSync(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
  } catch {
    return false;
  }
  try {
    refuseForeign(fstatSync(handle), 'file');
    return sha256Of(handle) === digest;
  } catch {
    return false;
  } finally {
    closeSync(handle);
  }
}

function writeWhole(file: string, bytes: Buffer): void {
  const aside = `${file}.${process.pid}.${process.hrtime.bigint()}`;
  const handle = openSync(aside, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o500);
  try {
    try {
      for (let offset = 0; offset < bytes.length; ) offset += writeSync(handle, bytes, offset);
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
    renameSync(aside, file);
  } catch (error) {
    rmSync(aside, { force: true });
    throw error;
  }
}

function refuseForeign(found: { uid: number; mode: number; isFile(): boolean; isDirectory(): boolean }, what: string) {
  if (what === 'folder' ? !found.isDirectory() : !found.isFile()) throw new Error(`not a plain ${what}`);
  if (process.getuid === undefined) return;
  if (found.uid !== process.getuid()) throw new Error(`the ${what} belongs to another user`);
  if ((found.mode & 0o022) !== 0) throw new Error(`the ${what} is writable by other users`);
}

/** Reads in small parts, because the memory of a buffer as large as the file would stay with the process. */
function sha256Of(handle: number): string {
  const hash = createHash('sha256');
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  for (let length = readSync(handle, chunk); length > 0; length = readSync(handle, chunk))
    hash.update(chunk.subarray(0, length));
  return hash.digest('hex');
}
