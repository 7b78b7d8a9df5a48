// Opens the storage that is configured.
import type { Config } from '../config.ts';
import type { Storage } from '../core/storage.ts';
import type { Clock } from '../lib/clock.ts';
import type { Keyring } from '../runtime/signing.ts';
import { type LocalStorage, openLocalStorage } from './local/backend.ts';
import type { S3Storage } from './s3/backend.ts';

/** A storage and, by its kind, what answers the links that it signs for this server. */
export type OpenStorage =
  | { kind: 'local'; storage: Storage; local: LocalStorage; close(): void }
  | { kind: 's3'; storage: Storage; s3: S3Storage; close(): void };

/** Opens the configured backend. Throws the file system's error if a folder can't be used. Sends no request. */
export async function openStorage(
  config: Config,
  { keyring, clock }: { keyring: Keyring; clock: Clock },
): Promise<OpenStorage> {
  const { base_url: baseUrl } = config.server;
  if (config.storage.backend === 's3') {
    // Loaded on demand, because most servers keep their objects in a folder.
    const { openConfiguredBucket } = await import('./s3/open.ts');
    const { storage: s3, close } = openConfiguredBucket(config.storage.s3, { baseUrl, keyring, clock });
    return { kind: 's3', storage: s3, s3, close };
  }
  const { local: options } = config.storage;
  const local = openLocalStorage({
    directory: options.directory,
    baseUrl,
    keyring,
    clock,
    putLifetimeMs: config.limits.pending_upload_lifetime_minutes * 60_000,
    reserve: { bytes: options.reserve_bytes, percent: options.reserve_percent },
  });
  return { kind: 'local', storage: local, local, close: () => undefined };
}
