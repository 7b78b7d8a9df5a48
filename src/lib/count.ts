// Counts in English texts: errors, reports of checks and the command line.

/** Returns a count with its noun, such as `1 build` or `2 builds`. The plural must end with an additional s. */
export function countOf(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
