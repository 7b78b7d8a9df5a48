// The metadata of an object, as a response has it.
import { type ObjectHead, StorageError } from '../../core/storage.ts';
import type { WireAnswer } from './transport.ts';

/** Reads the metadata of an object from the headers of a response. Throws if they aren't those of an object. */
export function describeObject({ headers }: Pick<WireAnswer, 'headers'>): ObjectHead {
  const whole = /\/(\d+)$/.exec(headers['content-range'] ?? '')?.[1] ?? headers['content-length'];
  const size = Number(whole);
  const modifiedAt = new Date(headers['last-modified'] ?? '');
  const { etag = '' } = headers;
  if (whole === undefined || etag === '' || Number.isNaN(modifiedAt.getTime())) {
    throw new StorageError('unavailable', 'the response is not that of an object storage');
  }
  return { size, etag: quoted(etag), modifiedAt };
}

/** Returns the tag of an object in quotes, as conditions of requests have it. */
export function quoted(etag: string): string {
  const tag = etag.replace(/^W\//, '');
  return tag.startsWith('"') ? tag : `"${tag}"`;
}
