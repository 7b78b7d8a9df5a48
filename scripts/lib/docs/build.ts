// Builds the documentation from docs/ into dist/assets/docs: pages, style, script, search index and images, each also compressed,
// and a manifest for the server.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, normalize } from 'node:path';
import { build, type Plugin } from 'esbuild';
import type { SearchEntry } from '../../../docs/site/search.ts';
import { font } from '../../../src/pages/font.ts';
import { replaceBuild } from '../compressed-files.ts';
import { exclusively } from '../exclusive.ts';
import { distDir, projectDir, readManifest } from '../project.ts';
import { CONTENTS, headingOf, inOrder, type Page, readContents, sitePath } from './contents.ts';
import { ALL_PAGES, type PageToWrite, renderPage, type Site } from './layout.ts';
import { type Rendered, renderCode, renderMarkdown } from './markdown.ts';
import { escapeHtml, relativeLink, textOf } from './markup.ts';
import { buildReference } from './reference.ts';
import { selectTokens } from './tokens.ts';

const siteDir = join(projectDir, 'docs/site');
const tokensFile = join(projectDir, 'src/dashboard/styles/tokens.css');
const assetsDir = join(distDir, 'assets/docs');
/** The page above the pages of the reference. */
const API_PAGE = 'docs/api.md';
/** Files of the project that pages may show besides pages. */
const SHOWN_FILES = /^(?:config\.example\.toml|LICENSE|examples\/[\w./-]+)$/;
/** Text of a section that the search looks at. */
const MOST_CHARACTERS = 2_000;

interface DocsFile {
  type: string;
  etag: string;
  /** Whether the name contains a hash of the content. */
  isNamedByContent: boolean;
}

export interface DocsManifest {
  files: Record<string, DocsFile>;
  /** Whether compressed versions of the texts exist; false in development. */
  isCompressed: boolean;
}

const mediaTypes: Record<string, string> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  png: 'image/png',
};

function hashOf(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('base64url').replaceAll(/[-_]/g, '').slice(0, 12);
}

/** Collects the files of the site by name. */
function collectFiles() {
  const files = new Map<string, Uint8Array>();
  return {
    files,
    /** Adds a file whose name gets a hash of its content. Returns its name. */
    addHashed(name: string, content: Uint8Array): string {
      const hashed = name.replace(/\.(\w+)$/, `-${hashOf(content)}.$1`);
      files.set(hashed, content);
      return hashed;
    },
  };
}

/** Returns width and height from the header of a PNG image. */
function sizeOfPng(content: Buffer): { width: number; height: number } {
  return { width: content.readUInt32BE(16), height: content.readUInt32BE(20) };
}

/** Puts the tokens that the stylesheet uses into it, and links the font at `fontLink`, which is relative to the stylesheet. */
function sharedLook(fontLink: string): Plugin {
  const contents = selectTokens(readFileSync(tokensFile, 'utf8'), readFileSync(join(siteDir, 'site.css'), 'utf8'));
  return {
    name: 'shared-look',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^tokens\.css$/ }, ({ path }) => ({ path, namespace: 'tokens' }));
      onLoad({ filter: /.*/, namespace: 'tokens' }, () => ({ contents, loader: 'css' }));
      onResolve({ filter: /\.woff2$/ }, () => ({ path: fontLink, external: true }));
    },
  };
}

interface SiteOptions {
  /** Whether the site has its own copy of the font. Otherwise it uses that of the server. */
  isStandalone: boolean;
}

