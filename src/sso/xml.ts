// A strict reader of the XML that identity providers send: no document types, no processing instructions, no CDATA, and
// bounds on size, depth and number. What it takes is well-formed, so that no two readers can see two different things in it.

export interface XmlAttribute {
  namespace: string;
  name: string;
  value: string;
}

export interface XmlElement {
  namespace: string;
  name: string;
  attributes: readonly XmlAttribute[];
  children: readonly XmlElement[];
  /** Its own text without that of its children; comments do not part it. */
  text: string;
}

/** The text is not XML as it is taken here; the message names the reason and nothing of the text. */
export class XmlError extends Error {}

const MOST_CHARACTERS = 256 * 1024;
const MOST_ELEMENTS = 2_000;
const MOST_ATTRIBUTES = 32;
const MOST_DEPTH = 24;

const XML_NAMESPACE = 'http://www.w3.org/XML/1998/namespace';
const declaration =
  /^<\?xml\s+version=(?:"1\.0"|'1\.0')(?:\s+encoding=(?:"utf-8"|'utf-8'))?(?:\s+standalone=(?:"(?:yes|no)"|'(?:yes|no)'))?\s*\?>/i;
const NAME = '[A-Za-z_][\\w.-]{0,127}(?::[A-Za-z_][\\w.-]{0,127})?';
const openTag = new RegExp(`<(${NAME})`, 'y');
const closeTag = new RegExp(`</(${NAME})[ \\t\\n]*>`, 'y');
const attribute = new RegExp(`[ \\t\\n]+(${NAME})[ \\t\\n]*=[ \\t\\n]*(?:"([^"<]*)"|'([^'<]*)')`, 'y');
const tagEnd = /[ \t\n]*(\/?)>/y;
const textRun = /[^<]+/y;
const comment = /<!--(?:(?!--)[\s\S])*-->/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what XML does not allow
const forbidden = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/;
const namedEntities: ReadonlyMap<string, string> = new Map([
  ['lt', '<'],
  ['gt', '>'],
  ['amp', '&'],
  ['quot', '"'],
  ['apos', "'"],
]);

interface OpenElement {
  tag: string;
  element: XmlElement & { children: XmlElement[] };
  scope: ReadonlyMap<string, string>;
}

/** Reads a document to its root element. Throws XmlError. */
export function parseXml(source: string): XmlElement {
  if (source.length > MOST_CHARACTERS) throw new XmlError('too large');
  if (forbidden.test(source) || !source.isWellFormed()) throw new XmlError('forbidden characters');
  const text = source.replace(/^\ufeff/, '').replace(/\r\n?/g, '\n');
  return new Reader(text).read();
}

class Reader {
  readonly #text: string;
  #at: number;
  #elements = 0;

  constructor(text: string) {
    this.#text = text;
    this.#at = declaration.exec(text)?.[0].length ?? 0;
  }

  read(): XmlElement {
    const open: OpenElement[] = [];
    let root: XmlElement | undefined;
    while (this.#at < this.#text.length) {
      const run = this.#match(textRun);
      const parent = open.at(-1);
      if (run !== undefined) {
        if (parent !== undefined) parent.element.text += decode(run[0]);
        else if (run[0].trim() !== '') throw new XmlError('text outside the root');
      } else if (this.#match(comment) !== undefined) {
        // A comment is not part of what a signature covers, nor of any text.
      } else if (this.#text.startsWith('</', this.#at)) {
        this.#close(open);
      } else {
        if (parent === undefined && root !== undefined) throw new XmlError('two roots');
        const element = this.#open(open);
        root ??= element;
      }
    }
    if (root === undefined || open.length > 0) throw new XmlError('not closed');
    return root;
  }

