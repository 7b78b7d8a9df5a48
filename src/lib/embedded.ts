// The files inside the executable: one archive with an index.
//
// As embedded files of their own, hundreds of them would all be touched at each start, because Node reads the length before each.
import { getAsset, getRawAsset } from 'node:sea';

/** Names of the archive and of its index, which the build writes (`scripts/lib/executable.ts`). */
export const ARCHIVE = 'files';
export const ARCHIVE_INDEX = 'files.json';
/** The program itself, with one byte per character, and the code that V8 compiled from it. */
export const PROGRAM = 'taxiway.cjs';
export const COMPILED_PROGRAM = 'taxiway.cache';
/** The folder of the packages that are loaded later. */
export const PACKAGES = 'packages';

/** Place of each file in the archive. */
export type ArchiveIndex = Record<string, [offset: number, length: number]>;

interface Archive {
  index: ReadonlyMap<string, [offset: number, length: number]>;
  bytes: ArrayBuffer;
}

let archive: Archive | undefined;

/** Opens the archive once, because the garbage collector counts its whole size for each buffer that refers to it. */
function openArchive(): Archive {
  archive ??= {
    index: new Map(Object.entries(JSON.parse(getAsset(ARCHIVE_INDEX, 'utf8')) as ArchiveIndex)),
    bytes: getRawAsset(ARCHIVE) as ArrayBuffer,
  };
  return archive;
}

/** Returns a file, without copying it, or undefined if there is none of this name. */
export function findEmbedded(name: string): Buffer | undefined {
  const { index, bytes } = openArchive();
  const place = index.get(name);
  return place && Buffer.from(bytes, ...place);
}

/** Returns the names of all files. */
export function embeddedNames(): readonly string[] {
  return [...openArchive().index.keys()];
}
