// The account that owns a server's data, for commands that root runs in its place.
import { closeSync, fchownSync, lchownSync, lstatSync, openSync, type Stats, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { codeOf } from '../lib/error-code.ts';

type Owner = Pick<Stats, 'uid' | 'gid'>;

const isRoot = (): boolean => process.geteuid?.() === 0;

/** Creates a missing file as the owner of its folder would, so that a command of root leaves none that the server can't write. */
export function createForOwner(file: string): void {
  if (!isRoot()) return;
  const { uid, gid } = statSync(dirname(file));
  if (uid === 0) return;
  ignoring('EEXIST', () => {
    const handle = openSync(file, 'wx', 0o644);
    try {
      // Root of a container may not be allowed to.
      ignoring('EPERM', () => fchownSync(handle, uid, gid));
    } finally {
      closeSync(handle);
    }
  });
}

/** Gives a file that root created to the account that owns `model`. */
export function giveToOwnerOf(model: string, file: string): void {
  if (!isRoot()) return;
  const { uid, gid } = statSync(model);
  // That account may have put a link in its place, to a file that is not for it.
  ignoring('EPERM', () => lchownSync(file, uid, gid));
}

/**
 * Returns the account that owns both `dataDir` and `folder`, or else the nearest folder above it, if root acts in its place. Undefined for
 * other accounts, and where root has folders of its own.
 */
export function findOwner(dataDir: string, folder: string): Owner | undefined {
  const owner = isRoot() ? lstatSync(dataDir, { throwIfNoEntry: false }) : undefined;
  return owner !== undefined && owner.uid !== 0 && nearestFolder(folder).uid === owner.uid ? owner : undefined;
}

function nearestFolder(path: string): Stats {
  const folder = resolve(path);
  try {
    return statSync(folder);
  } catch (error) {
    if (folder === dirname(folder)) throw error;
    return nearestFolder(dirname(folder));
  }
}

function ignoring(code: string, work: () => void): void {
  try {
    work();
  } catch (error) {
    if (codeOf(error) !== code) throw error;
  }
}
