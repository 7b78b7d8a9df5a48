// A temporary folder in memory for tests, which create thousands of small databases: a whole run takes a tenth less time than on a disk.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { acquireLocks } from '../../src/runtime/lock.ts';

/** Linux has a file system in memory here, which containers often limit to 64 MB. */
const SHARED_MEMORY = '/dev/shm';
const PREFIX = 'taxiway-tests-';
/** A run of all tests has 340 MB of files at a time, and its processes need memory too. */
const NEEDED_BYTES = 2 * 1024 ** 3;
const NEEDED_MEMORY_BYTES = 4 * 1024 ** 3;

export interface MemoryFolder {
  path: string;
  /** Removes the folder, as far as possible. */
  remove(): void;
}

/**
 * Creates a folder in memory, or returns undefined if this machine has none that is large enough and runs programs. Removes those of test
 * runs that were killed.
 */
export function makeMemoryFolder(): MemoryFolder | undefined {
  try {
    const { bavail, bsize } = statfsSync(SHARED_MEMORY);
    removeLeftFolders();
    if (bavail * bsize < NEEDED_BYTES || process.availableMemory() < NEEDED_MEMORY_BYTES) return undefined;
    const path = mkdtempSync(join(SHARED_MEMORY, PREFIX));
    const release = lock(path);
    const remove = () => {
      release();
      removeFolder(path);
    };
    if (runsPrograms(path)) return { path, remove };
    remove();
  } catch {
    // Another system, or another run took it for a left one.
  }
  return undefined;
}

/** Ends with the process, also in a container that shares the memory with others. Throws if the folder is one of a run. */
const lock = (folder: string): (() => void) =>
  acquireLocks([{ lockFile: join(folder, 'taxiway-test.lock'), name: folder }]);

function removeFolder(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  } catch {
    // The next run tries again.
  }
}

function removeLeftFolders(): void {
  for (const name of readdirSync(SHARED_MEMORY).filter((one) => one.startsWith(PREFIX))) {
    const folder = join(SHARED_MEMORY, name);
    try {
      lock(folder)();
      removeFolder(folder);
    } catch {
      // It belongs to a run, or to another account.
    }
  }
}

/** Containers often don't allow it in shared memory, but tests load addons and run scripts from temporary folders. */
function runsPrograms(folder: string): boolean {
  const script = join(folder, 'try');
  writeFileSync(script, '#!/bin/sh\nexit 0\n', { mode: 0o700 });
  const { status } = spawnSync(script);
  rmSync(script);
  return status === 0;
}
