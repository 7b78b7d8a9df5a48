// What the readers of packages know of an archive.
import type { BlockReader } from './source.ts';

export interface ArchiveEntry {
  /** As `readName` gives it. */
  readonly name: string;
  /** The bytes of its name in the archive. */
  readonly rawName: Buffer;
  /** Some programs unpack it under another name, so it is never read. */
  readonly hasOtherName: boolean;
  readonly flags: number;
  readonly method: number;
  readonly crc: number;
  readonly compressedSize: number;
  readonly size: number;
  readonly headerOffset: number;
  readonly isEncrypted: boolean;
}

export interface Archive {
  readonly reader: BlockReader;
  readonly entries: ReadonlyMap<string, ArchiveEntry>;
  readonly directoryOffset: number;
  readonly directoryEnd: number;
}
