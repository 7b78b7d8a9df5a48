// Opens the storage that is configured.
import type { Config } from '../config.ts';
import type { Storage } from '../core/storage.ts';
import type { Clock } from '../lib/clock.ts';
import type { Keyring } from '../runtime/signing.ts';
import { type LocalStorage, openLocalStorage } from './local/backend.ts';

export interface OpenStorage {
  storage: Storage;
  /** The local backend, whose signed URLs this server answers itself; undefined if another service stores the objects. */
  local: LocalStorage | undefined;
}

/** Opens the configured backend. Throws the file system's error if a folder can't be used. */
export function openStorage(config: Config, { keyring, clock }: { keyring: Keyring; clock: Clock }): OpenStorage {
  const { local: options } = config.storage;
  const local = openLocalStorage({
    directory: options.directory,
    baseUrl: config.server.base_url,
    keyring,
    clock,
    putLifetimeMs: config.limits.pending_upload_lifetime_minutes * 60_000,
    reserve: { bytes: options.reserve_bytes, percent: options.reserve_percent },
  });
  return { storage: local, local };
}
