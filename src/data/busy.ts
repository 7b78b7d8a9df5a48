// Errors of SQLite about locks.

/** Whether another process, such as an operator command, holds the lock for longer than the busy timeout. */
export function isBusy(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_BUSY');
}
