// Small helpers for the markup of the documentation.
import { posix } from 'node:path';

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** Returns the text of markup, without tags and with single spaces. */
export function textOf(markup: string): string {
  return markup
    .replace(/<[^>]+>/g, ' ')
    .replace(/&(?:#(\d+)|(amp|lt|gt|quot));/g, (_, code: string | undefined, name: string) =>
      code === undefined
        ? ({ amp: '&', lt: '<', gt: '>', quot: '"' }[name] ?? ' ')
        : String.fromCodePoint(Number(code)),
    )
    .replace(/\s+/g, ' ')
    .trim();
}

/** Returns the anchor of a heading, as code forges derive it from its Markdown. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}

/** Returns the relative link from one file of the site to another one, which may have an anchor. */
export function relativeLink(from: string, to: string): string {
  const [path = '', anchor] = to.split('#');
  const fragment = anchor === undefined ? '' : `#${anchor}`;
  if (path === from) return fragment === '' ? posix.basename(path) : fragment;
  return `${posix.relative(posix.dirname(from), path)}${fragment}`;
}
