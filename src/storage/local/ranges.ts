// Range requests (RFC 9110, section 14).

/** `last` is inclusive, like in the header. */
export type ByteRange =
  | { readonly kind: 'whole' }
  | { readonly kind: 'part'; readonly first: number; readonly last: number }
  | { readonly kind: 'unsatisfiable' };

/** No two parts match the same spaces, because the time for trying all splits of a long header would block the server. */
const RANGE = /^\s*bytes\s*=\s*(?:(\d+)\s*)?-\s*(?:(\d+)\s*)?$/i;

/** Parses a Range header for an object of `size` bytes. Multiple ranges, other units and invalid headers mean the whole object. */
export function parseRange(header: string | undefined, size: number): ByteRange {
  const match = RANGE.exec(header ?? '');
  const [firstText = '', lastText = ''] = match?.slice(1) ?? [];
  if (firstText === '' && lastText === '') return { kind: 'whole' };
  if (firstText === '') {
    const suffix = Number(lastText);
    if (suffix === 0) return { kind: 'unsatisfiable' };
    // Content-Range can't express the last bytes of an empty object.
    return size === 0 ? { kind: 'whole' } : { kind: 'part', first: Math.max(0, size - suffix), last: size - 1 };
  }
  const first = Number(firstText);
  const last = lastText === '' ? Number.POSITIVE_INFINITY : Number(lastText);
  if (last < first) return { kind: 'whole' };
  if (first >= size) return { kind: 'unsatisfiable' };
  return { kind: 'part', first, last: Math.min(last, size - 1) };
}
