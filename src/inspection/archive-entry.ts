// Archives and their entries, as used by the package readers.
import type { BlockReader } from './source.ts';

export interface ArchiveEntry {
  /** The name as returned by `readName`. */
  readonly name: string;
  /** The bytes of the name in the archive. */
  readonly rawName: Buffer;
  /** Whether some programs unpack it under another name; such entries are never read. */
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
  /** Whether it has zip64 end records. */
  readonly isWide: boolean;
}
