// The keys under which the objects of builds are stored.

import type { ObjectOwner } from '../core/context.ts';
import type { Platform } from '../platforms.ts';
import { isCompleted, isPending } from './store.ts';

// All keys come from the pending upload's id, so that a complete that broke off finds again what it did.
export const pendingKey = (pendingUploadId: string) => `pending/${pendingUploadId}`;
export const iconKey = (pendingUploadId: string) => `builds/${pendingUploadId}/icon`;
export const packageKey = (pendingUploadId: string, platform: Platform) =>
  `builds/${pendingUploadId}/package.${platform === 'ios' ? 'ipa' : 'apk'}`;

/** The id of the pending upload whose package has this key, before or after complete; undefined for other objects. */
export function uploadOfPackage(key: string): string | undefined {
  const [, id] =
    /^(?:pending\/([0-9a-f-]{36})|builds\/([0-9a-f-]{36})\/package\.(?:ipa|apk))$/.exec(key)?.filter(Boolean) ?? [];
  return id;
}

const UPLOAD_OF_KEY = /^(?:pending|builds)\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?:\/|$)/;

/** The keys whose upload a test doesn't know. Keys of another form belong to somebody else. */
function withoutUpload(keys: readonly string[], isKnown: (uploadId: string) => boolean): string[] {
  return keys.filter((key) => {
    const [, uploadId] = UPLOAD_OF_KEY.exec(key) ?? [];
    return uploadId !== undefined && !isKnown(uploadId);
  });
}

/** Packages that were uploaded and aren't builds yet. */
export const pendingPackages: ObjectOwner = {
  prefix: 'pending/',
  findOrphans: (app, keys) => withoutUpload(keys, (id) => isPending(app, id)),
};

/** Packages and icons of builds. */
export const packages: ObjectOwner = {
  prefix: 'builds/',
  findOrphans: (app, keys) => withoutUpload(keys, (id) => isPending(app, id) || isCompleted(app, id)),
};
