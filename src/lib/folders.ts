// Folders by their paths.
import { sep } from 'node:path';

/** Whether one of two folders, named by absolute paths, contains the other or is the same. */
export function areNested(one: string, other: string): boolean {
  const [first, second] = [one, other].map((path) => (path.endsWith(sep) ? path : `${path}${sep}`)) as [string, string];
  return first.startsWith(second) || second.startsWith(first);
}
