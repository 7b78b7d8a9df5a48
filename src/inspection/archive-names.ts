// Names of entries, as the programs that unpack them on phones see them: two names of one file must not be two entries.
import { isUtf8 } from 'node:buffer';
import { crc32 } from 'node:zlib';
import { UnreadableArchive } from './errors.ts';

const unicodePathField = 0x7075;

export interface EntryName {
  /**
   * How the inspection looks the entry up. Files of an iOS app are found below `Payload/` without `.` and empty steps, since
   * they are unpacked; entries of an .apk are looked up as they are.
   */
  readonly name: string;
  /** Other names that some programs unpack it under; empty if its name is plain. */
  readonly aliases: readonly string[];
}

/**
 * Decodes the name of an entry. Names without the UTF-8 flag are UTF-8 in practice too. Refuses one that leaves the folder that
 * the archive is unpacked to.
 */
export function readName(raw: Buffer, extraFields: readonly { id: number; data: Buffer }[]): EntryName {
  // No two different names may become the same text.
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

/** The Info-ZIP Unicode Path field (APPNOTE 4.6.9); null if it belongs to another name, which makes readers ignore it. */
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

// The steps of a path without those that lead nowhere, and without the mark of a folder.
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
 * Refuses the second of two entries that are one file to some phone: by their names, by other names of theirs, or, where a
 * phone or this program looks a name up, by spelling in another case or Unicode form.
 */
export class NameRegister {
  readonly #names = new Set<string>();
  readonly #folded = new Map<string, string>();
  #lastFolder = '/';

  /** Adds an entry. A folder may be named twice. */
  add({ name, aliases }: EntryName): void {
    const isFolder = name.endsWith('/');
    const plain = normalize(name);
    this.#addKey(plain, isFolder);
    for (const alias of aliases) if (alias !== plain) this.#addKey(alias, isFolder);
  }

  #addKey(key: string, isFolder: boolean): void {
    // What is known as a folder is kept with its mark, so that a file of the same name is noticed.
    if (this.#names.has(key) || (!isFolder && this.#names.has(`${key}/`))) {
      throw new UnreadableArchive('The archive holds the same file twice.');
    }
    this.#names.add(isFolder ? `${key}/` : key);
    if (/^payload(?:\/|$)/i.test(key)) this.#addFolder(key);
    if (lookedUp.test(key)) this.#addFolded(key);
  }

  /** Adds the folders that a file of an app is in. */
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
      throw new UnreadableArchive('The archive holds files whose names differ only in upper and lower case.');
    }
    this.#folded.set(folded, key);
  }
}

// Resources of an .apk get names in any case from tools that shorten them, so only what is looked up counts: the files that are
// read of an app on iOS; manifest, resources, code and signatures on Android.
const lookedUp =
  /^(?:payload\/[^/]*\/(?:info\.plist|embedded\.mobileprovision|[^/]*\.png)|androidmanifest\.xml|resources\.arsc|classes\d*\.dex|meta-inf\/(?:manifest\.mf|[^/]+\.(?:sf|rsa|dsa|ec)))$/i;
