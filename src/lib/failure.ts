// The two kinds of command failures.
import { codeOf } from './error-code.ts';

/** The command was valid but can't be completed. Exit code 1. */
export class Refusal extends Error {}

/** The command was called incorrectly. Exit code 2. */
export class UsageError extends Error {}

/** Returns the message of any thrown value, without its stack. */
export function describeFailure(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // SQLite calls it an I/O error, which sounds like a broken disk.
  return codeOf(error) === 'SQLITE_IOERR_SHMSIZE' ? 'the disk is full' : error.message;
}

/** Returns why a file can't be read, in one line. `path` is the path as the user wrote it. */
export function describeUnreadable(path: string, error: unknown): string {
  return codeOf(error) === 'ENOENT' ? `file ${path} not found` : `cannot read ${path}: ${describeFailure(error)}`;
}