/** Renders all pages and returns the files of the site by name. */
async function buildFiles({ isStandalone }: SiteOptions): Promise<Map<string, Uint8Array>> {
  const { files, addHashed } = collectFiles();
  const fontName = basename(font.path);
  if (isStandalone) files.set(`files/${fontName}`, font.content);
  const { outputFiles } = await build({
    absWorkingDir: projectDir,
    entryPoints: { site: 'docs/site/site.ts', reference: 'docs/site/reference.ts', style: 'docs/site/site.css' },
    bundle: true,
    minify: true,
    write: false,
    outdir: 'out',
    format: 'iife',
    target: ['chrome111', 'firefox114', 'safari16.4'],
    logLevel: 'warning',
    plugins: [sharedLook(isStandalone ? `./${fontName}` : `../..${font.path}`)],
  });
  const built = (suffix: string) => outputFiles.find(({ path }) => path.endsWith(suffix))?.contents ?? new Uint8Array();

  const sections = readContents();
  const { pages: reference, index: allOperations } = buildReference(sitePath(API_PAGE));
  for (const { page } of inOrder(sections)) {
    if (page.source === API_PAGE) page.children = reference.map(({ title, path }) => ({ title, path, children: [] }));
  }
  const index: Page = { title: 'Documentation', source: CONTENTS, path: 'index.html', children: [] };
  const markdown = [index, ...inOrder(sections).map(({ page }) => page)].filter(({ source }) => source !== undefined);
  const byFile = new Map(markdown.map(({ source, path }) => [source, path]));
  const shown = new Map<string, string>();

  const pages: Omit<PageToWrite, 'description'>[] = markdown.map(({ source = '', title, path }) => {
    const text = readFileSync(join(projectDir, source), 'utf8');
    const resolve = (target: string): string => {
      if (/^(?:https?:|mailto:|#)/.test(target)) return target;
      const [file = '', anchor] = normalize(join(dirname(source), target)).split('#');
      const found = byFile.get(file) ?? (file === 'docs' ? index.path : sourcePage(file, shown));
      if (found === undefined) throw new Error(`${source} links to ${target}, which isn't a page of the documentation`);
      return relativeLink(path, anchor === undefined ? found : `${found}#${anchor}`);
    };
    const image = (target: string) => {
      const content = readFileSync(join(projectDir, dirname(source), target));
      const name = addHashed(`files/${target.split('/').at(-1)}`, content);
      return { src: relativeLink(path, name), ...sizeOfPng(content) };
    };
    const rendered = renderMarkdown(text, { resolve, image });
    if (source !== API_PAGE) return { path, title, ...rendered };
    const markup = rendered.markup + allOperations.markup;
    return { path, title, markup, headings: [...rendered.headings, ...allOperations.headings] };
  });
  pages.push(...reference);
  for (const [file, path] of shown) pages.push({ path, title: file, ...renderSource(file) });

  // The list of pages would only repeat what leads to them.
  const entries = pages.filter(({ path }) => path !== index.path).flatMap(searchEntries);
  const icon = readFileSync(join(projectDir, 'src/dashboard/icon.svg'));
  const site: Site = {
    sections,
    isStandalone,
    version: readManifest().version,
    files: {
      style: addHashed('files/site.css', built('.css')),
      script: addHashed('files/site.js', built('site.js')),
      reference: addHashed('files/reference.js', built('reference.js')),
      searchIndex: addHashed('files/search.js', Buffer.from(`globalThis.docsIndex=${JSON.stringify(entries)}`)),
      icon: addHashed('files/icon.svg', icon),
    },
  };
  pages.push({ path: ALL_PAGES, title: 'All pages', ...renderAllPages(site, pages) });
  for (const page of pages) {
    const title = page.path === index.path ? headingOf(readFileSync(join(projectDir, CONTENTS), 'utf8')) : page.title;
    files.set(page.path, Buffer.from(renderPage(site, { ...page, title, description: describe(page) })));
  }
  return files;
}

/** Returns the page that shows a file of the project, or undefined if pages may not show it. */
function sourcePage(file: string, shown: Map<string, string>): string | undefined {
  const path = join(projectDir, file);
  if (!SHOWN_FILES.test(file) || !existsSync(path) || !statSync(path).isFile()) return undefined;
  const name = `source/${file.replaceAll('/', '-')}.html`;
  shown.set(file, name);
  return name;
}

function renderSource(file: string): Rendered {
  const text = readFileSync(join(projectDir, file), 'utf8');
  const markup = `<h1 id="file">${escapeHtml(file)}</h1>\n${renderCode(text, '')}`;
  return { markup, headings: [{ depth: 1, id: 'file', text: file }] };
}

/** Returns the first paragraph of a page, at most about 160 characters. */
function describe({ markup, title }: Pick<PageToWrite, 'markup' | 'title'>): string {
  const text = textOf(/<p>([\s\S]*?)<\/p>/.exec(markup)?.[1] ?? title);
  return text.length <= 160 ? text : `${text.slice(0, text.lastIndexOf(' ', 157))} …`;
}

/** Returns an entry for each heading with the text below it. */
function searchEntries({ path, title, markup }: Pick<PageToWrite, 'path' | 'title' | 'markup'>): SearchEntry[] {
  const parts = markup.split(/(?=<h[1-6] id=")/).filter((part) => part.startsWith('<h'));
  return parts.map((part) => {
    const [, depth = '', id = '', heading = ''] = /^<h([1-6]) id="([^"]+)">([\s\S]*?)<\/h\1>/.exec(part) ?? [];
    const below = part
      .slice(part.indexOf(`</h${depth}>`))
      .replaceAll(/<section data-search="no"[\s\S]*?<\/section>/g, '');
    const text = textOf(below).slice(0, MOST_CHARACTERS);
    const name = textOf(heading.replace(/<a class="anchor"[\s\S]*?<\/a>/, ''));
    return [depth === '1' ? path : `${path}#${textOf(id)}`, title, depth === '1' ? '' : name, text];
  });
}

/** Renders the list of all pages with their headings. */
function renderAllPages(site: Site, pages: readonly Pick<PageToWrite, 'path' | 'headings'>[]): Rendered {
  const headings = [{ depth: 1, id: 'all-pages', text: 'All pages' }];
  const parts = [
    '<h1 id="all-pages">All pages</h1>\n<p>Every page with its headings. Find a word with the search of your browser.</p>\n',
  ];
  for (const section of site.sections) {
    const id = `section-${hashOf(section.title)}`;
    headings.push({ depth: 2, id, text: section.title });
    parts.push(`<h2 id="${id}">${escapeHtml(section.title)}</h2>\n<ul class="all-pages">`);
    for (const { page } of inOrder([section])) {
      const own = pages.find(({ path }) => path === page.path)?.headings ?? [];
      const links = own
        .filter(({ depth }) => depth === 2)
        .map((one) => `<li><a href="${page.path}#${escapeHtml(one.id)}">${escapeHtml(one.text)}</a></li>`);
      parts.push(
        `<li><a href="${page.path}"><b>${escapeHtml(page.title)}</b></a><ul class="all-pages-headings">${links.join('')}</ul></li>`,
      );
    }
    parts.push('</ul>\n');
  }
  return { markup: parts.join('').replaceAll('<ul class="all-pages-headings"></ul>', ''), headings };
}

/** Throws if a link of the site leads to a page or heading that doesn't exist. */
function checkLinks(files: ReadonlyMap<string, Uint8Array>): void {
  const anchors = new Map<string, Set<string>>();
  const text = (name: string) => Buffer.from(files.get(name) ?? []).toString('utf8');
  const idsIn = (name: string) => {
    const known =
      anchors.get(name) ?? new Set([...text(name).matchAll(/ id="([^"]+)"/g)].map(([, id = '']) => textOf(id)));
    anchors.set(name, known);
    return known;
  };
  for (const name of files.keys()) {
    if (!name.endsWith('.html')) continue;
    for (const [, link = ''] of text(name).matchAll(/ (?:href|src|action)="([^"]+)"/g)) {
      const target = textOf(link);
      if (/^(?:https?|mailto):/.test(target)) continue;
      const [path = '', anchor] = target.split('#');
      const file = path === '' ? name : normalize(join(dirname(name), path));
      const isThere = files.has(file) && (anchor === undefined || idsIn(file).has(anchor));
      if (!isThere) throw new Error(`${name} links to ${target}, which doesn't exist`);
    }
  }
}

export interface DocsOptions {
  /** Also writes each text compressed. True by default. */
  isCompressed?: boolean;
}

/** Builds the documentation into dist/assets/docs. */
export async function buildDocs({ isCompressed = true }: DocsOptions = {}): Promise<DocsManifest> {
  const built = await buildFiles({ isStandalone: false });
  checkLinks(built);
  const writeCompressed = replaceBuild(assetsDir);
  const files: DocsManifest['files'] = {};
  for (const [name, content] of built) {
    const extension = name.split('.').at(-1) ?? '';
    const target = join(assetsDir, name);
    mkdirSync(dirname(target), { recursive: true });
    if (isCompressed && extension !== 'png') writeCompressed(target, Buffer.from(content));
    else writeFileSync(target, content);
    files[name] = {
      type: mediaTypes[extension] ?? 'application/octet-stream',
      etag: hashOf(content),
      isNamedByContent: name.startsWith('files/'),
    };
  }
  const manifest: DocsManifest = { files, isCompressed };
  writeFileSync(join(assetsDir, 'manifest.json'), JSON.stringify(manifest));
  return manifest;
}

/** Builds the documentation as a folder for any web server. */
export async function exportDocs(folder: string): Promise<number> {
  const files = await buildFiles({ isStandalone: true });
  checkLinks(files);
  rmSync(folder, { recursive: true, force: true });
  for (const [name, content] of files) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  return files.size;
}

/** Builds the documentation for tests, unless a complete build exists that is newer than all its sources. */
export function provideDocs(): Promise<DocsManifest> {
  return exclusively('docs', async () => findFreshDocs() ?? buildDocs());
}

function findFreshDocs(): DocsManifest | undefined {
  const file = join(assetsDir, 'manifest.json');
  if (!existsSync(file)) return undefined;
  const folders = [siteDir, join(projectDir, 'docs'), import.meta.dirname, join(projectDir, 'src')];
  const sources = folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name)),
  );
  const times = [...sources, join(projectDir, 'SECURITY.md')].map((source) => statSync(source).mtimeMs);
  if (times.some((time) => time > statSync(file).mtimeMs)) return undefined;
  const found: DocsManifest = JSON.parse(readFileSync(file, 'utf8'));
  return found.isCompressed === true ? found : undefined;
}
