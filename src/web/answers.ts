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
  const accepted = String(headers['accept-encoding'] ?? '')
    .toLowerCase()
    .split(',');
  if (accepted.some((entry) => isCoding(entry, 'br'))) return { name: 'br', suffix: '.br' };
  return accepted.some((entry) => isCoding(entry, 'gzip')) ? { name: 'gzip', suffix: '.gz' } : { suffix: '' };
}

/** Whether an entry of Accept-Encoding is this coding and its quality isn't 0, which excludes it. */
function isCoding(entry: string, name: string): boolean {
  const [coding = '', ...parameters] = entry.split(';').map((part) => part.trim());
  return coding === name && !parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter));
}

/** Whether the client already has the version with this ETag. */
export function isKnown(headers: IncomingHttpHeaders, etag: string): boolean {
  const known = (headers['if-none-match'] ?? '').split(',').map((tag) => tag.trim());
  return known.some((tag) => tag === '*' || tag.replace(/^W\//, '') === etag);
}
