// Renders a Markdown page of the documentation.
import { Marked, Renderer, type Tokens } from 'marked';
import { anchorOf, escapeHtml, textOf } from './markup.ts';

/** A heading of a page, for its table of contents and the search. */
export interface Heading {
  depth: number;
  id: string;
  text: string;
}

export interface Rendered {
  markup: string;
  /** The heading of the page first. */
  headings: Heading[];
}

export interface Links {
  /** Returns the link for a target of the Markdown, or throws if there is no such page. */
  resolve(target: string): string;
  /** Returns the file and size of an image. */
  image(target: string): { src: string; width: number; height: number };
}

/** Renders a heading with a link to itself. */
export function renderHeading({ depth, id }: Heading, markup: string): string {
  const link = depth === 1 ? '' : ` <a class="anchor" href="#${escapeHtml(id)}" aria-hidden="true" tabindex="-1">#</a>`;
  return `<h${depth} id="${escapeHtml(id)}">${markup}${link}</h${depth}>\n`;
}

/** Renders a table that scrolls on its own if the screen is too narrow for it. */
export function wrapTable(table: string, label: string): string {
  return `<div class="table" role="group" aria-label="${escapeHtml(label)}" tabindex="0">${table}</div>\n`;
}

/** Renders code. It scrolls on its own, so it takes the focus of the keyboard. */
export function renderCode(text: string, language: string): string {
  const data = language === '' ? '' : ` data-language="${escapeHtml(language)}"`;
  return `<div class="code"${data}><pre tabindex="0"><code>${escapeHtml(text)}</code></pre></div>\n`;
}

/** Renders Markdown. Throws for markup other than comments, which the pages don't need. */
export function renderMarkdown(text: string, { resolve, image }: Links): Rendered {
  const headings: Heading[] = [];
  const taken = new Map<string, number>();
  let tables = 0;

  class PageRenderer extends Renderer {
    override heading({ tokens, depth, text: source }: Tokens.Heading): string {
      const markup = this.parser.parseInline(tokens);
      const anchor = anchorOf(source);
      const count = taken.get(anchor) ?? 0;
      taken.set(anchor, count + 1);
      const heading = { depth, id: count === 0 ? anchor : `${anchor}-${count}`, text: textOf(markup) };
      headings.push(heading);
      return renderHeading(heading, markup);
    }
    override code({ text: source, lang = '' }: Tokens.Code): string {
      return renderCode(source, lang.split(' ')[0] ?? '');
    }
    override table(token: Tokens.Table): string {
      tables += 1;
      const table = super.table(token).replaceAll('<th></th>', '<td></td>');
      return wrapTable(table, `Table ${tables}: ${headings.at(-1)?.text ?? ''}`);
    }
    override link({ href, tokens }: Tokens.Link): string {
      return `<a href="${escapeHtml(resolve(href))}">${this.parser.parseInline(tokens)}</a>`;
    }
    override image({ href, text: alt }: Tokens.Image): string {
      const { src, width, height } = image(href);
      return `<img src="${escapeHtml(src)}" alt="${escapeHtml(alt)}" width="${width}" height="${height}" decoding="async">`;
    }
    override html({ text: source }: Tokens.HTML | Tokens.Tag): string {
      if (/^\s*<!--[\s\S]*-->\s*$/.test(source)) return '';
      throw new Error(`Write Markdown instead of markup: ${source.slice(0, 80)}`);
    }
  }
  const markup = new Marked().parse(text, { renderer: new PageRenderer(), async: false });
  return { markup, headings };
}
