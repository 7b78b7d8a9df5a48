// Opens the storage that is configured.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../config.ts';
import type { RoutedStorage, Storage } from '../core/storage.ts';
import type { Clock } from '../lib/clock.ts';
import type { ServerBackend } from '../lib/storage-backends.ts';
import type { Keyring } from '../runtime/signing.ts';
import { type CustomerContainers, withoutContainers } from './azure/containers.ts';
import { type LocalStorage, openLocalStorage } from './local/backend.ts';
import { noPlaces, type Places } from './places.ts';
import { createRouter } from './router.ts';
import type { S3Storage } from './s3/backend.ts';
import { watchBackend } from './watch.ts';

/** A storage, and the backends that answer the links that it signs for this server. */
export type OpenStorage = {
  storage: RoutedStorage;
  local: LocalStorage | undefined;
  s3: S3Storage | undefined;
  containers: CustomerContainers;
  close(): void;
};

/** Whether a backend is used: the one for new objects, a bucket that is configured, or a folder that has objects. */
export function isAttached({ storage }: Config, backend: ServerBackend): boolean {
  if (storage.backend === backend) return true;
  return backend === 's3' ? storage.s3.bucket !== '' : existsSync(join(storage.local.directory, 'objects'));
}

/** Opens the backends in use. Throws the file system's error if a folder can't be used. Sends no request. */
export async function openStorage(
  config: Config,
  {
    keyring,
    clock,
    places = noPlaces,
    containers = withoutContainers,
    settle,
  }: {
    keyring: Keyring;
    clock: Clock;
    places?: Places;
    containers?: CustomerContainers;
    settle?: () => Promise<void> | undefined;
  },
): Promise<OpenStorage> {
  const { base_url: baseUrl } = config.server;
  const { local: options } = config.storage;
  const local = isAttached(config, 'local')
    ? openLocalStorage({
        directory: options.directory,
        baseUrl,
        keyring,
        clock,
        putLifetimeMs: config.limits.pending_upload_lifetime_minutes * 60_000,
        reserve: { bytes: options.reserve_bytes, percent: options.reserve_percent },
      })
    : undefined;
  // Loaded on demand, because most servers keep their objects in a folder.
  const bucket = isAttached(config, 's3')
    ? (await import('./s3/open.ts')).openConfiguredBucket(config.storage.s3, { baseUrl, keyring, clock })
    : undefined;
  const s3 = bucket?.storage;
  const [home, other]: (Storage | undefined)[] = config.storage.backend === 's3' ? [s3, local] : [local, s3];
  if (home === undefined) throw new Error('the backend for new objects is always used');
  const storage = createRouter(
    other === undefined ? [watchBackend(home, clock)] : [watchBackend(home, clock), watchBackend(other, clock)],
    places,
    containers,
    settle,
  );
  return { storage, local, s3, containers, close: () => bucket?.close() };
}
