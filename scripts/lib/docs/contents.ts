// The pages of the documentation, in the order of docs/README.md: its headings are sections, its links are pages.
import { readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { projectDir } from '../project.ts';

/** A page of the documentation. */
export interface Page {
  /** The name in the navigation. */
  title: string;
  /** The Markdown file, relative to the project. Undefined for pages that are generated from other sources. */
  source?: string;
  /** The file on the site, relative to its root. */
  path: string;
  /** Pages below it, which the navigation shows when the reader is there. */
  children: Page[];
}

export interface Section {
  title: string;
  pages: Page[];
}

export const CONTENTS = 'docs/README.md';

/** Returns the file on the site for a Markdown file of the project. */
export function sitePath(source: string): string {
  const name = source.replace(/^docs\//, '').replace(/\.md$/, '');
  return `${name.replace(/(^|\/)README$/, '$1index').toLowerCase()}.html`;
}

/** Returns the links to Markdown files below a heading, or of a whole text: the title and the file, relative to the project. */
function linksIn(text: string, file: string): { title: string; source: string }[] {
  const links = [...text.matchAll(/^(?:- |\| )\[([^\]]+)\]\(([^)#\s]+\.md)\)/gm)];
  return links.map(([, title = '', target = '']) => ({ title, source: normalize(join(dirname(file), target)) }));
}

/** Returns the first heading of a page. */
export function headingOf(text: string): string {
  const [, heading] = /^# (.+)$/m.exec(text) ?? [];
  if (heading === undefined) throw new Error(`The page has no heading: ${text.slice(0, 80)}`);
  return heading;
}

/** Reads the sections. A page that is called README lists the pages of its folder, which become its children. */
export function readContents(): Section[] {
  const parts = readFileSync(join(projectDir, CONTENTS), 'utf8').split(/^## /m).slice(1);
  return parts.map((part) => ({
    title: part.slice(0, part.indexOf('\n')),
    pages: linksIn(part, CONTENTS).map(({ title, source }) => ({
      title,
      source,
      path: sitePath(source),
      children: source.endsWith('/README.md') ? readChildren(source) : [],
    })),
  }));
}

function readChildren(list: string): Page[] {
  return linksIn(readFileSync(join(projectDir, list), 'utf8'), list).map(({ source }) => ({
    title: headingOf(readFileSync(join(projectDir, source), 'utf8')),
    source,
    path: sitePath(source),
    children: [],
  }));
}

/** Returns every page with its section, in reading order. */
export function inOrder(sections: readonly Section[]): { page: Page; parent: Page | undefined; section: Section }[] {
  return sections.flatMap((section) =>
    section.pages.flatMap((page) => [
      { page, parent: undefined, section },
      ...page.children.map((child) => ({ page: child, parent: page, section })),
    ]),
  );
}
