// Property lists: reads both encodings, with typed access to the values.

import { UnreadableArchive } from './errors.ts';
import { readBinaryPlist } from './plist-binary.ts';
import type { PlistDict, PlistValue } from './plist-value.ts';
import { readXmlPlist } from './plist-xml.ts';

/** Reads an untrusted property list, XML or binary. Throws unless its root is a dictionary. */
export function readPlist(bytes: Buffer): PlistDict {
  const isBinary = bytes.subarray(0, 6).toString('latin1') === 'bplist';
  const root = isBinary ? readBinaryPlist(bytes) : readXmlPlist(bytes);
  if (!(root instanceof Map)) throw new UnreadableArchive("The property list isn't a dictionary.");
  return root;
}

export function stringIn(dict: PlistDict, key: string): string | null {
  const value = dict.get(key);
  if (typeof value === 'string') return value;
  // Hand-written property lists contain versions as numbers.
  return typeof value === 'number' || typeof value === 'bigint' ? String(value) : null;
}

export function listIn(dict: PlistDict, key: string): PlistValue[] {
  const value = dict.get(key);
  if (Array.isArray(value)) return value;
  return value === undefined ? [] : [value];
}

export function dictIn(dict: PlistDict, key: string): PlistDict | null {
  const value = dict.get(key);
  return value instanceof Map ? value : null;
}

/** Returns the date under `key` as a timestamp of the API, or null. */
export function momentIn(dict: PlistDict, key: string): string | null {
  const value = dict.get(key);
  return value instanceof Date ? formatMoment(value) : null;
}

/** Returns a timestamp of the API; null for years that RFC 3339 can't represent. */
export function formatMoment(date: Date): string | null {
  const time = date.getTime();
  if (Number.isNaN(time) || date.getUTCFullYear() < 0 || date.getUTCFullYear() > 9999) return null;
  return date.toISOString();
}
