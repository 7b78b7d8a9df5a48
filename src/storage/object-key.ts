// The format of object keys: safe as a file path, a URL path and a key of any provider.

const SEGMENT = /^[A-Za-z0-9_-](?:[A-Za-z0-9._-]{0,98}[A-Za-z0-9_-])?$/;
const MAX_SEGMENTS = 8;
const MAX_CHARACTERS = 400;

/** Whether a text is an object key: 1 to 8 segments of 1 to 100 of A-Z a-z 0-9 . _ - that neither start nor end with a dot. */
export function isObjectKey(text: string): boolean {
  if (text.length > MAX_CHARACTERS) return false;
  const segments = text.split('/');
  return segments.length <= MAX_SEGMENTS && segments.every((segment) => SEGMENT.test(segment));
}

/** Returns the key. Throws RangeError if it isn't a valid key, which is a bug in the caller. */
export function assertObjectKey(key: string): string {
  if (!isObjectKey(key)) throw new RangeError('not an object key');
  return key;
}

/** Whether the text can be the beginning of an object key. */
export function isKeyPrefix(text: string): boolean {
  if (text.length > MAX_CHARACTERS) return false;
  const segments = text.split('/');
  const last = segments.pop() ?? '';
  if (segments.length >= MAX_SEGMENTS || !segments.every((segment) => SEGMENT.test(segment))) return false;
  return last === '' || (/^[A-Za-z0-9_-][A-Za-z0-9._-]*$/.test(last) && last.length <= 100);
}

/**
 * Decodes a key from a URL path segment by segment, so that an encoded slash isn't a separator. Returns undefined for invalid
 * escapes and invalid keys.
 */
export function decodeObjectKey(path: string): string | undefined {
  if (path.length > 3 * MAX_CHARACTERS) return undefined;
  try {
    const segments = path.split('/').map((segment) => decodeURIComponent(segment));
    // A decoded slash would split one segment into two.
    if (segments.some((segment) => segment.includes('/'))) return undefined;
    const key = segments.join('/');
    return isObjectKey(key) ? key : undefined;
  } catch {
    return undefined;
  }
}
