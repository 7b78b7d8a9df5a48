// Files that are there whole or not at all, whenever the process or the machine stops.
import { closeSync, fsyncSync, linkSync, mkdirSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** Writes a file that is not there yet; one that another process wrote meanwhile stays. Durable when it returns. */
export function writeOnce(file: string, content: string, mode: number): void {
  mkdirSync(dirname(file), { recursive: true });
  const aside = asideOf(file);
  try {
    writeFileSync(aside, content, { mode, flag: 'wx' });
    syncPath(aside);
    try {
      // Unlike a rename, a link never takes the place of what is there.
      linkSync(aside, file);
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined;
      if (code === 'EEXIST') return;
      // Some file systems have no links.
      renameSync(aside, file);
    }
    syncFolderOf(file);
  } finally {
    rmSync(aside, { force: true });
  }
}

/**
 * Lets `write` fill an empty file beside `file`, which its owner alone may read, and gives it the name when it is whole.
 * Durable when it returns.
 */
export function writeAside(file: string, write: (aside: string) => void): void {
  const aside = asideOf(file);
  try {
    closeSync(openSync(aside, 'wx', 0o600));
    write(aside);
    syncPath(aside);
    renameSync(aside, file);
    syncFolderOf(file);
  } finally {
    rmSync(aside, { force: true });
  }
}

function asideOf(file: string): string {
  const aside = `${file}.${process.pid}.part`;
  // Left by a process of the same number that was killed.
  rmSync(aside, { force: true });
  return aside;
}

function syncPath(path: string): void {
  // Windows flushes only what is open for writing.
  const handle = openSync(path, process.platform === 'win32' ? 'r+' : 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

function syncFolderOf(file: string): void {
  // Windows has no handle on a folder to flush.
  if (process.platform !== 'win32') syncPath(dirname(file));
}
