// Release notes from the command line: a text, or @FILE.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describeFailure, UsageError } from '../lib/failure.ts';
import type { CommandHost } from './host.ts';

/** Returns the text of the notes. Throws UsageError if the file can't be read. */
export function readNotes(host: CommandHost, value: string | undefined): string | undefined {
  if (value === undefined || !value.startsWith('@')) return value;
  try {
    return readFileSync(resolve(host.cwd, value.slice(1)), 'utf8').trimEnd();
  } catch (error) {
    throw new UsageError(`--notes: ${describeFailure(error)}`);
  }
}
