// XML property lists: a small parser without DTDs, custom entities or external references. Not recursive, so depth can't exhaust the stack.

import { UnreadableArchive } from './errors.ts';
import type { PlistDict, PlistValue } from './plist-value.ts';

const largest = 4 * 1024 * 1024;
const maxValues = 50_000;
const deepest = 64;
const namedEntities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
const maxDeclaration = 1024;
const encodings: ReadonlyMap<string, 'utf8' | 'latin1'> = new Map([
  ['utf-8', 'utf8'],
  ['utf8', 'utf8'],
  ['us-ascii', 'utf8'],
  ['ascii', 'utf8'],
  ['iso-8859-1', 'latin1'],
  ['windows-1252', 'latin1'],
]);
const blank = /^[\s\ufeff]*$/;

type Container = { list: PlistValue[] } | { dict: PlistDict; key: string | null };

interface Tag {
  name: string;
  isClosing: boolean;
  isEmpty: boolean;
  /** The offset behind it. */
  end: number;
}

function refuse(why: string): never {
  throw new UnreadableArchive(`The XML property list ${why}.`);
}

/**
 * Reads an XML property list of at most 4 MiB, 50,000 values, 64 levels. Throws for internal DTD subsets, unknown entities and
 * encodings in which a phone could read another document.
 */
export function readXmlPlist(bytes: Buffer): PlistValue {
  if (bytes.length > largest) refuse('is too large');
  const text = bytes.toString(encodingOf(bytes));
  const tree = new Tree();
  let position = 0;
  for (;;) {
    const start = text.indexOf('<', position);
    if (start < 0) break;
    if (!blank.test(text.slice(position, start))) refuse('has text between its elements');
    if (text.startsWith('<!--', start) || text.startsWith('<?', start) || text.startsWith('<!DOCTYPE', start)) {
      position = skipMarkup(text, start);
      continue;
    }
    const tag = readTag(text, start);
    position = tag.end;
    if (tag.name === 'plist') {
      tree.delimit(tag);
      if (tag.isClosing) break;
      continue;
    }
    tree.requireRoot();
    if (tag.name === 'dict' || tag.name === 'array') {
      tree.nest(tag);
      continue;
    }
    if (tag.isClosing) refuse('closes elements in the wrong order');
    const content = tag.isEmpty ? { value: '', end: tag.end } : readContent(text, tag.end, tag.name);
    position = content.end;
    if (tag.name === 'key') tree.setKey(content.value);
    else tree.add(readScalar(tag.name, content.value));
  }
  return tree.finish();
}

/** The values of a document that is being read. */
class Tree {
  #root: PlistValue | undefined;
  #isInRoot = false;
  #values = 0;
  /** The containers whose ends haven't been read, the innermost last. */
  readonly #open: Container[] = [];

