// The object keys of packages and icons.

import type { ObjectOwner } from '../core/context.ts';
import { UUID_PATTERN } from '../lib/uuid.ts';
import { type Platform, platformFacts, platforms } from '../platforms.ts';
import { isCompleted, isPending } from './store.ts';

// All keys derive from the id of the pending upload, so that an interrupted complete call finds its objects again.
export const pendingKey = (pendingUploadId: string) => `pending/${pendingUploadId}`;
export const iconKey = (pendingUploadId: string) => `builds/${pendingUploadId}/icon`;
export const packageKey = (pendingUploadId: string, platform: Platform) =>
  `builds/${pendingUploadId}/package.${platformFacts[platform].extension}`;

/** Returns the keys that an upload without a build may have stored: an interrupted complete call may already have moved the bytes. */
export const objectsOfUpload = ({ id, objectKey }: { id: string; objectKey: string }): string[] => [
  objectKey,
  ...platforms.map((platform) => packageKey(id, platform)),
  iconKey(id),
];

const UPLOAD_OF_KEY = new RegExp(`^(?:pending|builds)/(${UUID_PATTERN})(?:/|$)`);

/** Returns the id of the upload of a package key, before or after complete, or undefined for other objects. */
export function uploadOfPackage(key: string): string | undefined {
  const [, id] = UPLOAD_OF_KEY.exec(key) ?? [];
  if (id === undefined) return undefined;
  const isPackage = key === pendingKey(id) || platforms.some((platform) => key === packageKey(id, platform));
  return isPackage ? id : undefined;
}

/** Returns the keys whose upload doesn't exist. Keys of other forms belong to other object types. */
function withoutUpload(keys: readonly string[], isKnown: (uploadId: string) => boolean): string[] {
  return keys.filter((key) => {
    const [, uploadId] = UPLOAD_OF_KEY.exec(key) ?? [];
    return uploadId !== undefined && !isKnown(uploadId);
  });
}

/** Uploaded packages that aren't builds yet. */
export const pendingPackages: ObjectOwner = {
  prefix: 'pending/',
  inContainers: true,
  findOrphans: (app, keys) => withoutUpload(keys, (id) => isPending(app, id)),
};

/** Packages and icons of builds. */
export const packages: ObjectOwner = {
  prefix: 'builds/',
  inContainers: true,
  findOrphans: (app, keys) => withoutUpload(keys, (id) => isPending(app, id) || isCompleted(app, id)),
};
