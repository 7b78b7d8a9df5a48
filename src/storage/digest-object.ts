// The SHA-256 of a stored object, read in steps so that it doesn't delay requests.
import { createHash } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { type Storage, StorageError } from '../core/storage.ts';

const STEP_BYTES = 1024 * 1024;

/**
 * Returns the SHA-256 in hex of an object's `size` bytes. `restFactor` is the pause after each step, as a multiple of the step's
 * duration. `onStep` is called before each. Throws StorageError `not_found`, `unavailable` or `changed` (fewer bytes), or the signal's reason.
 */
export async function digestObject(
  storage: Pick<Storage, 'read'>,
  key: string,
  size: number,
  options: { restFactor?: number; signal?: AbortSignal; onStep?: () => Promise<void> | void } = {},
): Promise<string> {
  const { restFactor = 0, signal, onStep = () => undefined } = options;
  const hash = createHash('sha256');
  for (let position = 0; position < size; position += STEP_BYTES) {
    signal?.throwIfAborted();
    await onStep();
    const startedAt = performance.now();
    const length = Math.min(STEP_BYTES, size - position);
    const bytes = await storage.read(key, position, length);
    if (bytes.length !== length) throw new StorageError('changed', 'the object has fewer bytes than expected');
    hash.update(bytes);
    if (restFactor > 0 && position + length < size) await wait((performance.now() - startedAt) * restFactor);
  }
  return hash.digest('hex');
}
