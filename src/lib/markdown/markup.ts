// Release notes as HTML, for the install pages, emails and the web app.
import { type Html, html, specialUrl } from '../html.ts';
import { type NoteBlock, type NoteInline, readNote } from './notes.ts';

export interface NotesForm {
  /** The elements have their own styles in emails, whose programs support nothing else. Links of pages open a new tab. */
  place: 'page' | 'mail';
  /** About the size of the markup. Longer notes are cut with "…". */
  maxBytes: number;
}

/** Renders release notes. Everything that isn't in the subset is text. Returns null if the note says nothing. */
export function renderNotes(notes: string, form: NotesForm): Html | null {
  const { blocks, isCut } = readNote(notes);
  if (blocks.length === 0) return null;
  const writer = new Writer(form);
  const written = writer.blocks(blocks);
  return isCut && !writer.hasEnd ? html`${written}<p>\u2026</p>` : html`${written}`;
}

/** What an element costs in addition to its text. */
const ELEMENT_BYTES = 20;
const LINK_BYTES = 60;

class Writer {
  readonly #isMail: boolean;
  #left: number;
  #hasEnd = false;

  constructor({ place, maxBytes }: NotesForm) {
    this.#isMail = place === 'mail';
    this.#left = maxBytes;
  }

  get hasEnd(): boolean {
    return this.#hasEnd;
  }

  get #isFull(): boolean {
    return this.#left < 0;
  }

  blocks(blocks: readonly NoteBlock[]): Html[] {
    return this.#each(blocks, (block) => this.#block(block), html`<p>\u2026</p>`);
  }

  /** Writes elements until there is no more room, and then `end`, once for the whole note. */
  #each<T>(nodes: readonly T[], write: (node: T) => Html, end: Html): Html[] {
    const written: Html[] = [];
    for (const node of nodes) {
      if (this.#isFull) return [...written, ...this.#end(end)];
      this.#left -= ELEMENT_BYTES;
      written.push(write(node));
    }
    return written;
  }

  #end(end: Html): Html[] {
    if (this.#hasEnd) return [];
    this.#hasEnd = true;
    return [end];
  }

  #block(block: NoteBlock): Html {
    switch (block.kind) {
      case 'paragraph':
        return html`<p dir="auto">${this.#inlines(block.children)}</p>`;
      case 'heading':
        // Emails have one heading, their subject.
        return this.#isMail
          ? html`<p dir="auto"><strong>${this.#inlines(block.children)}</strong></p>`
          : html`<h3 dir="auto">${this.#inlines(block.children)}</h3>`;
      case 'code':
        return this.#isMail
          ? html`<pre style="margin:16px 0;white-space:pre-wrap;font-family:ui-monospace,Menlo,Consolas,monospace;font-size:14px">${this.#text(block.text)}</pre>`
          : html`<pre dir="ltr"><code>${this.#text(block.text)}</code></pre>`;
      case 'quote':
        return html`<blockquote dir="auto">${this.blocks(block.children)}</blockquote>`;
      case 'list': {
        const items = this.#each(block.items, (item) => html`<li>${this.#item(item)}</li>`, html`<li>\u2026</li>`);
        if (block.start === null) return html`<ul dir="auto">${items}</ul>`;
        return html`<ol dir="auto" start="${block.start}">${items}</ol>`;
      }
    }
  }

  /** The first paragraph of an item has no element of its own, so that short items stay close together. */
  #item(blocks: readonly NoteBlock[]): Html {
    const [first, ...others] = blocks;
    if (first?.kind !== 'paragraph') return html`${this.blocks(blocks)}`;
    return html`${this.#inlines(first.children)}${this.blocks(others)}`;
  }

  #inlines(nodes: readonly NoteInline[]): Html[] {
    return this.#each(nodes, (node) => this.#inline(node), html`\u2026`);
  }

  #inline(node: NoteInline): Html {
    switch (node.kind) {
      case 'text':
        this.#left += ELEMENT_BYTES;
        return html`${this.#text(node.text)}`;
      case 'break':
        return html`<br>\n`;
      case 'code':
        return html`<code>${this.#text(node.text)}</code>`;
      case 'strong':
        return html`<strong>${this.#inlines(node.children)}</strong>`;
      case 'emphasis':
        return html`<em>${this.#inlines(node.children)}</em>`;
      case 'deleted':
        return html`<del>${this.#inlines(node.children)}</del>`;
      case 'link':
        return this.#link(node);
    }
  }

  #link({ href, children }: Extract<NoteInline, { kind: 'link' }>): Html {
    this.#left -= LINK_BYTES + href.length;
    // Half an address leads elsewhere.
    if (this.#isFull) return html`${this.#end(html`\u2026`)}`;
    const target = /^mailto:/i.test(href) ? specialUrl('mailto', href.replace(/^mailto:/i, 'mailto:')) : href;
    const text = this.#inlines(children.length === 0 ? [{ kind: 'text', text: href }] : children);
    return this.#isMail
      ? html`<a class="link" href="${target}" rel="noopener nofollow" style="color:#0f50cc">${text}</a>`
      : html`<a href="${target}" rel="noopener nofollow" target="_blank">${text}</a>`;
  }

  /** Returns as much of the text as there is room for. */
  #text(text: string): string {
    const bytes = markupBytes(text);
    if (bytes <= this.#left) {
      this.#left -= bytes;
      return text;
    }
    let kept = '';
    for (const character of text) {
      this.#left -= markupBytes(character);
      if (this.#isFull) break;
      kept += character;
    }
    this.#hasEnd = true;
    return `${kept.trimEnd()}…`;
  }
}

function markupBytes(text: string): number {
  return Buffer.byteLength(text) + 5 * (text.match(/[&<>"']/g)?.length ?? 0);
}
