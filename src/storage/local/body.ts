// Reads the body of an upload in chunks, until the client is too slow or a newer upload replaces it.
import type { IncomingMessage } from 'node:http';
import { createByteQueue } from '../../lib/byte-queue.ts';
import { ProviderError } from '../provider-error.ts';
import { superseded } from './active-uploads.ts';

/** The client disconnected, so there is no one to respond to. */
export class ClientGone extends Error {}

/** Minimum transfer rate: this many bytes per period of waiting for the client. */
export type MinimumRate = { readonly bytes: number; readonly perMs: number };

/** 4 KiB per second, averaged over a minute: slower than any network used for uploads. */
export const MINIMUM_RATE: MinimumRate = { bytes: 240 * 1024, perMs: 60_000 };

/** Bytes of one upload that may wait for the disk before reading pauses. */
const MAX_WAITING_BYTES = 128 * 1024;

/**
 * Yields the body in chunks. A chunk is only valid until the next one is requested. Throws ClientGone if the body ends early,
 * ProviderError 408 after an idle timeout or below the minimum rate, and 409 if the signal aborts.
 */
export async function* readBody(
  req: IncomingMessage,
  options: { idleTimeoutMs: number; minimumRate: MinimumRate; superseded: AbortSignal },
): AsyncGenerator<Uint8Array, void> {
  const { idleTimeoutMs, superseded: signal } = options;
  const rate = createRateCheck(options.minimumRate);
  const arrived = createByteQueue();
  let waiting: PromiseWithResolvers<void> | undefined;
  const wake = (): void => waiting?.resolve();
  const take = (chunk: Buffer): void => {
    arrived.add(chunk);
    if (arrived.size() >= MAX_WAITING_BYTES) req.pause();
    wake();
  };
  // Only time spent waiting for the client counts, not the time of our own disk.
  const timer = setTimeout(() => waiting?.reject(timedOut('No data was received in time.')), idleTimeoutMs);
  const events = ['end', 'error', 'close'];
  for (const event of events) req.on(event, wake);
  req.on('data', take);
  signal.addEventListener('abort', wake);
  try {
    for (;;) {
      if (signal.aborted) throw superseded();
      const chunk = arrived.shift();
      if (chunk !== undefined) {
        rate.count(chunk.length);
        yield chunk;
        release(chunk);
        if (req.isPaused()) req.resume();
        continue;
      }
      if (req.readableEnded) break;
      if (req.destroyed) throw new ClientGone();
      waiting = Promise.withResolvers();
      timer.refresh();
      const waitedSince = performance.now();
      await waiting.promise;
      waiting = undefined;
      rate.wait(performance.now() - waitedSince);
    }
    if (!req.complete) throw new ClientGone();
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', wake);
    // The request outlives the loop: an error response is sent on its connection, and the body still has to be drained.
    for (const event of events) req.off(event, wake);
    req.off('data', take);
    req.pause();
  }
}

/** Checks each period of waiting separately, so that a fast start doesn't compensate for a slow rest. */
function createRateCheck({ bytes, perMs }: MinimumRate): {
  count(bytes: number): void;
  wait(milliseconds: number): void;
} {
  let waitedMs = 0;
  let counted = 0;
  return {
    count(more) {
      counted += more;
    },
    wait(milliseconds) {
      waitedMs += milliseconds;
      if (waitedMs < perMs) return;
      // A single long pause may span several periods; pauses are limited by the idle timeout.
      if (counted < bytes) throw timedOut('The body was sent too slowly.');
      waitedMs = 0;
      counted = 0;
    },
  };
}

/** Frees a chunk immediately, because many uploads allocate memory faster than the garbage collector frees it. */
function release({ buffer, byteLength }: Buffer): void {
  // A slice shares its memory with others.
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}

function timedOut(message: string): ProviderError {
  return new ProviderError(408, 'OperationTimedOut', message);
}
