// Opens the storage that is configured.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type Sqlite from 'better-sqlite3';
import type { Config } from '../config.ts';
import type { RoutedStorage, Storage } from '../core/storage.ts';
import { hasTable } from '../data/has-table.ts';
import type { Clock } from '../lib/clock.ts';
import type { ServerBackend } from '../lib/storage-backends.ts';
import type { Keyring } from '../runtime/signing.ts';
import { type CustomerContainers, withoutContainers } from './azure/containers.ts';
import { type LocalStorage, openLocalStorage, realPathOf } from './local/backend.ts';
import { noPlaces, type Places } from './places.ts';
import { createRouter } from './router.ts';
import type { S3Storage } from './s3/backend.ts';
import { locateConfiguredBucket } from './s3/location.ts';
import { watchBackend } from './watch.ts';

/** A storage, and the backends that answer the links that it signs for this server. */
export type OpenStorage = {
  storage: RoutedStorage;
  local: LocalStorage | undefined;
  s3: S3Storage | undefined;
  containers: CustomerContainers;
  close(): void;
};

type StorageConfig = Config['storage'];

/** Whether a backend that isn't the one for new objects may have some: a bucket that is configured, or a folder with objects. */
const mayHaveObjects: Record<ServerBackend, (storage: StorageConfig) => boolean> = {
  local: ({ local }) => existsSync(join(local.directory, 'objects')),
  s3: ({ s3 }) => s3.bucket !== '',
};

/** Returns the origin outside of this server that browsers upload to, if there is one. */
const uploadOriginOf: Record<ServerBackend, (storage: StorageConfig) => string | undefined> = {
  local: () => undefined,
  s3: ({ s3 }) => locateConfiguredBucket(s3).publicUrlOf('pending').origin,
};

/** Whether a backend is used: the one for new objects, or one that may have some. */
export function isAttached({ storage }: Config, backend: ServerBackend): boolean {
  return storage.backend === backend || mayHaveObjects[backend](storage);
}

/**
 * Whether the folder of packages that the server of a database has used is missing, as if its disk isn't mounted. It isn't created then: in an
 * empty one, every package would be missing, and new ones would be stored on another disk.
 */
export function isFolderLost(config: Config, client: Sqlite.Database): boolean {
  const { backend, local } = config.storage;
  if (backend !== 'local' || existsSync(join(local.directory, 'objects'))) return false;
  if (!hasTable(client, 'attached_backends')) return false;
  const find = client.prepare(
    "SELECT 1 FROM attached_backends WHERE backend = 'local' AND location = ? AND EXISTS (SELECT 1 FROM builds)",
  );
  return find.get(realPathOf(local.directory)) !== undefined;
}

/** Returns the origins outside of this server that browsers upload to. */
export function uploadOrigins(storage: StorageConfig): readonly string[] {
  const origin = uploadOriginOf[storage.backend](storage);
  return origin === undefined ? [] : [origin];
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
    database,
  }: {
    keyring: Keyring;
    clock: Clock;
    places?: Places;
    containers?: CustomerContainers;
    settle?: () => Promise<void> | undefined;
    /** That of the server: a folder that it has lost isn't created, so its objects are unavailable. */
    database?: Sqlite.Database | undefined;
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
        createsFolders: database === undefined || !isFolderLost(config, database),
      })
    : undefined;
  // Loaded on demand, because most servers keep their objects in a folder.
  const bucket = isAttached(config, 's3')
    ? (await import('./s3/open.ts')).openConfiguredBucket(config.storage.s3, { baseUrl, keyring, clock })
    : undefined;
  const s3 = bucket?.storage;
  const opened: Record<ServerBackend, Storage | undefined> = { local, s3 };
  const home = opened[config.storage.backend];
  if (home === undefined) throw new Error('the backend for new objects is always used');
  const others = Object.values(opened).filter((one) => one !== undefined && one !== home) as Storage[];
  const watched = others.map((one) => watchBackend(one, clock));
  const storage = createRouter([watchBackend(home, clock), ...watched], places, containers, settle);
  return { storage, local, s3, containers, close: () => bucket?.close() };
}
