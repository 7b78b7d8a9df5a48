// Bytes that arrive in chunks. Small chunks share blocks: a client can send each byte as a chunk of its own, and a Buffer for each would
// take several hundred bytes.

const BLOCK_BYTES = 4 * 1024;

export interface ByteQueue {
  /** Adds a chunk at the end. Keeps a large chunk itself, and a copy of a small one. */
  add(chunk: Buffer): void;
  /** Returns the number of bytes. */
  size(): number;
  /** Removes and returns bytes from the beginning; undefined if there are none. */
  shift(): Buffer | undefined;
  /** Returns all bytes without removing them. */
  all(): Buffer;
}

export function createByteQueue(): ByteQueue {
  const parts: Buffer[] = [];
  let block: Buffer | undefined;
  let filled = 0;
  let size = 0;

  /** Ends the block that is being filled. */
  function seal(): void {
    if (block !== undefined) parts.push(block.subarray(0, filled));
    block = undefined;
    filled = 0;
  }

  function copy(chunk: Buffer): void {
    for (let taken = 0; taken < chunk.length; ) {
      block ??= Buffer.allocUnsafeSlow(BLOCK_BYTES);
      const count = chunk.copy(block, filled, taken);
      filled += count;
      taken += count;
      if (filled === block.length) seal();
    }
  }

  return {
    add(chunk) {
      size += chunk.length;
      // Most bodies are one small chunk, which needs no copy.
      if (chunk.length < BLOCK_BYTES && size > chunk.length) return copy(chunk);
      seal();
      parts.push(chunk);
    },
    size: () => size,
    shift() {
      if (parts.length === 0) seal();
      const part = parts.shift();
      size -= part?.length ?? 0;
      return part;
    },
    all: () => Buffer.concat(block === undefined ? parts : [...parts, block.subarray(0, filled)]),
  };
}
