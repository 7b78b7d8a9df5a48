// Markup that cannot be broken out of: every value put into `html` is escaped for the place where it stands.

/** Finished markup. Only this file makes it. */
export class Html {
  readonly #markup: string;
  constructor(key: symbol, markup: string) {
    if (key !== maker) throw new TypeError('Html is made by the html template alone');
    this.#markup = markup;
  }
  /** The markup of a server that lies under a path of its host, '' for none: before addresses on it stands that path. */
  under(base: string): string {
    return this.#markup.replaceAll(OWN_ADDRESS, escapeText(base));
  }
  toString(): string {
    return this.under('');
  }
  /** The markup as a part of other markup. */
  inside(key: symbol): string {
    if (key !== maker) throw new TypeError('Markup goes into other markup by the html template alone');
    return this.#markup;
  }
}

/** An address with a scheme other than http and https, made by the functions below alone. */
export class SpecialUrl {
  readonly #address: string;
  constructor(key: symbol, address: string) {
    if (key !== maker) throw new TypeError('SpecialUrl is made by specialUrl alone');
    this.#address = address;
  }
  toString(): string {
    return this.#address;
  }
}

const maker = Symbol('maker');

/** Stands before an address on this server. No value can hold it: escaping takes it out. */
const OWN_ADDRESS = '\ufffe';

export type HtmlValue = string | number | Html | SpecialUrl | readonly Html[] | null | undefined | false;

const urlAttributes = new Set([
  'href',
  'src',
  'action',
  'formaction',
  'poster',
  'cite',
  'data',
  'ping',
  'srcset',
  'xlink:href',
]);

/** Where an address stands that was refused. */
const refusedAddress = 'about:invalid';

/**
 * Template tag for markup. A value may stand between tags or within a double-quoted attribute and is escaped;
 * `Html` is taken as it is, between tags only; null, undefined and false vanish. In an address attribute a value must be
 * the whole address: http, https, a path on this server, a place on this page, or a `SpecialUrl`. A template that puts a
 * value elsewhere throws, and so does one that holds a path on this server itself: only values get the path of base_url.
 */
export function html(literals: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  const place: Place = { kind: 'text', tag: '', written: '' };
  let markup = '';
  for (const [index, literal] of literals.entries()) {
    move(place, literal);
    markup += literal;
    if (index < values.length) markup += write(place, values[index]);
  }
  if (place.kind !== 'text') throw new TypeError('A template ends inside a tag');
  return new Html(maker, markup);
}

/** Marks an address of a scheme that the caller has built itself. */
export function specialUrl(
  scheme: 'itms-services' | 'x-safari-https' | 'x-safari-http' | 'intent',
  address: string,
): SpecialUrl {
  if (!address.startsWith(`${scheme}:`)) throw new TypeError(`The address is not of the scheme ${scheme}`);
  return new SpecialUrl(maker, address);
}

/** A tag that loads a script from an address; what it may load, the page's content security policy says. */
export function scriptTag(address: string): Html {
  return new Html(maker, `<script src="${writeAddress(address)}" defer></script>\n`);
}

interface Place {
  kind: 'text' | 'tag' | 'attribute';
  tag: string;
  written: string;
}

function move(place: Place, literal: string): void {
  if (/<(?:script|style|!--)/i.test(literal)) throw new TypeError('Templates hold no scripts, styles or comments');
  if (/\s(?:href|src|action|formaction|poster)="\//i.test(literal))
    throw new TypeError('Own addresses stand as values');
  for (const character of literal) {
    if (place.kind === 'text') {
      if (character === '<') Object.assign(place, { kind: 'tag', tag: '' });
    } else if (place.kind === 'attribute') {
      if (character === '"') place.kind = 'tag';
      else place.written += character;
    } else if (character === '>') {
      place.kind = 'text';
    } else if (character === '"') {
      Object.assign(place, { kind: 'attribute', written: '' });
    } else {
      if (character === "'") throw new TypeError('Attributes stand in double quotes');
      place.tag += character;
    }
  }
}

function write(place: Place, value: HtmlValue): string {
  if (place.kind === 'tag') throw new TypeError('A value stands inside a tag, outside the quotes of an attribute');
  if (place.kind === 'attribute') return writeAttribute(place, value);
  if (value === null || value === undefined || value === false) return '';
  if (value instanceof Html) return value.inside(maker);
  if (typeof value === 'object' && !(value instanceof SpecialUrl))
    return value.map((one: Html) => one.inside(maker)).join('');
  return escapeText(String(value));
}

function writeAttribute(place: Place, value: HtmlValue): string {
  const name = /([^\s=]+)=$/.exec(place.tag)?.[1]?.toLowerCase() ?? '';
  if (name === '' || name === 'style' || name === 'srcdoc' || name.startsWith('on')) {
    throw new TypeError(`No value may stand in the attribute "${name}"`);
  }
  if (value instanceof Html || Array.isArray(value)) throw new TypeError('Markup cannot stand in an attribute');
  const isFirst = place.written === '';
  place.written += ' ';
  if (!urlAttributes.has(name))
    return value === null || value === undefined || value === false ? '' : escapeText(String(value));
  if (!isFirst) throw new TypeError('A value must be the whole address');
  return value instanceof SpecialUrl ? escapeText(value.toString()) : writeAddress(value);
}

function writeAddress(value: unknown): string {
  const address = checkAddress(value);
  return `${address.startsWith('/') ? OWN_ADDRESS : ''}${escapeText(address)}`;
}

function checkAddress(value: unknown): string {
  if (typeof value !== 'string') return refusedAddress;
  // Browsers drop tabs and line breaks inside an address and read a backslash as a slash.
  if (/[\p{Cc}\s\\]/u.test(value)) return refusedAddress;
  return /^(?:https?:\/\/[^/]|\/(?!\/)|#)/i.test(value) ? value : refusedAddress;
}

/** Text for a place between tags or in a quoted attribute. Controls other than tab and line break vanish. */
function escapeText(text: string): string {
  return text
    .toWellFormed()
    .replace(/(?![\t\n])[\p{Cc}\ufffe\uffff]/gu, '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}
