// Times in identifiers: an id begins with its creation time (RFC 9562 section 5.7).

/** Returns the creation time of an id, in milliseconds since the epoch. */
export function momentOfId(id: string): number {
  return Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16);
}

/** Returns the smallest id of a time in milliseconds. Ids created earlier are smaller; ids created at that time or later aren't. */
export function firstIdOf(milliseconds: number): string {
  const time = milliseconds.toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}`;
}
