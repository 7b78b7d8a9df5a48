// Picks the icon among image files of a package: the widest that is a bounded, readable image.
import { readArchiveEntry } from './archive.ts';
import type { Archive, ArchiveEntry } from './archive-entry.ts';
import { decrushPng } from './crushed-png.ts';
import { UnreadableArchive } from './errors.ts';
import { type ImageHeader, readImageHeader } from './image.ts';

const largestIcon = 1024 * 1024;
const largestSide = 1024;
const mostFiles = 32;
const mostTries = 4;

export interface InspectedIcon {
  /** Image bytes as a browser reads them, at most 1 MiB; the kind is in contentType. */
  readonly png: Buffer;
  readonly contentType: ImageHeader['contentType'];
  readonly width: number;
  readonly height: number;
}

export interface IconChoice {
  readonly icon: InspectedIcon | null;
  /** There were files for an icon, but none of them could be used. */
  readonly isUnusable: boolean;
}

/** The widest image of at most 1024 pixels a side and 1 MiB; crushed PNGs become plain ones. Bad files are passed over. */
export async function pickIcon(archive: Archive, entries: ArchiveEntry[]): Promise<IconChoice> {
  const candidates: { entry: ArchiveEntry; header: ImageHeader }[] = [];
  const files = entries.slice(0, mostFiles);
  for (const entry of files) {
    const header = await unlessUnreadable(async () =>
      readImageHeader(await readArchiveEntry(archive, entry, largestIcon)),
    );
    if (header && header.width <= largestSide && header.height <= largestSide) candidates.push({ entry, header });
  }
  candidates.sort((a, b) => b.header.width - a.header.width || b.header.height - a.header.height);
  for (const { entry, header } of candidates.slice(0, mostTries)) {
    const png = await unlessUnreadable(async () => {
      const bytes = await readArchiveEntry(archive, entry, largestIcon);
      return header.contentType === 'image/png' ? decrushPng(bytes) : bytes;
    });
    if (png && png.length <= largestIcon) return { icon: { png, ...header }, isUnusable: false };
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
