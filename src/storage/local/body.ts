// The body of an upload, chunk by chunk, as long as the client sends it fast enough and nothing newer replaces it.
import type { IncomingMessage } from 'node:http';
import { superseded } from './active-uploads.ts';
import { ProviderError } from './provider-error.ts';

/** The client went away, so nobody is left to answer. */
export class ClientGone extends Error {}

/** The least that a client must send: so many bytes in each period of waiting for it. */
export type MinimumRate = { readonly bytes: number; readonly perMs: number };

/** 4 KiB a second, averaged over a minute: slower than any network an app is uploaded over. */
export const MINIMUM_RATE: MinimumRate = { bytes: 240 * 1024, perMs: 60_000 };

/** Bytes of one upload that wait for the disk before the client is told to wait. */
const MOST_WAITING_BYTES = 128 * 1024;

/**
 * The body's bytes as they come; a chunk is gone when the next one is asked for. Throws ClientGone when it breaks off,
 * ProviderError 408 when no byte comes for the idle time or too few come in a period, 409 when the signal aborts.
 */
export async function* readBody(
  req: IncomingMessage,
  options: { idleTimeoutMs: number; minimumRate: MinimumRate; superseded: AbortSignal },
): AsyncGenerator<Uint8Array, void> {
  const { idleTimeoutMs, superseded: signal } = options;
  const judgeRate = createRateJudge(options.minimumRate);
  const arrived: Buffer[] = [];
  let arrivedBytes = 0;
  let waiting: PromiseWithResolvers<void> | undefined;
  const wake = (): void => waiting?.resolve();
  const take = (chunk: Buffer): void => {
    arrived.push(chunk);
    arrivedBytes += chunk.length;
    if (arrivedBytes >= MOST_WAITING_BYTES) req.pause();
    wake();
  };
  // Only waiting for the client counts, not the time our own disk takes.
  const timer = setTimeout(() => waiting?.reject(timedOut('The body did not go on in time.')), idleTimeoutMs);
  const events = ['end', 'error', 'close'];
  for (const event of events) req.on(event, wake);
  req.on('data', take);
  signal.addEventListener('abort', wake);
  try {
    for (;;) {
      if (signal.aborted) throw superseded();
      const chunk = arrived.shift();
      if (chunk !== undefined) {
        arrivedBytes -= chunk.length;
        judgeRate.count(chunk.length);
        yield chunk;
        giveBack(chunk);
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
      judgeRate.wait(performance.now() - waitedSince);
    }
    if (!req.complete) throw new ClientGone();
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', wake);
    // The request outlives the loop: a refusal is answered on its connection, which still has to be emptied.
    for (const event of events) req.off(event, wake);
    req.off('data', take);
    req.pause();
  }
}

/** Judges each period of waiting by itself, so that a fast start doesn't pay for a slow rest. */
function createRateJudge({ bytes, perMs }: MinimumRate): {
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
      // A single long pause may span several periods; the idle timeout judges pauses.
      if (counted < bytes) throw timedOut('The body came too slowly.');
      waitedMs = 0;
      counted = 0;
    },
  };
}

/** Frees a chunk at once: many uploads fill memory with such garbage faster than the collector looks for it. */
function giveBack({ buffer, byteLength }: Buffer): void {
  // A slice shares its memory with others.
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}

function timedOut(message: string): ProviderError {
  return new ProviderError(408, 'OperationTimedOut', message);
}
