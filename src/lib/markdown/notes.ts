// Reads release notes as a small subset of Markdown (docs/specification/release-notes.md). markdown-it finds the structure; the
// tree below is all that can be rendered, so nothing else in a note can become markup.
import MarkdownIt, { type Token } from 'markdown-it';
import { MAX_RELEASE_NOTES } from './notes-limit.ts';

export type NoteInline =
  | { kind: 'text'; text: string }
  | { kind: 'break' }
  | { kind: 'code'; text: string }
  | { kind: 'strong' | 'emphasis' | 'deleted'; children: NoteInline[] }
  /** `href` is a normalized address with the scheme http, https or mailto. */
  | { kind: 'link'; href: string; children: NoteInline[] };

export type NoteBlock =
  | { kind: 'paragraph' | 'heading'; children: NoteInline[] }
  | { kind: 'code'; text: string }
  | { kind: 'quote'; children: NoteBlock[] }
  /** `start` is the number of the first item; null for bullets. */
  | { kind: 'list'; start: number | null; items: NoteBlock[][] };

/** Elements and texts of a tree; the rest of the note is left out. */
const MAX_NODES = 2_000;
/** Levels of lists and quotes. markdown-it counts a list and its item as two levels. */
const MAX_BLOCK_LEVELS = 16;
const MAX_INLINE_LEVELS = 8;
const MAX_HREF_LENGTH = 2_000;
/** Further lines are left out. */
const MAX_LINES = 1_000;
/** Every opening bracket can look for its end up to the end of the note. */
const MAX_BRACKETS = 200;
/** Each of these characters can begin or end something. */
const MAX_MARKS = 1_000;

type Parser = InstanceType<typeof MarkdownIt>;

/** Creates a parser with some rules of markdown-it. Everything else stays text: HTML, images, tables, references. */
function createParser(rules: readonly string[]): Parser {
  const parser = new MarkdownIt('zero', { maxNesting: MAX_BLOCK_LEVELS });
  parser.enable([...rules]);
  parser.validateLink = isAllowedAddress;
  return parser;
}

const blockRules = ['heading', 'list', 'blockquote', 'fence', 'newline'];
const inlineRules = ['escape', 'entity', 'backticks', 'emphasis', 'strikethrough', 'link', 'autolink'];
const fullParser = createParser([...blockRules, ...inlineRules]);
const blockParser = createParser(blockRules);

/** Returns the parser for a note. Notes with very many marks have only paragraphs and lists, so that they don't take longer. */
function parserFor(source: string): Parser {
  let brackets = 0;
  let marks = 0;
  for (const character of source) {
    if (character === '[') brackets += 1;
    else if ('*_~`<&\\'.includes(character)) marks += 1;
  }
  return brackets > MAX_BRACKETS || marks > MAX_MARKS ? blockParser : fullParser;
}

/** Reads a note. `isCut` means that its end is missing, because it is longer than the limits allow. Never throws. */
export function readNote(notes: string): { blocks: NoteBlock[]; isCut: boolean } {
  const { source, isCut } = prepare(notes);
  const builder = new TreeBuilder();
  builder.build(parserFor(source).parse(source, {}));
  return { blocks: builder.blocks, isCut: isCut || builder.isFull };
}

