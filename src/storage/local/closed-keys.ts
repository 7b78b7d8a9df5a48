// Remembers keys of moved objects until no signed PUT for them can be valid.

import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { HOUR } from '../../lib/clock.ts';
import { errorCode, type FileOperations, makeFolder, saysMissing, syncFolder } from './files.ts';

/** The set of closed keys. It survives restarts. */
export type ClosedKeys = {
  /** Closes the key durably. */
  seal(key: string): Promise<void>;
  /** Reopens the key after a failed move. */
  unseal(key: string): Promise<void>;
  isSealed(key: string): Promise<boolean>;
  /** Deletes expired entries. Returns the number of deleted folders. */
  prune(): Promise<number>;
};

/**
 * Closed keys are empty files in one folder per hour of expiry, named by the hour. A lookup only reads the few active folders,
 * and expired folders are deleted as a whole.
 */
export function createClosedKeys(options: {
  files: FileOperations;
  folder: string;
  clock: { now(): Date };
  /** Maximum lifetime of a signed PUT. */
  lifetimeMs: number;
}): ClosedKeys {
  const { files, folder, clock, lifetimeMs } = options;
  const endOf = (hour: string): number => (Number(hour) + 1) * HOUR;

  async function hours(): Promise<readonly string[]> {
    return (await files.readdir(folder)).filter((name) => /^\d{1,9}$/.test(name));
  }

  async function liveHours(): Promise<readonly string[]> {
    const now = clock.now().getTime();
    return (await hours()).filter((hour) => endOf(hour) > now);
  }

  async function prune(): Promise<number> {
    const now = clock.now().getTime();
    const over = (await hours()).filter((hour) => endOf(hour) <= now);
    for (const hour of over) await files.rm(join(folder, hour), { recursive: true, force: true });
    return over.length;
  }

  return {
    async seal(key) {
      await prune();
      const hour = join(folder, String(Math.floor((clock.now().getTime() + lifetimeMs) / HOUR)));
      await makeFolder(files, hour, folder);
      await (await files.open(join(hour, sealName(key)), 'w')).close();
      await syncFolder(files, hour);
    },
    async unseal(key) {
      for (const hour of await hours()) {
        await files.unlink(join(folder, hour, sealName(key))).catch((error: unknown) => {
          if (errorCode(error) !== 'ENOENT') throw error;
        });
      }
    },
    async isSealed(key) {
      for (const hour of await liveHours()) {
        try {
          await files.lstat(join(folder, hour, sealName(key)));
          return true;
        } catch (error) {
          if (!saysMissing(error)) throw error;
        }
      }
      return false;
    },
    prune,
  };
}

function sealName(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}
