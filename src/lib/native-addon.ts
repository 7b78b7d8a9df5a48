// Writes native code that the executable carries to a place where the system agrees to load it.
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
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Makes the addon available as a file named by its content, reusing the file of an earlier start when it is intact.
 * @param bytes the addon
 * @param candidateDirs folders to try first; the system's own places follow
 * @returns the path to load
 * @throws Error naming each folder tried and why it was refused
 */
export function installAddon(bytes: Buffer, candidateDirs: readonly string[], env = process.env): string {
  const digest = sha256(bytes);
  const refusals: string[] = [];
  for (const directory of [...candidateDirs, ...systemDirs(env)]) {
    try {
      return placeIn(directory, bytes, digest);
    } catch (error) {
      refusals.push(`${directory}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  throw new Error(`No folder can hold the database driver. Tried:\n  ${refusals.join('\n  ')}`);
}

function systemDirs(env: NodeJS.ProcessEnv): string[] {
  const mine = `taxiway-${process.getuid?.() ?? 'user'}`;
  const cache = env.XDG_CACHE_HOME ?? (env.HOME ? join(env.HOME, '.cache') : undefined);
  const dirs = [tmpdir(), '/dev/shm', env.XDG_RUNTIME_DIR, '/run', '/var/tmp'].filter((dir) => dir !== undefined);
  return [...(cache ? [join(cache, 'taxiway')] : []), ...dirs.map((dir) => join(dir, mine))];
}

function placeIn(directory: string, bytes: Buffer, digest: string): string {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  refuseForeign(lstatSync(directory), 'folder');
  const file = join(directory, `better_sqlite3-${digest.slice(0, 32)}.node`);
  if (!isIntact(file, digest)) writeWhole(file, bytes);
  try {
    // On a file system mounted noexec this is refused although the mode allows it.
    accessSync(file, constants.R_OK | constants.X_OK);
  } catch (error) {
    rmSync(file, { force: true });
    throw error;
  }
  return file;
}

/** A planted file would run with our rights: only what is ours alone, a plain file, and byte for byte right is used. */
function isIntact(file: string, digest: string): boolean {
  let handle: number;
  try {
    handle = openSync(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
  } catch {
    return false;
  }
  try {
    refuseForeign(fstatSync(handle), 'file');
    return sha256(readFileSync(handle)) === digest;
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
  if ((found.mode & 0o022) !== 0) throw new Error(`others may write to the ${what}`);
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
