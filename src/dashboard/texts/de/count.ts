// Counts of project contents, which the server counts up to a limit, in German.
import { MAX_COUNTED } from '../../../projects/contents-limit.ts';

/** Returns a count with its noun; from the limit on, it can be higher. */
export function count(number: number, one: string, many: string): string {
  const shown = number.toLocaleString('de');
  if (number >= MAX_COUNTED) return `${shown} oder mehr ${many}`;
  return `${shown} ${number === 1 ? one : many}`;
}
