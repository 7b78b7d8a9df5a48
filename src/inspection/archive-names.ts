// Entry names as unpackers on phones interpret them. Two names of the same file must not be two entries.
import { isUtf8 } from 'node:buffer';
import { crc32 } from 'node:zlib';
import { UnreadableArchive } from './errors.ts';

const unicodePathField = 0x7075;

export interface EntryName {
  /**
   * The name for lookups. Names in an iOS app are normalized (no `.` or empty segments), because they're unpacked to a file
   * system; names in an .apk are used unchanged.
   */
  readonly name: string;
  /** Other names that some programs use for the entry; empty for a plain name. */
  readonly aliases: readonly string[];
}

/**
 * Decodes an entry's name. In practice, names without the UTF-8 flag are UTF-8 too. Throws if the name escapes the target
 * folder.
 */
export function readName(raw: Buffer, extraFields: readonly { id: number; data: Buffer }[]): EntryName {
  // Different names must not decode to the same text.
  const stored = raw.toString(isUtf8(raw) ? 'utf8' : 'latin1');
  refuseEscape(stored);
  const plain = normalize(stored);
  const aliases = stored.includes('\\') ? [normalize(stored.replaceAll('\\', '/'))] : [];
  for (const { id, data } of extraFields) {
    const alias = id === unicodePathField ? readUnicodePath(data, raw) : null;
    if (alias === null || alias === stored) continue;
    refuseEscape(alias);
    aliases.push(normalize(alias.replaceAll('\\', '/')));
  }
  return { name: plain.startsWith('Payload/') ? plain + folderMark(stored) : stored, aliases };
}

/** Reads the Info-ZIP Unicode Path field (APPNOTE 4.6.9). Returns null if it belongs to another name; readers then ignore it. */
function readUnicodePath(data: Buffer, raw: Buffer): string | null {
  if (data.length < 5 || data[0] !== 1 || data.readUInt32LE(1) !== crc32(raw)) return null;
  return data.subarray(5).toString('utf8');
}

function refuseEscape(name: string): void {
  const path = name.replaceAll('\\', '/');
  const isEscaping =
    path.includes('\0') || path.startsWith('/') || /^[A-Za-z]:/.test(path) || path.split('/').includes('..');
  if (isEscaping) throw new UnreadableArchive('The archive has an entry that points outside of it.');
}

// Removes segments without effect and the folder mark.
function normalize(name: string): string {
  if (!/\/\/|\/$|(?:^|\/)\.(?:\/|$)/.test(name)) return name;
  return name
    .split('/')
    .filter((step) => step !== '' && step !== '.')
    .join('/');
}

function folderMark(name: string): string {
  return name.endsWith('/') ? '/' : '';
}

/**
 * Rejects a second entry for the same file: with the same name or alias, or, where a phone or this program looks names up, with
 * a name that differs only in case or Unicode normalization.
 */
export class NameRegister {
  readonly #names = new Set<string>();
  readonly #folded = new Map<string, string>();
  #lastFolder = '/';

  /** Adds an entry. A folder may occur twice. */
  add({ name, aliases }: EntryName): void {
    const isFolder = name.endsWith('/');
    const plain = normalize(name);
    this.#addKey(plain, isFolder);
    for (const alias of aliases) {
      if (alias === plain) continue;
      this.#addKey(alias, isFolder);
      if (decisive.test(alias)) throw new UnreadableArchive('The archive has contradictory names for an entry.');
    }
  }

  #addKey(key: string, isFolder: boolean): void {
    // Folders are stored with their mark, so that a file with the same name is detected.
    if (this.#names.has(key) || (!isFolder && this.#names.has(`${key}/`))) {
      throw new UnreadableArchive('The archive contains the same file twice.');
    }
    this.#names.add(isFolder ? `${key}/` : key);
    if (/^payload(?:\/|$)/i.test(key)) this.#addFolder(key);
    if (lookedUp.test(key)) this.#addFolded(key);
  }

  /** Adds the parent folders of an app's file. */
  #addFolder(key: string): void {
    if (key.startsWith(this.#lastFolder)) return;
    const [payload = '', app] = key.split('/', 2);
    const folder = app === undefined ? payload : `${payload}/${app}`;
    this.#addFolded(payload);
    this.#addFolded(folder);
    this.#lastFolder = `${folder}/`;
  }

  #addFolded(key: string): void {
    const folded = key.normalize('NFC').toLowerCase();
    const known = this.#folded.get(folded);
    if (known !== undefined && known !== key) {
      throw new UnreadableArchive('The archive contains files whose names differ only in case.');
    }
    this.#folded.set(folded, key);
  }
}

// Tools that shorten .apk resource names use any case, so only files that are looked up are compared: the files read from an
// iOS app; manifest, resources, code and signatures on Android.
const lookedUp =
  /^(?:payload\/[^/]*\/(?:info\.plist|embedded\.mobileprovision|[^/]*\.png)|androidmanifest\.xml|resources\.arsc|classes\d*\.dex|meta-inf\/(?:manifest\.mf|[^/]+\.(?:sf|rsa|dsa|ec)))$/i;

/** Files that decide what the archive is. For some programs, an alias adds another app. */
const decisive = /^(?:payload\/[^/]*\/(?:info\.plist|embedded\.mobileprovision)|androidmanifest\.xml)$/i;
