// Reads pages of documentation: headings with their anchors, and tables below them.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export const root = join(import.meta.dirname, '../..');

/** The text of a page, by its path from the root of the repository. */
export const readPage = (path: string): string => readFileSync(join(root, path), 'utf8');

/** The anchors of a page's headings, as code forges derive them. */
export function anchorsIn(text: string): string[] {
  const withoutCode = text.replace(/^```.*?^```/gms, '');
  return [...withoutCode.matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

/** The rows of the first table below a heading of docs/specification, without its header; cells without backticks. */
export function tableIn(page: string, heading?: string): string[][] {
  const text = readPage(`docs/specification/${page}.md`);
  const start = heading === undefined ? 0 : new RegExp(`^#+ ${heading}$`, 'm').exec(text)?.index;
  if (start === undefined) throw new Error(`${page} has no heading ${heading}`);
  const [table] = /^\|.*\n\|[-|]+\|\n(?:\|.*\n)*/m.exec(text.slice(start)) ?? [];
  if (table === undefined) throw new Error(`${page} has no table below ${heading}`);
  const rows = table.trim().split('\n').slice(2);
  return rows.map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim().replaceAll('`', '')),
  );
}
