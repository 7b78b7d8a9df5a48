// Errors of SQLite about locks.
import { codeOf } from '../lib/error-code.ts';

/** Whether another process, such as an operator command, holds the lock for longer than the busy timeout. */
export function isBusy(error: unknown): boolean {
  return codeOf(error).startsWith('SQLITE_BUSY');
}
