// Ranged reads of a stored package with a small block cache and a byte budget.
import { SourceFailure, UnreadableArchive } from './errors.ts';
import { type ByteRange, joinRanges, PlannedReads } from './read-plan.ts';

/** A stored package of `size` bytes. `read` returns exactly `length` bytes from `offset`; it may be slow remote storage. */
export interface ByteSource {
  readonly size: number;
  read(offset: number, length: number): Promise<Buffer>;
}

const blockSize = 128 * 1024;
const readBudget = 96 * 1024 * 1024;
const maxReadBytes = 4 * 1024 * 1024;
const cachedBlocks = 64;

/**
 * Reads whole blocks of 128 KiB, merges neighbors into one read of at most 4 MiB and caches the last 8 MiB, so that the many
 * small reads of a zip reader cause few requests. Throws after `budget` bytes.
 */
export class BlockReader implements ByteSource {
  readonly size: number;
  bytesRead = 0;
  reads = 0;
  readonly #source: ByteSource;
  readonly #budget: number;
  readonly #blocks = new Map<number, Buffer>();
  /** Blocks being read, for concurrent reads of the same block. */
  readonly #reading = new Map<number, Promise<Buffer>>();
  #planned: PlannedReads | undefined;

  constructor(source: ByteSource, budget: number = readBudget) {
    this.#source = source;
    this.#budget = budget;
    this.size = source.size;
  }

  async read(offset: number, length: number): Promise<Buffer> {
    if (!Number.isSafeInteger(offset) || !Number.isSafeInteger(length) || offset < 0 || length < 0) {
      throw new UnreadableArchive('An offset inside the archive is invalid.');
    }
    if (offset + length > this.size) throw new UnreadableArchive('The archive ends before its declared data.');
    if (length === 0) return Buffer.alloc(0);
    const planned = this.#planned?.find(offset, offset + length);
    if (planned !== undefined) return planned;
    const first = Math.floor(offset / blockSize);
    const last = Math.floor((offset + length - 1) / blockSize);
    if (first === last) {
      const block = await this.#block(first);
      return block.subarray(offset - first * blockSize, offset - first * blockSize + length);
    }
    // A large read is assembled in parts, because it may exceed the cache.
    const result = Buffer.allocUnsafe(length);
    let index = first;
    while (index <= last) {
      const cached = this.#blocks.get(index);
      if (cached) {
        copyBlock(cached, index * blockSize, result, offset);
        index += 1;
        continue;
      }
      let end = index + 1;
      while (end <= last && !this.#blocks.has(end) && (end - index) * blockSize < maxReadBytes) end += 1;
      copyBlock(await this.#fetch(index, end), index * blockSize, result, offset);
      index = end;
    }
    return result;
  }

  /**
   * Reads a few bytes without their block, unless the block is cached, or contains the next needed bytes (offset `next`) while
   * little of the budget is spent.
   */
  async readSmall(offset: number, length: number, next = Number.POSITIVE_INFINITY): Promise<Buffer> {
    const planned = length === 0 ? undefined : this.#planned?.find(offset, offset + length);
    if (planned !== undefined) return planned;
    const block = Math.floor(offset / blockSize);
    const end = (block + 1) * blockSize;
    const isAtHand = (this.#blocks.has(block) || this.#reading.has(block)) && offset + length <= end;
    const isWorthBlock = next < end && this.bytesRead < this.#budget / 4;
    if (isAtHand || isWorthBlock || length === 0 || offset + length > this.size) return this.read(offset, length);
    return this.#readSource(offset, length);
  }

  /**
   * Announces that parts will be read in this order, so that close ones share a read and others are read concurrently. A quarter
   * of the budget may be spent on bytes between them. Parts after the first `maxReads` reads aren't read ahead.
   */
  readAhead(parts: readonly ByteRange[], maxReads: number): void {
    const ranges = joinRanges(parts, this.#budget / 4 - this.bytesRead).slice(0, maxReads);
    this.#planned = new PlannedReads(ranges, (start, length) => this.#readSource(start, length));
  }

  async #block(index: number): Promise<Buffer> {
    const cached = this.#blocks.get(index);
    if (!cached) {
      const reading =
        this.#reading.get(index) ?? this.#fetch(index, index + 1).finally(() => this.#reading.delete(index));
      this.#reading.set(index, reading);
      return reading;
    }
    this.#blocks.delete(index);
    this.#blocks.set(index, cached);
    return cached;
  }

  async #fetch(first: number, end: number): Promise<Buffer> {
    const start = first * blockSize;
    const bytes = await this.#readSource(start, Math.min(end * blockSize, this.size) - start);
    for (let index = first; index < end; index += 1) {
      const from = index * blockSize - start;
      this.#blocks.set(index, bytes.subarray(from, from + blockSize));
    }
    for (const key of this.#blocks.keys()) {
      if (this.#blocks.size <= cachedBlocks) break;
      this.#blocks.delete(key);
    }
    return bytes;
  }

  async #readSource(start: number, length: number): Promise<Buffer> {
    this.reads += 1;
    this.bytesRead += length;
    if (this.bytesRead > this.#budget) throw new UnreadableArchive('Reading the archive takes too many bytes.');
    let bytes: Buffer;
    try {
      bytes = await this.#source.read(start, length);
    } catch (cause) {
      throw new SourceFailure("The stored package can't be read.", { cause });
    }
    if (bytes.length !== length) throw new SourceFailure('The stored package returned an unexpected number of bytes.');
    return bytes;
  }
}

function copyBlock(block: Buffer, blockStart: number, target: Buffer, targetStart: number): void {
  const from = Math.max(0, targetStart - blockStart);
  block.copy(target, Math.max(0, blockStart - targetStart), from);
}
