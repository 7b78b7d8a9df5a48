// Errors of the database, the storage and the system as refusals.
import { StorageError } from '../core/storage.ts';
import { AppError } from '../lib/errors.ts';

function hasCode(error: unknown): error is { code: string; message: string } {
  return typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string';
}

/**
 * Whatever was thrown as an AppError. A broken constraint of the database means that a rule lost a race the service did
 * not see; anything unknown becomes internal_error and says nothing about itself.
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
      return new AppError('storage_backend_unavailable', 'The database is busy; try again', {}, { 'retry-after': '1' });
    }
    if (error.code === 'SQLITE_FULL' || error.code === 'ENOSPC' || error.code === 'EDQUOT') {
      return new AppError('storage_backend_unavailable', 'The disk is full', {}, { 'retry-after': '60' });
    }
    if (error.code === 'EMFILE' || error.code === 'ENFILE') {
      const message = 'The server has too many open files; try again';
      return new AppError('storage_backend_unavailable', message, {}, { 'retry-after': '5' });
    }
    if (error.code.startsWith('SQLITE_READONLY') || error.code.startsWith('SQLITE_CANTOPEN')) {
      return new AppError('storage_backend_unavailable', "The database can't be written", {}, { 'retry-after': '60' });
    }
    if (error.code.startsWith('SQLITE_IOERR')) {
      return new AppError('storage_backend_unavailable', 'The disk does not work', {}, { 'retry-after': '60' });
    }
  }
  return new AppError('internal_error');
}
