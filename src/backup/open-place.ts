// Where backups are stored: a folder or an S3 bucket, through the same backends as packages, or a single file.
import { randomBytes } from 'node:crypto';
import { existsSync, type Stats, statSync } from 'node:fs';
import { chmod } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Config } from '../config.ts';
import type { Storage } from '../core/storage.ts';
import { addonOf } from '../data/addon.ts';
import { systemClock } from '../lib/clock.ts';
import { describeFailure, Refusal } from '../lib/failure.ts';
import { areNested } from '../lib/folders.ts';
import { isIpUrl } from '../lib/ip-url.ts';
import { createSecrets } from '../runtime/secrets.ts';
import { openLocalStorage } from '../storage/local/backend.ts';
import { openArchive } from './archive-place.ts';
import type { BackupPlace } from './place.ts';

/** Opens a place for writing. Creates a missing folder, which only its owner can read. Throws Refusal. */
export async function openPlaceForWriting(place: string, config: Config, cwd: string): Promise<BackupPlace> {
  if (isBucket(place)) return openBucket(place, config);
  const folder = resolve(cwd, place);
  if (isArchive(folder)) return openArchive(folder, { isReadOnly: false, nativeBinding: addonOf(config) });
  const { directory } = config.storage.local;
  if (areNested(folder, directory)) {
    throw new Refusal(`${folder} can't have backups, because ${directory} has the server's packages`);
  }
  const isNew = !existsSync(folder);
  try {
    const opened = openFolder(folder, { isReadOnly: false });
    if (isNew) await chmod(folder, 0o700);
    // Others can't read what is in them, also in a folder that others can read.
    for (const name of ['objects', 'incoming']) await chmod(join(folder, name), 0o700);
    return opened;
  } catch (error) {
    throw new Refusal(`${folder} can't be written: ${describeFailure(error)}`);
  }
}

/** Opens a place that has backups. Throws Refusal if the folder doesn't exist or can't be read. */
export async function openPlaceForReading(place: string, config: Config, cwd: string): Promise<BackupPlace> {
  if (isBucket(place)) return openBucket(place, config);
  const folder = resolve(cwd, place);
  if (isArchive(folder) && existsSync(folder))
    return openArchive(folder, { isReadOnly: true, nativeBinding: addonOf(config) });
  if (lookAt(join(folder, 'objects')) === undefined) throw new Refusal(`${folder} has no backups`);
  return openFolder(folder, { isReadOnly: true });
}

/** Returns the one name of a place, however it was written. */
export function resolvePlace(place: string, cwd: string): string {
  return isBucket(place) ? place.replace(/\/$/, '') : resolve(cwd, place);
}

function isBucket(place: string): boolean {
  return place.startsWith('s3://');
}

/** A file that exists, or whose name ends like one. */
function isArchive(path: string): boolean {
  return path.endsWith('.backup') || lookAt(path)?.isFile() === true;
}

/** Returns undefined if there is nothing. Throws Refusal if that can't be said, such as without permission for the folder. */
function lookAt(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? ` (${error.code})` : '';
    throw new Refusal(`${path} can't be read${code}`);
  }
}

function openFolder(folder: string, { isReadOnly }: { isReadOnly: boolean }): BackupPlace {
  const keyring = temporaryKeyring();
  const storage = openLocalStorage({
    directory: folder,
    baseUrl: '',
    clock: systemClock,
    keyring,
    createsFolders: !isReadOnly,
  });
  return {
    ...pick(storage),
    name: folder,
    deleteParts: (before) => storage.sweepTemporary(before),
    close: () => undefined,
  };
}

/** The keys of a place that signs no links. */
function temporaryKeyring() {
  return createSecrets(randomBytes(32)).keyring;
}

async function openBucket(place: string, config: Config): Promise<BackupPlace> {
  const [, bucket = '', prefix = ''] = /^s3:\/\/([^/]+)\/?(.*?)\/?$/.exec(place) ?? [];
  const { endpoint, force_path_style: isPathStyle, access_key_id: keyId, secret_access_key: secret } = config.backup.s3;
  if (isIpUrl(endpoint) && !isPathStyle) {
    throw new Refusal('set backup.s3.force_path_style to true, because backup.s3.endpoint is an IP address');
  }
  if ((keyId === '') !== (secret === '')) {
    throw new Refusal('set both backup.s3.access_key_id and backup.s3.secret_access_key, or neither');
  }
  const { openConfiguredBucket } = await import('../storage/s3/open.ts');
  const options = { ...config.storage.s3, ...config.backup.s3, bucket, prefix, public_endpoint: '' };
  const opened = openConfiguredBucket(
    { ...options, proxy_downloads: false },
    { baseUrl: '', clock: systemClock, keyring: temporaryKeyring() },
  );
  return { ...pick(opened.storage), name: opened.storage.location, close: () => opened.close() };
}

function pick({ put, head, read, list, deleteMany }: Storage) {
  return { put, head, read, list, deleteMany };
}