function isAllowedAddress(address: string): boolean {
  // Browsers ignore tabs and line breaks in a URL and read a backslash as a slash.
  if (address.length > MAX_HREF_LENGTH || /[\p{Cc}\p{Cf}\s\\"'<>`]/u.test(address)) return false;
  return /^(?:https?:\/\/[^/?#]|mailto:[^/@]+@[^/@])/i.test(address);
}

/** Returns what is read of a note. All bullets become the same, because another one would begin another list. */
function prepare(notes: string): { source: string; isCut: boolean } {
  const lines = notes
    .slice(0, MAX_RELEASE_NOTES)
    .toWellFormed()
    // Programs on Windows begin text files with it.
    .replace(/^\ufeff/, '')
    .split(/\r\n?|\n/);
  let isCode = false;
  const source = lines
    .slice(0, MAX_LINES)
    .map((line) => {
      if (/^\s*(?:```|~~~)/.test(line)) isCode = !isCode;
      return isCode ? line : line.replace(/^(\s*)[*+\u2022\u2013](?=\s+\S)/, '$1-');
    })
    .join('\n');
  return { source, isCut: notes.length > MAX_RELEASE_NOTES || lines.length > MAX_LINES };
}

/** Returns text without the characters that change the direction of what follows, and other control characters. */
function cleanText(text: string): string {
  return text.replace(/(?![\t\n])[\p{Cc}\u202a-\u202e\u2066-\u2069\ufeff\ufffe\uffff]/gu, '');
}

type Open = { kind: 'blocks'; children: NoteBlock[] } | { kind: 'list'; items: NoteBlock[][] };

class TreeBuilder {
  readonly blocks: NoteBlock[] = [];
  isFull = false;
  #nodes = 0;
  readonly #open: Open[] = [{ kind: 'blocks', children: this.blocks }];

  build(tokens: readonly Token[]): void {
    for (const token of tokens) {
      if (this.isFull) return;
      this.#addBlock(token);
    }
  }

  #addBlock(token: Token): void {
    switch (token.type) {
      case 'paragraph_open':
      case 'heading_open':
        this.#append({ kind: token.type === 'paragraph_open' ? 'paragraph' : 'heading', children: [] });
        return;
      case 'inline': {
        const block = this.#children.at(-1);
        if (block?.kind === 'paragraph' || block?.kind === 'heading') this.#addInlines(token.children ?? [], block);
        return;
      }
      case 'fence':
        this.#append({ kind: 'code', text: cleanText(token.content).trimEnd() });
        return;
      case 'blockquote_open': {
        const quote: NoteBlock = { kind: 'quote', children: [] };
        this.#append(quote);
        this.#open.push({ kind: 'blocks', children: quote.children });
        return;
      }
      case 'bullet_list_open':
      case 'ordered_list_open': {
        const start = token.type === 'bullet_list_open' ? null : Number(token.attrGet('start') ?? 1);
        const list: NoteBlock = { kind: 'list', start, items: [] };
        this.#append(list);
        this.#open.push({ kind: 'list', items: list.items });
        return;
      }
      case 'list_item_open': {
        const list = this.#open.at(-1);
        const children: NoteBlock[] = [];
        if (list?.kind === 'list') list.items.push(children);
        this.#count();
        this.#open.push({ kind: 'blocks', children });
        return;
      }
      case 'blockquote_close':
      case 'bullet_list_close':
      case 'ordered_list_close':
      case 'list_item_close':
        this.#open.pop();
    }
  }

  get #children(): NoteBlock[] {
    const open = this.#open.at(-1);
    return open?.kind === 'blocks' ? open.children : [];
  }

  #append(block: NoteBlock): void {
    this.#children.push(block);
    this.#count();
  }

  #count(): void {
    this.#nodes += 1;
    this.isFull = this.#nodes >= MAX_NODES;
  }

  #addInlines(tokens: readonly Token[], block: { children: NoteInline[] }): void {
    const open: NoteInline[][] = [block.children];
    let links = 0;
    for (const token of tokens) {
      if (this.isFull) return;
      const children = open.at(-1) ?? block.children;
      if (token.type === 'link_open') links += 1;
      if (token.type === 'link_close') links -= 1;
      if (token.nesting === 1) open.push(this.#openInline(token, children, open.length));
      else if (token.nesting === -1) open.pop();
      else for (const node of readLeaf(token, links > 0)) this.#appendInline(children, node);
    }
  }

  /** Adds the element that a token opens. Returns where its content belongs: beside it, if it's nested too deeply. */
  #openInline(token: Token, siblings: NoteInline[], level: number): NoteInline[] {
    const element = level > MAX_INLINE_LEVELS ? undefined : toElement(token);
    if (element === undefined) return siblings;
    // An image is a link to it.
    const before = siblings.at(-1);
    if (element.kind === 'link' && before?.kind === 'text') before.text = before.text.replace(/!$/, '');
    this.#appendInline(siblings, element);
    return element.children;
  }

  #appendInline(siblings: NoteInline[], node: NoteInline): void {
    siblings.push(node);
    this.#count();
  }
}

/** Returns the nodes of a token without children. */
function readLeaf(token: Token, isInLink: boolean): NoteInline[] {
  const text = cleanText(token.content);
  if (token.type === 'code_inline') return [{ kind: 'code', text }];
  if (token.type === 'softbreak' || token.type === 'hardbreak') return [{ kind: 'break' }];
  if (token.content === '') return [];
  return isInLink ? [{ kind: 'text', text }] : findAddresses(text);
}

function toElement(token: Token): Extract<NoteInline, { children: NoteInline[] }> | undefined {
  switch (token.type) {
    case 'strong_open':
      return { kind: 'strong', children: [] };
    case 'em_open':
      return { kind: 'emphasis', children: [] };
    case 's_open':
      return { kind: 'deleted', children: [] };
    case 'link_open':
      return { kind: 'link', href: String(token.attrGet('href') ?? ''), children: [] };
    default:
      return undefined;
  }
}

/** Returns text with links where addresses are written out. */
function findAddresses(text: string): NoteInline[] {
  const nodes: NoteInline[] = [];
  let end = 0;
  for (const match of text.matchAll(/(?<![\p{L}\p{N}])https?:\/\/[^\s<>"'`\\]+/giu)) {
    // A sentence may end behind the address, or a parenthesis that began before it.
    const written = withoutPunctuation(match[0].slice(0, MAX_HREF_LENGTH + 1));
    if (!isAllowedAddress(written)) continue;
    if (match.index > end) nodes.push({ kind: 'text', text: text.slice(end, match.index) });
    nodes.push({ kind: 'link', href: written, children: [{ kind: 'text', text: written }] });
    end = match.index + written.length;
  }
  if (end < text.length) nodes.push({ kind: 'text', text: text.slice(end) });
  return nodes;
}

/** Returns text without the punctuation at its end. A regular expression would begin again at each mark inside of the text. */
function withoutPunctuation(text: string): string {
  let end = text.length;
  while (end > 0 && '.,;:!?)]}*_~'.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}