  #match(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.#text);
    if (match === null) return undefined;
    this.#at += match[0].length;
    return match;
  }

  #close(open: OpenElement[]): void {
    const tag = this.#match(closeTag)?.[1];
    const opened = open.pop();
    if (tag === undefined || opened?.tag !== tag) throw new XmlError('tags do not match');
  }

  #open(open: OpenElement[]): XmlElement {
    const tag = this.#match(openTag)?.[1];
    if (tag === undefined) throw new XmlError('unknown markup');
    this.#elements += 1;
    if (this.#elements > MOST_ELEMENTS || open.length >= MOST_DEPTH) throw new XmlError('too large');
    const written: [name: string, value: string][] = [];
    for (let found = this.#match(attribute); found !== undefined; found = this.#match(attribute)) {
      if (written.length >= MOST_ATTRIBUTES) throw new XmlError('too large');
      written.push([found[1] ?? '', decode((found[2] ?? found[3] ?? '').replace(/[\t\n]/g, ' '))]);
    }
    const end = this.#match(tagEnd);
    if (end === undefined) throw new XmlError('unknown markup');
    const parent = open.at(-1);
    const scope = declareNamespaces(parent?.scope ?? new Map(), written);
    const element = {
      ...resolve(tag, scope, true),
      attributes: readAttributes(written, scope),
      children: [],
      text: '',
    };
    parent?.element.children.push(element);
    if (end[1] === '') open.push({ tag, element, scope });
    return element;
  }
}

function decode(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(/&([^;&]{0,10};)?/g, (_whole, reference: string | undefined) => decodeReference(reference));
}

function decodeReference(reference = ''): string {
  const named = namedEntities.get(reference.slice(0, -1));
  if (named !== undefined) return named;
  const [, hex, decimal] = /^#(?:x([0-9a-fA-F]{1,6})|([0-9]{1,7}));$/.exec(reference) ?? [];
  const code = hex === undefined ? Number.parseInt(decimal ?? '', 10) : Number.parseInt(hex, 16);
  const character = code <= 0x10ffff ? String.fromCodePoint(code) : '\u0000';
  if (forbidden.test(character) || !character.isWellFormed()) throw new XmlError('unknown entity');
  return character;
}

function declareNamespaces(
  outer: ReadonlyMap<string, string>,
  written: readonly [string, string][],
): ReadonlyMap<string, string> {
  let scope: Map<string, string> | undefined;
  for (const [name, value] of written) {
    const prefix = name === 'xmlns' ? '' : name.startsWith('xmlns:') ? name.slice(6) : undefined;
    if (prefix === undefined) continue;
    if (prefix === 'xml' || prefix === 'xmlns' || (value === '' && prefix !== '')) throw new XmlError('bad namespace');
    scope ??= new Map(outer);
    scope.set(prefix, value);
  }
  return scope ?? outer;
}

function resolve(tag: string, scope: ReadonlyMap<string, string>, usesDefault: boolean) {
  const [first = '', second] = tag.split(':');
  if (second === undefined) return { namespace: usesDefault ? (scope.get('') ?? '') : '', name: first };
  const namespace = first === 'xml' ? XML_NAMESPACE : scope.get(first);
  if (namespace === undefined) throw new XmlError('bad namespace');
  return { namespace, name: second };
}

function readAttributes(written: readonly [string, string][], scope: ReadonlyMap<string, string>): XmlAttribute[] {
  const seen = new Set<string>();
  const attributes: XmlAttribute[] = [];
  for (const [tag, value] of written) {
    const isDeclaration = tag === 'xmlns' || tag.startsWith('xmlns:');
    const resolved = isDeclaration ? { namespace: 'xmlns', name: tag } : resolve(tag, scope, false);
    const key = `${resolved.namespace} ${resolved.name}`;
    if (seen.has(key)) throw new XmlError('an attribute twice');
    seen.add(key);
    if (!isDeclaration) attributes.push({ ...resolved, value });
  }
  return attributes;
}

/** The value of an attribute without a namespace. */
export function attributeOf(element: XmlElement, name: string): string | undefined {
  return element.attributes.find((one) => one.namespace === '' && one.name === name)?.value;
}

/** The children of a name. */
export function childrenOf(element: XmlElement, namespace: string, name: string): XmlElement[] {
  return element.children.filter((child) => child.namespace === namespace && child.name === name);
}

/** The one child of a name; undefined when there is none or more than one. */
export function onlyChildOf(element: XmlElement | undefined, namespace: string, name: string): XmlElement | undefined {
  const [first, ...others] = element === undefined ? [] : childrenOf(element, namespace, name);
  return others.length === 0 ? first : undefined;
}

/** An element and everything below it, parents first. */
export function* walk(element: XmlElement): Generator<XmlElement> {
  yield element;
  for (const child of element.children) yield* walk(child);
}

/** Text for a place between tags or in a quoted attribute. */
export function escapeXml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&apos;');
}
