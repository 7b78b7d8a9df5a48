// What the handlers of embedded files share: which compressed version a browser accepts, and whether it has the file already.
import type { IncomingHttpHeaders } from 'node:http';

export interface Coding {
  /** The value of Content-Encoding; undefined for the file as it is. */
  name?: 'br' | 'gzip';
  /** The end of the compressed file's name. */
  suffix: '' | '.br' | '.gz';
}

/** Returns the best coding that the client accepts. */
export function acceptedCoding(headers: IncomingHttpHeaders): Coding {
  const accepted = String(headers['accept-encoding'] ?? '');
  if (/\bbr\b/.test(accepted)) return { name: 'br', suffix: '.br' };
  return /\bgzip\b/.test(accepted) ? { name: 'gzip', suffix: '.gz' } : { suffix: '' };
}

/** Whether the client already has the version with this ETag. */
export function isKnown(headers: IncomingHttpHeaders, etag: string): boolean {
  return (headers['if-none-match'] ?? '').split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag);
}

const YEAR_SECONDS = 31_536_000;

/** Cache-Control of files whose names contain a hash of their content. */
export const NEVER_CHANGES = `public, max-age=${YEAR_SECONDS}, immutable`;
