// Counts of project contents, which the server counts up to a limit.
import { MAX_COUNTED } from '../../../projects/contents-limit.ts';

/** Returns a count with its noun; from the limit on, it can be higher. */
export function count(number: number, one: string, many: string): string {
  const shown = number.toLocaleString('en');
  if (number >= MAX_COUNTED) return `${shown} or more ${many}`;
  return `${shown} ${number === 1 ? one : many}`;
}
