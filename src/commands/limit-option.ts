// The option --limit of commands that list rows.
import { InvalidArgumentError } from 'commander';

/** Parses a limit. Throws InvalidArgumentError unless it is a whole number from 1 to 999999. */
export function readLimit(value: string): number {
  const limit = /^\d{1,6}$/.test(value) ? Number(value) : 0;
  if (limit < 1) throw new InvalidArgumentError('It must be a whole number from 1 to 999999.');
  return limit;
}
