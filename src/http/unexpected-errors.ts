// Converts errors of the database, the storage and the system to AppErrors.
import { StorageError } from '../core/storage.ts';
import { AppError } from '../lib/errors.ts';

function hasCode(error: unknown): error is { code: string; message: string } {
  return typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string';
}

/**
 * Converts any thrown value to an AppError. A violated database constraint means that a concurrent request won. Unknown errors
 * become `internal_error` without details.
 */
export function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  if (error instanceof StorageError && (error.code === 'unavailable' || error.code === 'full')) {
    const message = error.code === 'full' ? 'The storage is full' : undefined;
    return new AppError('storage_backend_unavailable', message, {}, { 'retry-after': '5' });
  }
  if (hasCode(error)) {
    if (error.code === 'SQLITE_CONSTRAINT_UNIQUE' || error.code === 'SQLITE_CONSTRAINT_PRIMARYKEY') {
      return new AppError('already_exists');
    }
    if (error.code === 'SQLITE_CONSTRAINT_FOREIGNKEY') return new AppError('dependency_exists');
    if (error.code.startsWith('SQLITE_BUSY')) {
      return new AppError(
        'storage_backend_unavailable',
        'The database is busy; try again later',
        {},
        { 'retry-after': '1' },
      );
    }
    if (error.code === 'SQLITE_FULL' || error.code === 'ENOSPC' || error.code === 'EDQUOT') {
      return new AppError('storage_backend_unavailable', 'The disk is full', {}, { 'retry-after': '60' });
    }
    if (error.code === 'EMFILE' || error.code === 'ENFILE') {
      const message = 'The server has too many open files; try again later';
      return new AppError('storage_backend_unavailable', message, {}, { 'retry-after': '5' });
    }
    if (error.code.startsWith('SQLITE_READONLY') || error.code.startsWith('SQLITE_CANTOPEN')) {
      return new AppError('storage_backend_unavailable', "The database isn't writable", {}, { 'retry-after': '60' });
    }
    if (error.code.startsWith('SQLITE_IOERR')) {
      return new AppError('storage_backend_unavailable', 'The disk reports errors', {}, { 'retry-after': '60' });
    }
  }
  return new AppError('internal_error');
}
