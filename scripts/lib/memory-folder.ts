// A temporary folder in memory for tests, which create thousands of small databases: a whole run takes a tenth less time than on a disk.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { freemem } from 'node:os';
import { join } from 'node:path';

/** Linux has a file system in memory here, which containers often limit to 64 MB. */
const SHARED_MEMORY = '/dev/shm';
const PREFIX = 'taxiway-tests-';
/** A run of all tests has 340 MB of files at a time, and its processes need memory too. */
const NEEDED_BYTES = 2 * 1024 ** 3;
const NEEDED_MEMORY_BYTES = 4 * 1024 ** 3;

/**
 * Returns the path of a new folder in memory, which `removeMemoryFolder` removes, or undefined if this machine has none that is large
 * enough and runs programs. Removes those of test runs that were killed.
 */
export function makeMemoryFolder(): string | undefined {
  const folder = join(SHARED_MEMORY, `${PREFIX}${process.pid}`);
  try {
    removeLeftFolders();
    const { bavail, bsize } = statfsSync(SHARED_MEMORY);
    if (bavail * bsize < NEEDED_BYTES || freemem() < NEEDED_MEMORY_BYTES) return undefined;
    mkdirSync(folder, { mode: 0o700 });
    if (runsPrograms(folder)) return folder;
    removeMemoryFolder(folder);
  } catch {
    // Another system, or another account's.
  }
  return undefined;
}

export function removeMemoryFolder(folder: string | undefined): void {
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}

function removeLeftFolders(): void {
  for (const name of readdirSync(SHARED_MEMORY)) {
    const pid = Number(name.startsWith(PREFIX) && name.slice(PREFIX.length));
    if (pid > 0 && !isRunning(pid)) removeMemoryFolder(join(SHARED_MEMORY, name));
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
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
