// Reads the package name and version of a compiled AndroidManifest.xml. A version name that is a resource is left out,
// and the user enters it.
import { readSafely, UnreadableFile, viewBytes } from './bytes.ts';

export interface ManifestFacts {
  packageName: string | undefined;
  versionName: string | undefined;
  versionCode: number | undefined;
}

const STRINGS = 0x0001;
const RESOURCE_MAP = 0x0180;
const START_ELEMENT = 0x0102;
const TEXT = 0x03;
const VERSION_CODE = 0x0101021b;
const VERSION_NAME = 0x0101021c;
const MAX_STRINGS = 100_000;

/** Reads the attributes of the manifest element. Throws UnreadableFile. */
export function readAndroidManifest(bytes: Uint8Array): ManifestFacts {
  return readSafely(() => {
    const view = viewBytes(bytes);
    let strings: readonly string[] = [];
    let resources: readonly number[] = [];
    for (let at = view.getUint16(2, true); at + 8 <= bytes.length; ) {
      const type = view.getUint16(at, true);
      const size = view.getUint32(at + 4, true);
      if (size < 8) throw new UnreadableFile('damaged');
      if (type === STRINGS) strings = readStrings(bytes.subarray(at, at + size));
      if (type === RESOURCE_MAP) {
        resources = Array.from({ length: Math.min((size - 8) >> 2, MAX_STRINGS) }, (_, index) =>
          view.getUint32(at + 8 + index * 4, true),
        );
      }
      if (type === START_ELEMENT && strings[view.getUint32(at + 20, true)] === 'manifest') {
        return readAttributes(view, at, strings, resources);
      }
      at += size;
    }
    throw new UnreadableFile('no manifest');
  });
}

function readAttributes(
  view: DataView,
  element: number,
  strings: readonly string[],
  resources: readonly number[],
): ManifestFacts {
  const facts: ManifestFacts = { packageName: undefined, versionName: undefined, versionCode: undefined };
  const start = element + 16 + view.getUint16(element + 24, true);
  const size = view.getUint16(element + 26, true);
  const count = view.getUint16(element + 28, true);
  for (let index = 0; index < count; index += 1) {
    const at = start + index * size;
    const name = view.getUint32(at + 4, true);
    const type = view.getUint8(at + 15);
    const data = view.getUint32(at + 16, true);
    const text = type === TEXT ? strings[data] : undefined;
    if (resources[name] === VERSION_CODE && type >= 0x10 && type <= 0x1f) facts.versionCode = data;
    else if (resources[name] === VERSION_NAME) facts.versionName = text;
    else if (strings[name] === 'package') facts.packageName = text;
  }
  return facts;
}

function readStrings(chunk: Uint8Array): string[] {
  const view = viewBytes(chunk);
  const count = Math.min(view.getUint32(8, true), MAX_STRINGS);
  const isUtf8 = (view.getUint32(16, true) & 0x100) !== 0;
  const start = view.getUint32(20, true);
  return Array.from({ length: count }, (_, index) => {
    let at = start + view.getUint32(28 + index * 4, true);
    if (isUtf8) {
      at += view.getUint8(at) & 0x80 ? 2 : 1;
      const first = view.getUint8(at);
      const length = first & 0x80 ? ((first & 0x7f) << 8) | view.getUint8(at + 1) : first;
      at += first & 0x80 ? 2 : 1;
      return new TextDecoder().decode(chunk.subarray(at, at + length));
    }
    const first = view.getUint16(at, true);
    const length = first & 0x8000 ? ((first & 0x7fff) << 16) | view.getUint16(at + 2, true) : first;
    at += first & 0x8000 ? 4 : 2;
    return new TextDecoder('utf-16le').decode(chunk.subarray(at, at + 2 * length));
  });
}
