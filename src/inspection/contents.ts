// What a package consists of: its size by part, and its libraries (docs/specification/builds.md#contents).
import type { Platform } from '../platforms.ts';
import { readArchiveEntry } from './archive.ts';
import type { Archive, ArchiveEntry } from './archive-entry.ts';
import { likelyExtra, localHeaderSize } from './archive-layout.ts';
import { UnreadableArchive } from './errors.ts';
import type { Library, PackageParts } from './schema.ts';
import { cleanText } from './text.ts';

type Part = Exclude<keyof PackageParts, 'other'>;

const maxLibraries = 300;
/** Files with the version of a library. They're tiny and close together. */
const maxVersionFiles = 100;
const maxVersionBytes = 256;

const media =
  /\.(?:png|jpe?g|gif|webp|avif|heic|svg|pdf|car|mp3|m4a|aac|caf|wav|aiff?|ogg|mp4|m4v|mov|ttf|otf|ttc|usdz|scn)$/i;

/**
 * Returns the compressed bytes of each part; they add up to the size of the package. `folder` is the app's folder in an .ipa
 * with a trailing slash, '' in an .apk; `executable` is the name of its main program.
 */
export function measureParts(
  { entries, reader }: Archive,
  platform: Platform,
  { folder = '', executable = null }: { folder?: string; executable?: string | null } = {},
): PackageParts {
  const parts = { code: 0, resources: 0, frameworks: 0, assets: 0 };
  for (const { name, compressedSize } of entries.values()) {
    if (!name.startsWith(folder)) continue;
    const file = name.slice(folder.length);
    const part = platform === 'ios' ? iosPartOf(file, executable) : androidPartOf(file);
    if (part !== null) parts[part] += compressedSize;
  }
  const { code, resources, frameworks, assets } = parts;
  return { ...parts, other: Math.max(0, reader.size - code - resources - frameworks - assets) };
}

function iosPartOf(file: string, executable: string | null): Part | null {
  if (/(?:^|\/)(?:_CodeSignature\/|embedded\.mobileprovision$)/.test(file)) return null;
  if (/(?:^|\/)Frameworks\//.test(file)) return 'frameworks';
  // An extension has its program in its own folder, with the same name.
  const extension = /^(?:.*\/)?([^/]+)\.(?:appex|app)\/([^/]+)$/.exec(file);
  if (file === executable || (extension !== null && extension[1] === extension[2]) || file.endsWith('.dylib'))
    return 'code';
  return media.test(file) ? 'assets' : 'resources';
}

function androidPartOf(file: string): Part | null {
  if (/^classes\d*\.dex$/.test(file)) return 'code';
  if (file.startsWith('lib/')) return 'frameworks';
  if (file.startsWith('assets/')) return 'assets';
  return file.startsWith('res/') || file === 'resources.arsc' || file === 'AndroidManifest.xml' ? 'resources' : null;
}

/** Returns the libraries in the frameworks folder of an .ipa, without those of Swift itself. */
export function listFrameworks({ entries }: Archive, folder: string): Library[] {
  const names = new Set<string>();
  for (const name of entries.keys()) {
    if (!name.startsWith(`${folder}Frameworks/`)) continue;
    const [first = ''] = name.slice(folder.length + 'Frameworks/'.length).split('/');
    const library = /^(.+)\.(?:framework|dylib)$/.exec(first)?.[1];
    if (library !== undefined && !/^libswift/.test(library)) names.add(library);
  }
  return toLibraries([...names].map((name) => [name, null]));
}

/** Returns the native libraries of an .apk, and those that left a file with their version in META-INF. */
export async function listAndroidLibraries(archive: Archive): Promise<Library[]> {
  const found: [string, string | null][] = [];
  const files: [string, ArchiveEntry][] = [];
  const natives = new Set<string>();
  for (const [name, entry] of archive.entries) {
    const native = /^lib\/[^/]+\/([^/]+\.so)$/.exec(name)?.[1];
    if (native !== undefined) natives.add(native);
    const library = /^META-INF\/([A-Za-z0-9_.-]{1,200})\.version$/.exec(name)?.[1];
    if (library !== undefined && entry.compressedSize <= maxVersionBytes) files.push([library, entry]);
  }
  files.sort(([, one], [, other]) => one.headerOffset - other.headerOffset).splice(maxVersionFiles);
  const ranges = files.map(([, { headerOffset, rawName, compressedSize }]) => {
    const end = headerOffset + localHeaderSize + rawName.length + likelyExtra + compressedSize;
    return { start: headerOffset, end: Math.min(end, archive.reader.size) };
  });
  archive.reader.readAhead(ranges, maxVersionFiles);
  // Names begin with a group of several parts, such as androidx.core, or have none.
  const toName = (file: string) => file.replace(/^([^_]+\.[^_]+)_/, '$1:');
  for (const [file, entry] of files) found.push([toName(file), await readVersion(archive, entry)]);
  for (const name of natives) found.push([name, null]);
  return toLibraries(found);
}

async function readVersion(archive: Archive, entry: ArchiveEntry): Promise<string | null> {
  try {
    const text = (await readArchiveEntry(archive, entry, maxVersionBytes)).toString('utf8').trim();
    // Some build tools write why they don't know it.
    return /^[0-9A-Za-z][0-9A-Za-z.+_-]{0,63}$/.test(text) ? text : null;
  } catch (error) {
    if (error instanceof UnreadableArchive) return null;
    throw error;
  }
}

function toLibraries(found: readonly (readonly [string, string | null])[]): Library[] {
  const libraries = new Map<string, string | null>();
  for (const [raw, version] of found) {
    const name = cleanText(raw, 200);
    if (name !== null) libraries.set(name, version);
  }
  return [...libraries]
    .map(([name, version]) => ({ name, version }))
    .toSorted((one, other) => (one.name < other.name ? -1 : 1))
    .slice(0, maxLibraries);
}
