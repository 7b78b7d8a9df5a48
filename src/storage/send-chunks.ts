// Sends the bytes of an object to a client at its pace.
import { createHash } from 'node:crypto';
import type { promises } from 'node:fs';
import type { ServerResponse } from 'node:http';
import type { OutgoingHash } from './read-guard.ts';

export const CHUNK_BYTES = 256 * 1024;
const SMALL_CHUNK_BYTES = 16 * 1024;
const SLOW_CHUNK_MS = 2_000;

export type ChunkSource = {
  /**
   * Returns the next bytes, at most `limit`, or none if there are no more. A chunk is valid until the second call after it, so
   * that one can be read while the previous one is sent.
   */
  next(limit: number): Promise<Buffer>;
};

/**
 * Sends `length` bytes and ends the response. Its source reuses its buffers: allocating one per chunk, like a stream does, costs
 * more than the reading. Ends early when the client disconnects or accepts no chunk within the idle timeout. The socket's own
 * timeout isn't used, because it restarts whenever the kernel accepts a part of a write. If the hash of the sent bytes doesn't
 * match, the connection is closed before the last chunk.
 */
export async function sendChunks(
  res: ServerResponse,
  source: ChunkSource,
  options: {
    length: number;
    idleTimeoutMs: number;
    hash?: OutgoingHash | undefined;
    onBytes?: (count: number) => void;
  },
): Promise<void> {
  const { length, hash, onBytes } = options;
  const digest = hash && createHash('sha256');
  let isSame: boolean | undefined;
  let written: PromiseWithResolvers<boolean> | undefined;
  res.once('close', () => written?.resolve(false));
  const idle = setTimeout(() => res.destroy(), options.idleTimeoutMs);
  const pace = createPace();
  let sending: Promise<boolean> = Promise.resolve(true);
  let left = length;
  try {
    while (left > 0) {
      const chunk = await source.next(Math.min(pace.chunkBytes(), left));
      const isTaken = await sending;
      // If the object ends early, the response can't be completed, because its length was already sent.
      if (!isTaken || chunk.length === 0 || res.destroyed) {
        res.destroy();
        return;
      }
      idle.refresh();
      pace.mark();
      left -= chunk.length;
      digest?.update(chunk);
      if (digest && left === 0) isSame = digest.digest('hex') === hash?.sha256;
      if (isSame === false) {
        res.destroy();
        return;
      }
      const taken = Promise.withResolvers<boolean>();
      written = taken;
      sending = taken.promise;
      res.write(chunk, (error) => taken.resolve(!error));
      onBytes?.(chunk.length);
    }
    if (await sending) res.end();
  } finally {
    clearTimeout(idle);
    hash?.end(isSame);
  }
}

/** Reads a part of a file, `end` exclusive, alternately into two buffers. */
export function readChunks(handle: promises.FileHandle, { first, end }: { first: number; end: number }): ChunkSource {
  const buffers = [0, 1].map(() => Buffer.allocUnsafeSlow(Math.min(CHUNK_BYTES, end - first)));
  let position = first;
  let turn = 0;
  return {
    async next(limit) {
      const buffer = buffers[turn % 2] ?? Buffer.alloc(0);
      const { bytesRead } = await handle.read(buffer, 0, Math.min(buffer.length, limit), position);
      turn += 1;
      position += bytesRead;
      return buffer.subarray(0, bytesRead);
    },
  };
}

/**
 * Determines the size of the next chunk: small for a slow client, so that it isn't mistaken for a stalled one, and doubled up to
 * CHUNK_BYTES while chunks are accepted quickly.
 */
function createPace(): { chunkBytes(): number; mark(): void } {
  let size = SMALL_CHUNK_BYTES;
  let markedAt = performance.now();
  return {
    chunkBytes: () => size,
    mark() {
      const now = performance.now();
      size = now - markedAt > SLOW_CHUNK_MS ? SMALL_CHUNK_BYTES : Math.min(size * 2, CHUNK_BYTES);
      markedAt = now;
    },
  };
}
