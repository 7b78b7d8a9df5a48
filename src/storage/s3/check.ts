// Whether the bucket stores objects and returns them unaltered. The result is remembered, because every request to the service may
// cost money.
import { randomUUID } from 'node:crypto';
import type { Storage, StorageCheck } from '../../core/storage.ts';
import { toStorageError } from './client.ts';
import type { BucketLocation } from './location.ts';

/** Objects of checks. */
export const CHECK_KEY = 'check/';
const LIFETIME_MS = 10_000;
const FAILED_LIFETIME_MS = 1_000;

interface Check {
  run(): Promise<StorageCheck>;
  /** Makes the next run ask the service. */
  forget(): void;
}

/** Creates the check of a bucket. A successful one is remembered for `lifetimeMs`, a failed one for a second. */
export function createCheck(
  storage: Pick<Storage, 'put' | 'read' | 'delete'>,
  location: BucketLocation,
  lifetimeMs = LIFETIME_MS,
): Check {
  let last: { at: number; result: Promise<StorageCheck> } | undefined;
  return {
    run() {
      const now = performance.now();
      if (last !== undefined && now - last.at < lifetimeMs) return last.result;
      const result = tryStorage(storage, `the bucket ${location.bucket} at ${location.urlOf().host}`);
      const current = { at: now, result };
      last = current;
      void result.then(({ ok }) => {
        if (ok) last ??= current;
        else last = { at: performance.now() - lifetimeMs + FAILED_LIFETIME_MS, result };
      });
      return result;
    },
    forget() {
      last = undefined;
    },
  };
}

async function tryStorage(storage: Pick<Storage, 'put' | 'read' | 'delete'>, place: string): Promise<StorageCheck> {
  const key = `${CHECK_KEY}${randomUUID()}`;
  const sent = Buffer.from(key);
  try {
    await storage.put(key, sent);
    const received = await storage.read(key, 0, sent.length + 1);
    await storage.delete(key);
    const ok = received.equals(sent);
    return { ok, freeBytes: undefined, detail: ok ? `objects are stored in ${place}` : 'an object was altered' };
  } catch (error) {
    const failure = toStorageError(error);
    const cause = failure.cause instanceof Error ? `: ${failure.cause.message}` : '';
    return { ok: false, freeBytes: undefined, detail: `${failure.message}${cause} (${place})` };
  }
}
