// Converts errors of the database, the storage and the system to AppErrors.
import { StorageError } from '../core/storage.ts';
import { AppError } from '../lib/errors.ts';

function hasCode(error: unknown): error is { code: string; message: string } {
  return typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string';
}

function unavailable(message: string | undefined, retryAfterSeconds: number): AppError {
  return new AppError('storage_backend_unavailable', message, {}, { 'retry-after': String(retryAfterSeconds) });
}

/** Errors of the database and the system by their codes. A violated constraint means that a concurrent request won. */
const failures: readonly [codes: RegExp, toError: () => AppError][] = [
  [/^SQLITE_CONSTRAINT_(?:UNIQUE|PRIMARYKEY)$/, () => new AppError('already_exists')],
  [/^SQLITE_CONSTRAINT_FOREIGNKEY$/, () => new AppError('dependency_exists')],
  [/^SQLITE_BUSY/, () => unavailable('The database is busy; try again later', 1)],
  [/^(?:SQLITE_FULL|ENOSPC|EDQUOT)$/, () => unavailable('The disk is full', 60)],
  [/^(?:EMFILE|ENFILE)$/, () => unavailable('The server has too many open files; try again later', 5)],
  [/^SQLITE_(?:READONLY|CANTOPEN)/, () => unavailable("The database isn't writable", 60)],
  [/^SQLITE_IOERR/, () => unavailable('The disk reports errors', 60)],
];

/** Converts any thrown value to an AppError. Unknown errors become `internal_error` without details. */
export function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  if (error instanceof StorageError) {
    if (error.code === 'full') return unavailable('The storage is full', 5);
    if (error.code === 'unavailable') return unavailable(undefined, 5);
  }
  const failure = hasCode(error) ? failures.find(([codes]) => codes.test(error.code)) : undefined;
  return failure?.[1]() ?? new AppError('internal_error');
}
