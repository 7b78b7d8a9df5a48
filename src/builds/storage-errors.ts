// Trouble of the storage as the refusal that clients may try again after.
import type { App } from '../core/context.ts';
import { StorageError } from '../core/storage.ts';
import { AppError } from '../lib/errors.ts';

/** Runs calls of the storage; its troubles become 503 storage_backend_unavailable with Retry-After. Other errors pass. */
export async function withStorage<T>(app: Pick<App, 'log'>, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof StorageError) || (error.code !== 'unavailable' && error.code !== 'full')) throw error;
    app.log.error({ err: error, cause: error.cause }, 'storage trouble');
    throw error.code === 'full'
      ? new AppError('storage_backend_unavailable', 'The storage has no room left', {}, { 'retry-after': '60' })
      : storageUnavailable();
  }
}

function storageUnavailable(): AppError {
  return new AppError('storage_backend_unavailable', undefined, {}, { 'retry-after': '5' });
}
