// Converts storage errors to responses that clients can retry.
import type { App } from '../core/context.ts';
import { StorageError } from '../core/storage.ts';
import { AppError } from '../lib/errors.ts';

/**
 * Runs a storage call. StorageErrors `unavailable` and `full` become `storage_backend_unavailable` with Retry-After.
 * Other errors are thrown unchanged.
 */
export async function withStorage<T>(app: Pick<App, 'log'>, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof StorageError) || (error.code !== 'unavailable' && error.code !== 'full')) throw error;
    app.log.error({ err: error, cause: error.cause }, 'storage call failed');
    throw error.code === 'full'
      ? new AppError('storage_backend_unavailable', 'The storage is full', {}, { 'retry-after': '60' })
      : storageUnavailable();
  }
}

function storageUnavailable(): AppError {
  return new AppError('storage_backend_unavailable', undefined, {}, { 'retry-after': '5' });
}
