// The folder in memory that scripts/test gives to tests, if this machine has one.
import { existsSync, mkdirSync, rmSync, statSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { makeMemoryFolder, removeMemoryFolder } from '../../scripts/lib/memory-folder.ts';

const folder = makeMemoryFolder();
removeMemoryFolder(folder);
/** Above the largest process id of Linux. */
const left = '/dev/shm/taxiway-tests-4194305';
const running = `/dev/shm/taxiway-tests-${process.ppid}`;

describe.skipIf(folder === undefined)('the folder in memory for tests', () => {
  let isOurs = false;
  afterEach(() => {
    removeMemoryFolder(folder);
    if (isOurs) rmSync(running, { recursive: true });
  });

  it('is private, and replaces those of runs that were killed', () => {
    // The process that started this one may be a run itself.
    isOurs = mkdirSync(running, { recursive: true }) !== undefined;
    mkdirSync(left, { recursive: true });
    expect(makeMemoryFolder()).toBe(folder);
    expect(statSync(String(folder)).mode & 0o777).toBe(0o700);
    expect([left, running].map((path) => existsSync(path))).toEqual([false, true]);
    removeMemoryFolder(folder);
    expect(existsSync(String(folder))).toBe(false);
  });
});
