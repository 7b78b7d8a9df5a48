// Requests of this server's own storage links: which they are, and what they may do.
import type { IncomingMessage } from 'node:http';
import type { Keyring } from '../runtime/signing.ts';
import { decodeObjectKey } from './object-key.ts';
import { ProviderError } from './provider-error.ts';
import { STORAGE_PATH, type StorageGrant, verifyStorageQuery } from './signature.ts';

/** Whether a URL belongs to the storage handler. */
export function isStorageUrl(url: string | undefined): boolean {
  return url?.startsWith(STORAGE_PATH) ?? false;
}

/** What verifies links: the keys that signed them, and the time. */
export type LinkVerifier = { readonly keyring: Keyring; readonly clock: { now(): Date } };

/** Returns the key of the object that a URL is about, or undefined if it isn't valid. */
export function findKey(url: string): string | undefined {
  const mark = url.indexOf('?');
  const path = mark === -1 ? url : url.slice(0, mark);
  return isStorageUrl(path) ? decodeObjectKey(path.slice(STORAGE_PATH.length)) : undefined;
}

/** Returns what the link of a request grants. Throws ProviderError if the method, the path or the signature isn't valid. */
export function readGrant(
  req: IncomingMessage,
  { keyring, clock }: LinkVerifier,
  methods: readonly string[],
): StorageGrant {
  const { method = '', url = '' } = req;
  if (!methods.includes(method)) {
    throw new ProviderError(405, 'UnsupportedHttpVerb', 'The resource does not support this HTTP verb.', {
      Allow: methods.join(', '),
    });
  }
  const mark = url.indexOf('?');
  const key = findKey(url);
  if (key === undefined) throw new ProviderError(400, 'InvalidUri', 'The path is not an object path.');
  const query = mark === -1 ? '' : url.slice(mark + 1);
  const grant = verifyStorageQuery(keyring, { method, key, query, now: clock.now() });
  if (grant === 'unknown_operation') {
    throw new ProviderError(400, 'InvalidQueryParameterValue', 'The value of the query parameter op is not known.');
  }
  if (grant === 'refused') {
    throw new ProviderError(
      403,
      'AuthenticationFailed',
      'The signature is missing, invalid, expired or for another use.',
    );
  }
  return grant;
}
