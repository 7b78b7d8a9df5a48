// What identifiers tell of time: they begin with the moment they were made at (RFC 9562 section 5.7).

/** The moment that an id was made at, in milliseconds since the epoch. */
export function momentOfId(id: string): number {
  return Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16);
}

/** The least id of a moment in milliseconds: ids made before it are less, ids made at or after it are not. */
export function firstIdOf(milliseconds: number): string {
  const time = milliseconds.toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}`;
}
