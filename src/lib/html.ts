// HTML without injection: every value in an `html` template is escaped for its position.

/** Finished markup. Only this file creates it. */
export class Html {
  readonly #markup: string;
  constructor(key: symbol, markup: string) {
    if (key !== maker) throw new TypeError('Only the html template can create Html');
    this.#markup = markup;
  }
  /** Returns the markup for a server below a base path, '' for none. The path is added in front of the server's own URLs. */
  withBasePath(base: string): string {
    return this.#markup.replaceAll(OWN_URL_MARK, escapeText(base));
  }
  toString(): string {
    return this.withBasePath('');
  }
  /** Returns the markup for insertion into other markup. */
  toInnerMarkup(key: symbol): string {
    if (key !== maker) throw new TypeError('Only the html template can insert markup into other markup');
    return this.#markup;
  }
}

/** A URL with a scheme other than http and https. Only the functions below create it. */
export class SpecialUrl {
  readonly #address: string;
  constructor(key: symbol, address: string) {
    if (key !== maker) throw new TypeError('Only specialUrl can create SpecialUrl');
    this.#address = address;
  }
  toString(): string {
    return this.#address;
  }
}

const maker = Symbol('maker');

/** Marks the server's own URLs in markup. No value can contain it, because escaping removes it. */
const OWN_URL_MARK = '\ufffe';

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

/** Replaces a rejected URL. */
const refusedAddress = 'about:invalid';

/**
 * Template tag for HTML. Values are allowed between tags and in double-quoted attributes, and are escaped; `Html` is inserted
 * unchanged, only between tags; null, undefined and false produce nothing. In a URL attribute a value must be the whole URL:
 * http, https, a path on this server, a fragment, or a `SpecialUrl`. Throws a TypeError for values in other positions, and for
 * literals that contain a path on this server, because only values get the base path.
 */
export function html(literals: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  const place: Place = { kind: 'text', tag: '', written: '' };
  let markup = '';
  for (const [index, literal] of literals.entries()) {
    move(place, literal);
    markup += literal;
    if (index < values.length) markup += write(place, values[index]);
  }
  if (place.kind !== 'text') throw new TypeError('The template ends inside a tag');
  return new Html(maker, markup);
}

/** Marks a URL with a special scheme as safe. The caller must have built it itself. */
export function specialUrl(
  scheme: 'itms-services' | 'x-safari-https' | 'x-safari-http' | 'intent' | 'mailto',
  address: string,
): SpecialUrl {
  if (!address.startsWith(`${scheme}:`)) throw new TypeError(`The URL must have the scheme ${scheme}`);
  return new SpecialUrl(maker, address);
}

/** Returns a script tag. The page's content security policy must allow the URL. */
export function scriptTag(address: string): Html {
  return new Html(maker, `<script src="${writeAddress(address)}" defer></script>\n`);
}

/** Returns a style element. `css` must be a constant of the program. */
export function styleTag(css: string): Html {
  if (css.includes('<')) throw new TypeError("Styles can't contain markup");
  return new Html(maker, `<style>${css}</style>\n`);
}

interface Place {
  kind: 'text' | 'tag' | 'attribute';
  tag: string;
  written: string;
}

function move(place: Place, literal: string): void {
  if (/<(?:script|style|!--)/i.test(literal))
    throw new TypeError("Templates can't contain scripts, styles or comments");
  if (/\s(?:href|src|action|formaction|poster)="\//i.test(literal))
    throw new TypeError('Paths on this server must be values');
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
      if (character === "'") throw new TypeError('Attributes must be in double quotes');
      place.tag += character;
    }
  }
}

function write(place: Place, value: HtmlValue): string {
  if (place.kind === 'tag') throw new TypeError('Values inside a tag must be in a quoted attribute');
  if (place.kind === 'attribute') return writeAttribute(place, value);
  if (value === null || value === undefined || value === false) return '';
  if (value instanceof Html) return value.toInnerMarkup(maker);
  if (typeof value === 'object' && !(value instanceof SpecialUrl))
    return value.map((one: Html) => one.toInnerMarkup(maker)).join('');
  return escapeText(String(value));
}

function writeAttribute(place: Place, value: HtmlValue): string {
  const name = /([^\s=]+)=$/.exec(place.tag)?.[1]?.toLowerCase() ?? '';
  if (name === '' || name === 'style' || name === 'srcdoc' || name.startsWith('on')) {
    throw new TypeError(`Values aren't allowed in the attribute "${name}"`);
  }
  if (value instanceof Html || Array.isArray(value)) throw new TypeError("Markup isn't allowed in an attribute");
  const isFirst = place.written === '';
  place.written += ' ';
  if (!urlAttributes.has(name))
    return value === null || value === undefined || value === false ? '' : escapeText(String(value));
  if (!isFirst) throw new TypeError('A value must be the whole URL');
  return value instanceof SpecialUrl ? escapeText(value.toString()) : writeAddress(value);
}

function writeAddress(value: unknown): string {
  const address = checkAddress(value);
  return `${address.startsWith('/') ? OWN_URL_MARK : ''}${escapeText(address)}`;
}

function checkAddress(value: unknown): string {
  if (typeof value !== 'string') return refusedAddress;
  // Browsers ignore tabs and line breaks in a URL and read a backslash as a slash.
  if (/[\p{Cc}\s\\]/u.test(value)) return refusedAddress;
  return /^(?:https?:\/\/[^/]|\/(?!\/)|#)/i.test(value) ? value : refusedAddress;
}

/** Escapes text for element content and quoted attributes. Removes control characters other than tab and line break. */
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
