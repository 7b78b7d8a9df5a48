// A strict reader of identity providers' XML: no document types, processing instructions or CDATA, and limits on everything that
// makes a reader slow. Accepted documents are well-formed, so that every reader interprets them the same way.

interface XmlAttribute {
  namespace: string;
  name: string;
  value: string;
}

export interface XmlElement {
  namespace: string;
  name: string;
  attributes: readonly XmlAttribute[];
  children: readonly XmlElement[];
  /** Its own text without that of child elements; comments don't split it. */
  text: string;
  /** Offsets of the start and end of its markup and of its content in the source text. */
  start: number;
  contentStart: number;
  end: number;
  /** Namespaces in scope by prefix, including its own declarations. */
  scope: ReadonlyMap<string, string>;
}

/** The text isn't acceptable XML. The message contains the reason but none of the text. */
export class XmlError extends Error {}

export interface XmlLimits {
  characters: number;
  elements: number;
  /** In the whole document, including namespace declarations. */
  attributes: number;
  /** Namespace prefixes in scope at one element. */
  prefixes: number;
  allowsComments: boolean;
}

/**
 * Limits for messages that a signature library processes afterwards, at a cost that grows faster than their size. They keep it
 * under 50 ms and allow a response with 400 groups. No software writes comments into messages.
 */
export const MESSAGE_LIMITS: XmlLimits = {
  characters: 128 * 1024,
  elements: 500,
  attributes: 1_500,
  prefixes: 32,
  allowsComments: false,
};
/** Limits for metadata, which only this reader processes. */
export const METADATA_LIMITS: XmlLimits = {
  characters: 256 * 1024,
  elements: 2_000,
  attributes: 8_000,
  prefixes: 64,
  allowsComments: true,
};
const MAX_ATTRIBUTES_OF_ONE = 32;
const MAX_DEPTH = 24;

const XML_NAMESPACE = 'http://www.w3.org/XML/1998/namespace';
const declaration =
  /^<\?xml\s+version=(?:"1\.0"|'1\.0')(?:\s+encoding=(?:"utf-8"|'utf-8'))?(?:\s+standalone=(?:"(?:yes|no)"|'(?:yes|no)'))?\s*\?>/i;
const NAME = '[A-Za-z_][\\w.-]{0,127}(?::[A-Za-z_][\\w.-]{0,127})?';
const openTag = new RegExp(`<(${NAME})`, 'y');
const closeTag = new RegExp(`</(${NAME})[ \\t\\n]*>`, 'y');
const attribute = new RegExp(`[ \\t\\n]+(${NAME})[ \\t\\n]*=[ \\t\\n]*(?:"([^"<]*)"|'([^'<]*)')`, 'y');
const tagEnd = /[ \t\n]*(\/?)>/y;
const textRun = /[^<]+/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these characters aren't allowed in XML
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
}

/** Normalizes text like XML: removes the byte order mark and unifies line breaks. */
export function normalizeXml(source: string): string {
  return source.replace(/^\ufeff/, '').replace(/\r\n?/g, '\n');
}

/** Parses a document and returns its root element. Offsets refer to `normalizeXml(source)`. Throws XmlError. */
export function parseXml(source: string, limits: XmlLimits): XmlElement {
  if (source.length > limits.characters) throw new XmlError('too large');
  if (forbidden.test(source) || !source.isWellFormed()) throw new XmlError('forbidden characters');
  return new Reader(normalizeXml(source), limits).read();
}

class Reader {
  readonly #text: string;
  readonly #limits: XmlLimits;
  #at: number;
  #elements = 0;
  #attributes = 0;

  constructor(text: string, limits: XmlLimits) {
    this.#text = text;
    this.#limits = limits;
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
      } else if (this.#text.startsWith('<!--', this.#at)) {
        this.#skipComment();
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

  #skipComment(): void {
    if (!this.#limits.allowsComments) throw new XmlError('comments');
    const end = this.#text.indexOf('--', this.#at + 4);
    if (end < 0 || this.#text[end + 2] !== '>') throw new XmlError('unknown markup');
    this.#at = end + 3;
  }

  #close(open: OpenElement[]): void {
    const tag = this.#match(closeTag)?.[1];
    const opened = open.pop();
    if (tag === undefined || opened?.tag !== tag) throw new XmlError("tags don't match");
    opened.element.end = this.#at;
  }

  #open(open: OpenElement[]): XmlElement {
    const start = this.#at;
    const tag = this.#match(openTag)?.[1];
    if (tag === undefined) throw new XmlError('unknown markup');
    this.#elements += 1;
    if (this.#elements > this.#limits.elements || open.length >= MAX_DEPTH) throw new XmlError('too large');
    const written: [name: string, value: string][] = [];
    for (let found = this.#match(attribute); found !== undefined; found = this.#match(attribute)) {
      this.#attributes += 1;
      const isTooMany = this.#attributes > this.#limits.attributes || written.length >= MAX_ATTRIBUTES_OF_ONE;
      if (isTooMany) throw new XmlError('too large');
      written.push([found[1] ?? '', decode((found[2] ?? found[3] ?? '').replace(/[\t\n]/g, ' '))]);
    }
    const end = this.#match(tagEnd);
    if (end === undefined) throw new XmlError('unknown markup');
    const parent = open.at(-1);
    const scope = declareNamespaces(parent?.element.scope ?? new Map(), written);
    if (scope.size > this.#limits.prefixes) throw new XmlError('too large');
    const element = {
      ...resolve(tag, scope, true),
      attributes: readAttributes(written, scope),
      children: [],
      text: '',
      start,
      contentStart: this.#at,
      end: this.#at,
      scope,
    };
    parent?.element.children.push(element);
    if (end[1] === '') open.push({ tag, element });
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
    if (seen.has(key)) throw new XmlError('duplicate attribute');
    seen.add(key);
    if (!isDeclaration) attributes.push({ ...resolved, value });
  }
  return attributes;
}

/** Returns the value of an attribute without a namespace. */
export function attributeOf(element: XmlElement, name: string): string | undefined {
  return element.attributes.find((one) => one.namespace === '' && one.name === name)?.value;
}

/** Returns the child elements with a name. */
export function childrenOf(element: XmlElement, namespace: string, name: string): XmlElement[] {
  return element.children.filter((child) => child.namespace === namespace && child.name === name);
}

/** Returns the only child element with a name; undefined if there is none or more than one. */
export function onlyChildOf(element: XmlElement | undefined, namespace: string, name: string): XmlElement | undefined {
  const [first, ...others] = element === undefined ? [] : childrenOf(element, namespace, name);
  return others.length === 0 ? first : undefined;
}

/** Yields an element and everything below it, parents first. */
export function* walk(element: XmlElement): Generator<XmlElement> {
  yield element;
  for (const child of element.children) yield* walk(child);
}
