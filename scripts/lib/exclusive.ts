// Work that only one process at a time may do, such as writing a build that several test files need.
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { acquireLocks, InUseError } from '../../src/runtime/lock.ts';
import { cacheDir } from './project.ts';

const LOOK_EVERY_MS = 50;

/** Runs work as soon as no other process does work of the same name, and returns its result. */
export async function exclusively<T>(name: string, work: () => Promise<T>): Promise<T> {
  const target = { lockFile: join(cacheDir, `${name}.lock`), name };
  let release: (() => void) | undefined;
  while (release === undefined) {
    try {
      release = acquireLocks([target]);
    } catch (error) {
      if (!(error instanceof InUseError)) throw error;
      await sleep(LOOK_EVERY_MS);
    }
  }
  try {
    return await work();
  } finally {
    release();
  }
}
