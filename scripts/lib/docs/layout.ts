// The frame of a documentation page: header, navigation, page, table of contents.
import { inOrder, type Page, type Section } from './contents.ts';
import type { Rendered } from './markdown.ts';
import { escapeHtml, relativeLink } from './markup.ts';

/**
 * Everything from this site, nothing inline. `frame-ancestors` works in the header of the server only. On a Taxiway server, the
 * reference of the API sends requests to it.
 */
export function contentSecurityPolicy(isStandalone: boolean): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "font-src 'self'",
    ...(isStandalone ? [] : ["connect-src 'self'"]),
    "base-uri 'none'",
    "form-action 'self'",
  ].join('; ');
}

/** The page that lists all pages and their headings. The search leads there in browsers without scripts. */
export const ALL_PAGES = 'all-pages.html';

export interface Site {
  sections: readonly Section[];
  version: string;
  /** Files with a hash in their names, by their purpose. */
  files: { style: string; script: string; reference: string; searchIndex: string; icon: string };
  /** Whether the pages are for any web server. Those of a Taxiway server can send requests to it. */
  isStandalone: boolean;
}

export interface PageToWrite extends Rendered {
  path: string;
  title: string;
  /** One sentence for search engines and link previews. */
  description: string;
}

export function renderPage(site: Site, { path, title, description, markup, headings }: PageToWrite): string {
  const to = (target: string) => escapeHtml(relativeLink(path, target));
  const { files, sections, version, isStandalone } = site;
  const isReference = path === 'api.html' || path.startsWith('api/');
  const server = isStandalone ? '' : ' data-server';
  const pages = inOrder(sections);
  const root = '../'.repeat(path.split('/').length - 1);
  const at = pages.findIndex(({ page }) => page.path === path);
  const neighbor = (name: string, found: { page: Page } | undefined) =>
    found === undefined
      ? ''
      : `<a class="${name.toLowerCase()}" href="${to(found.page.path)}"><span class="direction">${name}</span>${escapeHtml(found.page.title)}</a>`;
  const neighbors = at < 0 ? '' : `${neighbor('Previous', pages[at - 1])}${neighbor('Next', pages[at + 1])}`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${escapeHtml(contentSecurityPolicy(isStandalone))}">
<meta name="color-scheme" content="light dark">
<meta name="description" content="${escapeHtml(description)}">
<title>${escapeHtml(title)} · Taxiway documentation</title>
<link rel="icon" href="${to(files.icon)}" type="image/svg+xml">
<link rel="stylesheet" href="${to(files.style)}">
<script src="${to(files.script)}" data-index="${to(files.searchIndex)}" data-root="${root}" defer></script>${isReference ? `\n<script src="${to(files.reference)}" data-root="${root}"${server} defer></script>` : ''}
</head>
<body>
<a class="skip" href="#content">Skip to content</a>
<header class="bar">
<button class="menu" type="button" popovertarget="navigation">Menu</button>
<a class="brand" href="${to('index.html')}" aria-label="Taxiway documentation"><img src="${to(files.icon)}" alt="" width="24" height="24"><span>Taxiway <b>documentation</b></span></a>
<form class="search" action="${to(ALL_PAGES)}" role="search">
<input type="search" name="q" placeholder="Search" aria-label="Search the documentation" autocomplete="off" spellcheck="false">
</form>
</header>
<div class="frame">
<nav id="navigation" class="navigation" aria-label="Documentation" popover>
${sections.map((section) => renderSection(section, path)).join('\n')}
<p class="version">Version ${escapeHtml(version)} · <a href="${to(ALL_PAGES)}"${path === ALL_PAGES ? ' aria-current="page"' : ''}>All pages</a></p>
</nav>
<main id="content" tabindex="-1">
<article>
${markup}</article>
${neighbors === '' ? '' : `<nav class="neighbors" aria-label="Previous and next page">${neighbors}</nav>`}
</main>
${renderToc(headings)}
</div>
</body>
</html>
`;
}

function renderSection({ title, pages }: Section, path: string): string {
  const link = ({ title: name, path: target }: Page) =>
    `<a href="${escapeHtml(relativeLink(path, target))}"${target === path ? ' aria-current="page"' : ''}>${escapeHtml(name)}</a>`;
  const item = (page: Page): string => {
    const isHere = [page, ...page.children].some((one) => one.path === path);
    const below = isHere && page.children.length > 0 ? `<ul>${page.children.map(item).join('')}</ul>` : '';
    return `<li>${link(page)}${below}</li>`;
  };
  return `<p class="section">${escapeHtml(title)}</p>\n<ul>${pages.map(item).join('')}</ul>`;
}

function renderToc(headings: Rendered['headings']): string {
  const shown = headings.filter(({ depth }) => depth === 2 || depth === 3);
  if (shown.length < 2) return '';
  const items = shown.map(
    ({ depth, id, text }) => `<li class="depth-${depth}"><a href="#${escapeHtml(id)}">${escapeHtml(text)}</a></li>`,
  );
  return `<nav class="toc" aria-label="On this page"><p>On this page</p><ul>${items.join('')}</ul></nav>`;
}
