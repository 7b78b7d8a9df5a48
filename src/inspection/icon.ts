// Selects the icon among image files of a package: the widest readable image within the limits.
import { readArchiveEntry } from './archive.ts';
import type { Archive, ArchiveEntry } from './archive-entry.ts';
import { decrushPng } from './crushed-png.ts';
import { UnreadableArchive } from './errors.ts';
import { type ImageHeader, readImageHeader } from './image.ts';

const maxIconBytes = 1024 * 1024;
const maxSide = 1024;
const maxFiles = 32;
const maxTries = 4;

export interface InspectedIcon {
  /** Image bytes for browsers, at most 1 MiB; the format is in contentType. */
  readonly png: Buffer;
  readonly contentType: ImageHeader['contentType'];
  readonly width: number;
  readonly height: number;
}

export interface IconChoice {
  readonly icon: InspectedIcon | null;
  /** Whether icon files exist but none is usable. */
  readonly isUnusable: boolean;
}

/** Returns the widest image of at most 1024 pixels per side and 1 MiB. Converts crushed PNGs. Skips invalid files. */
export async function pickIcon(archive: Archive, entries: ArchiveEntry[]): Promise<IconChoice> {
  const candidates: { entry: ArchiveEntry; header: ImageHeader }[] = [];
  const files = entries.slice(0, maxFiles);
  for (const entry of files) {
    const header = await unlessUnreadable(async () =>
      readImageHeader(await readArchiveEntry(archive, entry, maxIconBytes)),
    );
    if (header && header.width <= maxSide && header.height <= maxSide) candidates.push({ entry, header });
  }
  candidates.sort((a, b) => b.header.width - a.header.width || b.header.height - a.header.height);
  for (const { entry, header } of candidates.slice(0, maxTries)) {
    const png = await unlessUnreadable(async () => {
      const bytes = await readArchiveEntry(archive, entry, maxIconBytes);
      return header.contentType === 'image/png' ? decrushPng(bytes) : bytes;
    });
    if (png && png.length <= maxIconBytes) return { icon: { png, ...header }, isUnusable: false };
  }
  return { icon: null, isUnusable: files.length > 0 };
}

async function unlessUnreadable<T>(read: () => Promise<T>): Promise<T | null> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof UnreadableArchive) return null;
    throw error;
  }
}