  /** Begins or ends the root element. */
  delimit({ isClosing, isEmpty }: Tag): void {
    if (isEmpty || this.#isInRoot === !isClosing) refuse('has an invalid root element');
    this.#isInRoot = !isClosing;
  }

  requireRoot(): void {
    if (!this.#isInRoot) refuse('has no <plist> root');
  }

  /** Begins or ends a dictionary or an array. */
  nest({ name, isClosing, isEmpty }: Tag): void {
    if (isClosing) {
      const container = this.#open.pop();
      if (!container || 'list' in container !== (name === 'array')) refuse('closes elements in the wrong order');
      if ('dict' in container && container.key !== null) refuse('has a key without a value');
      return;
    }
    const container: Container = name === 'array' ? { list: [] } : { dict: new Map(), key: null };
    this.add('list' in container ? container.list : container.dict);
    if (isEmpty) return;
    if (this.#open.length >= deepest) refuse('is nested too deeply');
    this.#open.push(container);
  }

  /** Sets the key of the next value. */
  setKey(key: string): void {
    const parent = this.#open.at(-1);
    if (!parent || 'list' in parent || parent.key !== null) refuse('has a key in the wrong place');
    parent.key = key;
  }

  /** Adds a value to the innermost container. */
  add(value: PlistValue): void {
    this.#values += 1;
    if (this.#values > maxValues) refuse('has too many values');
    const parent = this.#open.at(-1);
    if (!parent) {
      if (this.#root !== undefined) refuse('has more than one root');
      this.#root = value;
    } else if ('list' in parent) {
      parent.list.push(value);
    } else {
      if (parent.key === null) refuse('has a value without a key');
      // Readers differ in which duplicate counts.
      if (parent.dict.has(parent.key)) refuse('has a duplicate key');
      parent.dict.set(parent.key, value);
      parent.key = null;
    }
  }

  /** Returns the root. Throws for a document that isn't complete. */
  finish(): PlistValue {
    if (this.#root === undefined || this.#open.length > 0 || this.#isInRoot) refuse('is truncated or empty');
    return this.#root;
  }
}

/**
 * Returns the declared encoding. A phone only looks at the very beginning, and ignores what a byte order mark contradicts. The
 * supported ones all have the markup in ASCII.
 */
function encodingOf(bytes: Buffer): 'utf8' | 'latin1' {
  const start = bytes.toString('latin1', 0, maxDeclaration);
  // A phone looks for the encoding up to the first of these characters, however far away it is.
  if (/^<\?xml[^?>]*$/.test(start)) refuse('has no end of its declaration');
  const declaration = /^<\?xml[^?>]*?encoding=(?:"([^"]*)"|'([^']*)')/.exec(start);
  const name = declaration?.[1] ?? declaration?.[2] ?? 'utf-8';
  return encodings.get(name.toLowerCase()) ?? refuse('has an unsupported encoding');
}

function skipMarkup(text: string, start: number): number {
  const isComment = text.startsWith('<!--', start);
  const close = isComment ? '-->' : text.startsWith('<?', start) ? '?>' : '>';
  // The hyphens of `<!--` aren't those of `-->`.
  const end = text.indexOf(close, start + (isComment ? 4 : 2));
  if (end < 0) refuse('is truncated');
  // Internal subsets can contain entity bombs and external entities; property lists don't need them.
  if (close === '>' && text.slice(start, end).includes('[')) refuse('declares custom entities');
  return end + close.length;
}

function readTag(text: string, start: number): Tag {
  const end = text.indexOf('>', start);
  if (end < 0 || end - start > 1024) refuse('is truncated');
  const match = /^<(\/?)([A-Za-z]+)(?:\s[^<]*?)?(\/?)>$/.exec(text.slice(start, end + 1));
  if (!match) refuse('has an unreadable element');
  return { name: match?.[2] ?? '', isClosing: match?.[1] === '/', isEmpty: match?.[3] === '/', end: end + 1 };
}

function readContent(text: string, start: number, name: string): { value: string; end: number } {
  let value = '';
  let position = start;
  for (;;) {
    const next = text.indexOf('<', position);
    if (next < 0) refuse('is truncated');
    value += decodeEntities(text.slice(position, next));
    if (text.startsWith('<![CDATA[', next)) {
      const end = text.indexOf(']]>', next);
      if (end < 0) refuse('is truncated');
      value += text.slice(next + 9, end);
      position = end + 3;
    } else if (text.startsWith('<!--', next)) {
      position = skipMarkup(text, next);
    } else {
      const tag = readTag(text, next);
      if (!tag.isClosing || tag.name !== name) refuse('has elements where text is expected');
      return { value, end: tag.end };
    }
  }
}

function decodeEntities(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(/&([^;&]{0,16});?/g, (whole, name: string) => {
    const named = Object.hasOwn(namedEntities, name) ? namedEntities[name] : undefined;
    if (named !== undefined && whole.endsWith(';')) return named;
    const code = /^#x[0-9a-fA-F]+$/.test(name)
      ? Number.parseInt(name.slice(2), 16)
      : /^#\d+$/.test(name)
        ? Number(name.slice(1))
        : -1;
    if (code < 1 || code > 0x10ffff || !whole.endsWith(';')) refuse('uses an unknown entity');
    return String.fromCodePoint(code);
  });
}

function readScalar(name: string, content: string): PlistValue {
  switch (name) {
    case 'string':
      return content;
    case 'integer': {
      const digits = content.trim();
      if (!/^[+-]?(\d{1,20}|0[xX][0-9a-fA-F]{1,16})$/.test(digits)) refuse('has an unreadable number');
      const value = Number(digits.replace(/^[+-](?=0[xX])/, ''));
      return digits.startsWith('-') && value > 0 ? -value : value;
    }
    case 'real': {
      const value = Number(content.trim());
      return Number.isNaN(value) ? refuse('has an unreadable number') : value;
    }
    case 'true':
    case 'false':
      return name === 'true';
    case 'date': {
      const date = new Date(content.trim());
      return Number.isNaN(date.getTime()) ? refuse('has an unreadable date') : date;
    }
    case 'data':
      return Buffer.from(content, 'base64');
    default:
      return refuse('has an unknown element');
  }
}
