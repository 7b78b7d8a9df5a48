// Bounded little-endian and big-endian reads. Reading past the end throws UnreadableArchive, never RangeError.
import { UnreadableArchive } from './errors.ts';

/** A view of `bytes` with bounds checks; `what` names the format in errors. */
export class Cursor {
  readonly bytes: Buffer;
  readonly what: string;

  constructor(bytes: Buffer, what: string) {
    this.bytes = bytes;
    this.what = what;
  }

  get length(): number {
    return this.bytes.length;
  }

  u8(offset: number): number {
    return this.#check(offset, 1).readUInt8(offset);
  }

  u16(offset: number): number {
    return this.#check(offset, 2).readUInt16LE(offset);
  }

  u32(offset: number): number {
    return this.#check(offset, 4).readUInt32LE(offset);
  }

  u64(offset: number): number {
    const value = this.#check(offset, 8).readBigUInt64LE(offset);
    if (value > BigInt(Number.MAX_SAFE_INTEGER)) this.refuse('has an excessive length');
    return Number(value);
  }

  /** Reads a big-endian unsigned integer of 1 to 8 bytes, as in Apple's binary property lists. */
  uintBe(offset: number, width: number): number {
    const bytes = this.#check(offset, width);
    let value = 0;
    for (let index = 0; index < width; index += 1) value = value * 256 + (bytes[offset + index] ?? 0);
    if (!Number.isSafeInteger(value)) this.refuse('has an excessive number');
    return value;
  }

  slice(offset: number, length: number): Buffer {
    return this.#check(offset, length).subarray(offset, offset + length);
  }

  refuse(why: string): never {
    throw new UnreadableArchive(`${this.what} ${why}.`);
  }

  #check(offset: number, length: number): Buffer {
    const isInside =
      Number.isSafeInteger(offset) &&
      Number.isSafeInteger(length) &&
      offset >= 0 &&
      length >= 0 &&
      offset + length <= this.bytes.length;
    if (!isInside) this.refuse('is truncated or points outside itself');
    return this.bytes;
  }
}
