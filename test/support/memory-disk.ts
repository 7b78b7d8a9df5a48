// Small disks in memory, for tests of full disks and of folders on several disks.
import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, mkdtempSync, openSync, rmdirSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface MemoryDisk extends Disposable {
  folder: string;
  /** Takes all of the free space. */
  fill(): void;
  /** Frees what `fill` took. */
  makeRoom(): void;
  resize(kib: number): void;
  /** Lets it only be read from now on. */
  protect(): void;
}

/**
 * Mounts a disk with this many KiB, in a temporary folder or at `place`, and unmounts it when it's disposed of. Returns why not if that
 * isn't possible, as for users without the right; with CI=true it throws, because there it has to be.
 */
export function mountDisk(kib: number, place?: string): MemoryDisk | string {
  if (process.platform !== 'linux') return 'only Linux has file systems in memory';
  const folder = place ?? mkdtempSync(join(tmpdir(), 'taxiway-disk-'));
  mkdirSync(folder, { recursive: true });
  const mount = (options: string, words: string[]) =>
    execFileSync('mount', ['-o', options, ...words], { stdio: ['ignore', 'ignore', 'pipe'] });
  try {
    mount(`size=${kib}k`, ['-t', 'tmpfs', 'tmpfs', folder]);
  } catch (error) {
    rmdirSync(folder);
    if (process.env.CI === 'true') throw error;
    return `no file system can be mounted: ${error instanceof Error ? error.message.trim() : error}`;
  }
  const ballast = join(folder, 'ballast');
  return {
    folder,
    fill() {
      const block = Buffer.alloc(64 * 1024, 1);
      const handle = openSync(ballast, 'w');
      try {
        // A server that writes too can take or free space any time, so how much is free is known only once nothing is.
        for (;;) writeSync(handle, block);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
      } finally {
        closeSync(handle);
      }
    },
    makeRoom: () => rmSync(ballast),
    resize: (size) => void mount(`remount,size=${size}k`, [folder]),
    protect: () => void mount('remount,ro', [folder]),
    [Symbol.dispose]() {
      // Also if a failed test has left a file open.
      execFileSync('umount', ['-l', folder]);
      rmdirSync(folder);
    },
  };
}
