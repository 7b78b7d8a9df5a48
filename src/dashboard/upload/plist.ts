// Reads the top-level strings of an XML or binary property list, which is enough to find an app's version.
import { readSafely, UnreadableFile, viewBytes } from './bytes.ts';

/** Returns strings and integers by key. */
export function readPlistTexts(bytes: Uint8Array): Map<string, string> {
  const isBinary = new TextDecoder('latin1').decode(bytes.subarray(0, 8)) === 'bplist00';
  return isBinary ? readSafely(() => readBinary(bytes)) : readXml(bytes);
}

function readXml(bytes: Uint8Array): Map<string, string> {
  const document = new DOMParser().parseFromString(new TextDecoder().decode(bytes), 'application/xml');
  const found = new Map<string, string>();
  for (const key of document.querySelectorAll('plist > dict > key')) {
    const value = key.nextElementSibling;
    if (value?.tagName === 'string' || value?.tagName === 'integer') {
      found.set(key.textContent ?? '', value.textContent ?? '');
    }
  }
  if (found.size === 0) throw new UnreadableFile('no property list');
  return found;
}

const MAX_KEYS = 10_000;

function readBinary(bytes: Uint8Array): Map<string, string> {
  const view = viewBytes(bytes);
  const trailer = bytes.length - 32;
  const offsetSize = view.getUint8(trailer + 6);
  const referenceSize = view.getUint8(trailer + 7);
  const top = Number(view.getBigUint64(trailer + 16));
  const table = Number(view.getBigUint64(trailer + 24));
  const number = (at: number, size: number): number => {
    let value = 0;
    for (let index = 0; index < size; index += 1) value = value * 256 + view.getUint8(at + index);
    return value;
  };
  const placeOf = (object: number) => number(table + object * offsetSize, offsetSize);
  /** Returns the type, the length, and the offset of the content. */
  const headOf = (object: number): { kind: number; length: number; at: number } => {
    const place = placeOf(object);
    const marker = view.getUint8(place);
    const length = marker & 0x0f;
    if (length !== 0x0f) return { kind: marker >> 4, length, at: place + 1 };
    const size = 2 ** (view.getUint8(place + 1) & 0x0f);
    return { kind: marker >> 4, length: number(place + 2, size), at: place + 2 + size };
  };
  const textOf = (object: number): string | undefined => {
    const { kind, length, at } = headOf(object);
    if (kind === 1) return String(number(at, 2 ** length));
    if (kind === 5) return new TextDecoder('latin1').decode(bytes.subarray(at, at + length));
    if (kind === 6) return new TextDecoder('utf-16be').decode(bytes.subarray(at, at + 2 * length));
    return undefined;
  };
  const dict = headOf(top);
  if (dict.kind !== 0xd || dict.length > MAX_KEYS) throw new UnreadableFile('no dictionary');
  const found = new Map<string, string>();
  for (let index = 0; index < dict.length; index += 1) {
    const key = textOf(number(dict.at + index * referenceSize, referenceSize));
    const value = textOf(number(dict.at + (dict.length + index) * referenceSize, referenceSize));
    if (key !== undefined && value !== undefined) found.set(key, value);
  }
  return found;
}
