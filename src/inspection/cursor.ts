// Bounded little- and big-endian reads: past the end means a refusal, never a RangeError.
import { UnreadableArchive } from './errors.ts';

/** A view on `bytes` whose every access is checked; `what` names the format in the refusal. */
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
    if (value > BigInt(Number.MAX_SAFE_INTEGER)) this.refuse('holds a length beyond reason');
    return Number(value);
  }

  /** Big-endian unsigned integer of 1 to 8 bytes, as Apple's binary property lists use them. */
  uintBe(offset: number, width: number): number {
    const bytes = this.#check(offset, width);
    let value = 0;
    for (let index = 0; index < width; index += 1) value = value * 256 + (bytes[offset + index] ?? 0);
    if (!Number.isSafeInteger(value)) this.refuse('holds a number beyond reason');
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
    if (!isInside) this.refuse('is cut short or points outside itself');
    return this.bytes;
  }
}
