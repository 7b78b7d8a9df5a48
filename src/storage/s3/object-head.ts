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

/** Throws if a response with part of an object has another part than the requested one. */
export function checkRange({ status, headers }: Pick<WireAnswer, 'status' | 'headers'>, requested: string): void {
  if (status !== 206) return;
  const [, first, last = '', size = ''] = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(headers['content-range'] ?? '') ?? [];
  const suffix = /^bytes=-(\d+)$/.exec(requested)?.[1];
  const isRequested =
    suffix === undefined
      ? requested.startsWith(`bytes=${first}-`)
      : Number(first) === Math.max(Number(size) - Number(suffix), 0) && Number(last) === Number(size) - 1;
  if (!isRequested) throw new StorageError('unavailable', 'the response has another part of the object');
}

/** Returns the tag of an object in quotes, as conditions of requests have it. */
export function quoted(etag: string): string {
  const tag = etag.replace(/^W\//, '');
  return tag.startsWith('"') ? tag : `"${tag}"`;
}
