// Remembers since when a backend has been unavailable, for the operator.
import { type BackendFailure, isStorageError, type Storage, StorageError } from '../core/storage.ts';
import { describeFailure } from '../lib/failure.ts';

/** Returns the same backend with `failure`. Only failures of the backend count, not missing objects. */
export function watchBackend(storage: Storage, clock: { now(): Date }): Storage {
  let failure: BackendFailure | undefined;

  function fail(text: string): void {
    failure ??= { at: clock.now(), text };
  }

  /** Wraps a method that requests something from the backend. */
  function watched<Words extends unknown[], Result>(
    method: (...words: Words) => Promise<Result>,
  ): (...words: Words) => Promise<Result> {
    return async (...words) => {
      try {
        const result = await method(...words);
        failure = undefined;
        return result;
      } catch (error) {
        if (isStorageError(error, 'unavailable')) fail(describeStorageError(error));
        throw error;
      }
    };
  }

  return {
    ...storage,
    head: watched(storage.head),
    get: watched(storage.get),
    read: watched(storage.read),
    move: watched(storage.move),
    put: watched(storage.put),
    delete: watched(storage.delete),
    list: watched(storage.list),
    async check() {
      const result = await storage.check();
      if (result.ok) failure = undefined;
      else fail(result.detail);
      return result;
    },
    failure: () => failure,
  };
}

/** Returns the text of an error with that of the backend. */
export function describeStorageError(error: unknown): string {
  const cause = error instanceof StorageError ? error.cause : undefined;
  return cause === undefined ? describeFailure(error) : `${describeFailure(error)}: ${describeFailure(cause)}`;
}
