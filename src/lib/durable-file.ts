// Atomic file writes: after a crash of the process or machine, a file is complete or absent.
import { closeSync, fsyncSync, linkSync, mkdirSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { codeOf } from './error-code.ts';

/**
 * The mode of folders with data, which contain password hashes, keys and packages: only the owner and the group have access, for a proxy that
 * serves files.
 */
export const DATA_FOLDER_MODE = 0o750;

/** Creates a file durably. If the file exists, even from a concurrent writer, it's left unchanged. */
export function writeOnce(file: string, content: string, mode: number): void {
  mkdirSync(dirname(file), { recursive: true });
  const aside = asideOf(file);
  try {
    writeFileSync(aside, content, { mode, flag: 'wx' });
    syncPath(aside);
    try {
      // Unlike a rename, a link never replaces an existing file.
      linkSync(aside, file);
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined;
      if (code === 'EEXIST') return;
      // Some file systems have no hard links.
      renameSync(aside, file);
    }
    syncFolderOf(file);
  } finally {
    rmSync(aside, { force: true });
  }
}

/** Creates a file, or nothing. Throws the file system's error, also if the file exists. */
export function writeNew(file: string, content: string, mode: number): void {
  const handle = openSync(file, 'wx', mode);
  try {
    writeFileSync(handle, content);
  } catch (error) {
    rmSync(file, { force: true });
    throw error;
  } finally {
    closeSync(handle);
  }
}

/**
 * Creates a file durably: `write` fills a temporary file, readable by its owner only, which is then renamed to `file`.
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
  // Left behind by a killed process with the same id.
  rmSync(aside, { force: true });
  return aside;
}

function syncPath(path: string): void {
  // Windows flushes only files that are open for writing.
  const handle = openSync(path, process.platform === 'win32' ? 'r+' : 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** Creates a folder for data and its parents durably. Existing folders take no extra work. */
export function makeFolderNow(folder: string): void {
  const path = resolve(folder);
  const first = mkdirSync(path, { recursive: true, mode: DATA_FOLDER_MODE });
  if (first === undefined) return;
  for (let made = path; made.length >= first.length; made = dirname(made)) syncFolderOf(made);
}

/** Flushes a folder's entry and those of its parents, which a process may have created that was killed before it flushed them. */
export function flushFolders(folder: string): void {
  for (let path = resolve(folder); path !== dirname(path); path = dirname(path)) {
    try {
      syncFolderOf(path);
    } catch (error) {
      // The server's account may not read the folders above its own, and not every file system can flush them.
      if (codeOf(error) === 'EIO') throw error;
    }
  }
}

/** Makes a rename in the folder of a file durable. */
export function syncFolderOf(file: string): void {
  // Windows can't flush a folder.
  if (process.platform !== 'win32') syncPath(dirname(file));
}
