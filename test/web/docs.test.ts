// How the documentation is served: to everyone, with caching, below a base path; and what its pages contain.
import { readdirSync, readFileSync } from 'node:fs';
import { type IncomingHttpHeaders, request } from 'node:http';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSearch, type SearchEntry } from '../../docs/site/search.ts';
import { type DocsManifest, provideDocs } from '../../scripts/lib/docs/build.ts';
import { inOrder, readContents } from '../../scripts/lib/docs/contents.ts';
import { contentSecurityPolicy } from '../../scripts/lib/docs/layout.ts';
import { distDir, projectDir } from '../../scripts/lib/project.ts';
import { operations } from '../../src/operations.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';

let fixture: Fixture;
let manifest: DocsManifest;
beforeAll(async () => {
  manifest = await provideDocs();
  fixture = await startFixture();
}, 120_000);
afterAll(() => fixture?.stop());

const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  fetch(new URL(path, fixture.url), { method, headers, redirect: 'manual' });
const textOf = (name: string) => readFileSync(join(distDir, 'assets/docs', name), 'utf8');
const pages = () => Object.keys(manifest.files).filter((name) => name.endsWith('.html'));

describe('the documentation', () => {
  it('is served without a session, with a strict policy', async () => {
    const response = await get('/docs/');
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': `${contentSecurityPolicy(false)}; frame-ancestors 'none'`,
      'cache-control': 'no-cache',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'cross-origin-opener-policy': 'same-origin',
      vary: 'Accept-Encoding',
      etag: expect.stringMatching(/^"\w+(?:\.br|\.gz)?"$/),
      'x-request-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    expect(response.headers.get('set-cookie')).toBeNull();
    expect(await response.text()).toContain('<h1 id="taxiway-documentation">');
  });

  it('returns 304 for the version that the browser has, and each compressed version has its own', async () => {
    const [plain, brotli] = await Promise.all([
      get('/docs/start.html', { 'accept-encoding': 'identity' }),
      get('/docs/start.html', { 'accept-encoding': 'br' }),
    ]);
    const [etag, etagOfBrotli] = [plain, brotli].map(({ headers }) => headers.get('etag') ?? '');
    expect(etagOfBrotli).toBe(etag?.replace(/"$/, '.br"'));
    const again = await get('/docs/start.html', { 'accept-encoding': 'identity', 'if-none-match': `W/${etag}, "x"` });
    expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', etag]);
    const other = await get('/docs/start.html', { 'accept-encoding': 'identity', 'if-none-match': `${etagOfBrotli}` });
    expect(other.status).toBe(200);
  });

  it('returns 304 to a browser that has any version', async () => {
    expect((await get('/docs/start.html', { 'if-none-match': '*' })).status).toBe(304);
  });

  it.each([
    ['br;q=0, gzip;q=0.5', 'gzip'],
    ['br;q=0.0, gzip; q=0', null],
    ['GZIP', 'gzip'],
    ['xbr, x-gzip', null],
    ['gzip;q=1.0, br;q=0.001', 'br'],
  ])('is sent to a browser that accepts %s as %s', async (accepted, coding) => {
    const headers = await new Promise<IncomingHttpHeaders>((resolve, reject) => {
      request(new URL('/docs/ios.html', fixture.url), { headers: { 'accept-encoding': accepted } }, (response) => {
        response.resume().on('end', () => resolve(response.headers));
      })
        .on('error', reject)
        .end();
    });
    expect(headers['content-encoding'] ?? null).toBe(coding);
  });

  it('is compressed with what the browser accepts', async () => {
    const bytes = await new Promise<Buffer>((resolve, reject) => {
      const headers = { 'accept-encoding': 'gzip, br' };
      request(new URL('/docs/ios.html', fixture.url), { headers }, (response) => {
        expect(response.headers['content-encoding']).toBe('br');
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk)).on('end', () => resolve(Buffer.concat(chunks)));
      })
        .on('error', reject)
        .end();
    });
    expect(brotliDecompressSync(bytes).toString()).toBe(textOf('ios.html'));
  });

  it('keeps files with a hash in their names forever', async () => {
    const hashed = Object.entries(manifest.files).filter(([, { isNamedByContent }]) => isNamedByContent);
    expect(hashed.map(([name]) => name.replace(/-\w+\./, '.'))).toEqual(
      expect.arrayContaining([
        'files/site.css',
        'files/site.js',
        'files/search.js',
        'files/icon.svg',
        'files/dashboard.png',
      ]),
    );
    for (const [name, { type }] of hashed) {
      const response = await get(`/docs/${name}`);
      expect([
        name,
        response.status,
        response.headers.get('content-type'),
        response.headers.get('cache-control'),
      ]).toEqual([name, 200, type, 'public, max-age=31536000, immutable']);
    }
  });

  it('responds to HEAD without a body', async () => {
    const response = await get('/docs/ios.html', { 'accept-encoding': 'identity' }, 'HEAD');
    expect([response.status, await response.text()]).toEqual([200, '']);
    expect(Number(response.headers.get('content-length'))).toBe(Buffer.byteLength(textOf('ios.html')));
  });

  it.each([
    ['/docs', '/docs/'],
    ['/docs/ios', '/docs/ios.html'],
    ['/docs/specification', '/docs/specification/'],
    ['/docs/ios/', '/docs/ios.html'],
  ])('leads from %s to %s', async (path, location) => {
    const response = await get(path);
    expect([response.status, response.headers.get('location')]).toEqual([302, location]);
  });

  it('serves the page of a folder at the address of the folder', async () => {
    const response = await get('/docs/specification/');
    expect(response.status).toBe(200);
    expect(await response.text()).toBe(textOf('specification/index.html'));
  });

  it.each([
    '/docs/none.html',
    '/docs/manifest.json',
    '/docs/../server.ts',
    '/docs/ios.html.br',
    '/docs/%00',
    '/docsite',
    '/docs/constructor',
  ])('has nothing at %s', async (path) => {
    expect((await get(path)).status).toBe(404);
  });

  it('only responds to reads', async () => {
    expect((await get('/docs/', {}, 'POST')).status).toBe(404);
  });

  it('is available below a base path', async () => {
    await using below = await startFixture({ config: { server: { base_url: 'http://localhost:0/tools' } } });
    const moved = await fetch(new URL('/tools/docs', below.url), { redirect: 'manual' });
    expect(moved.headers.get('location')).toBe('/tools/docs/');
    expect((await fetch(new URL('/tools/docs/ios.html', below.url))).status).toBe(200);
  });
});

describe('the pages', () => {
  it('contain no inline script or style, and load only files of the site', () => {
    for (const name of pages()) {
      const text = textOf(name);
      expect(text.match(/<style| style="| on\w+="|<script>/i), name).toBeNull();
      const loaded = [...text.matchAll(/<(?:script|img|link|source|iframe)[^>]* (?:src|href)="([^"]+)"/g)].map(
        ([, url]) => url,
      );
      expect(
        loaded.filter((url) => /^(?:\w+:|\/)/.test(url ?? '')),
        name,
      ).toEqual([]);
    }
  });

  it('are all pages in docs/ except those for contributors', () => {
    const listed = inOrder(readContents()).map(({ page }) => page.source);
    const files = readdirSync(join(projectDir, 'docs')).filter((name) => name.endsWith('.md'));
    expect(files.filter((name) => !listed.includes(`docs/${name}`)).sort()).toEqual([
      'README.md',
      'debugging.md',
      'words.md',
    ]);
    const specification = readdirSync(join(projectDir, 'docs/specification')).map(
      (name) => `docs/specification/${name}`,
    );
    expect(specification.filter((name) => !listed.includes(name))).toEqual([]);
  });

  it('describe every public operation', () => {
    const reference = pages()
      .filter((name) => name.startsWith('api/'))
      .map(textOf)
      .join('');
    const missing = operations.filter(
      ({ id, isInternal }) => isInternal !== true && !reference.includes(`<h2 id="${id}">`),
    );
    expect(missing.map(({ id }) => id)).toEqual([]);
  });
});

describe('the search', () => {
  const entries: SearchEntry[] = [
    ['ios.html', 'iOS in four steps', '', 'An iPhone installs a build from a link.'],
    [
      'ios.html#sign',
      'iOS in four steps',
      'Sign the build',
      'Debugging requires Developer Mode on the phone, see server.base_url.',
    ],
    ['testers.html', 'Testers', '', 'People who install builds on iOS and Android.'],
  ];
  const search = createSearch(entries);
  const linksFor = (query: string, limit = 10) => search(query, limit).map(({ link }) => link);

  it('puts titles first, then headings, then text', () => {
    expect(linksFor('ios')).toEqual(['ios.html', 'ios.html#sign', 'testers.html']);
    expect(linksFor('build')[0]).toBe('ios.html#sign');
  });

  it('requires every word, matches beginnings, and ignores punctuation', () => {
    expect(linksFor('dev mode')).toEqual(['ios.html#sign']);
    expect(linksFor('server.base_url')).toEqual(['ios.html#sign']);
    expect(linksFor('mode android')).toEqual([]);
    expect(linksFor('ode')).toEqual([]);
    expect(linksFor(' ?! ')).toEqual([]);
    expect(linksFor('ios', 1)).toHaveLength(1);
  });

  it('marks the matches of the excerpt', () => {
    expect(search('developer', 1)[0]?.excerpt).toEqual([
      'Debugging requires ',
      'Developer',
      ' Mode on the phone, see server.base_url.',
    ]);
  });

  it('finds everything in the index of the site', () => {
    const [name = ''] = Object.keys(manifest.files).filter((file) => /^files\/search-/.test(file));
    const index: SearchEntry[] = JSON.parse(textOf(name).replace('globalThis.docsIndex=', ''));
    expect(index.length).toBeGreaterThan(500);
    expect(index.filter(([link]) => !pages().includes(link.replace(/#.*/, '')))).toEqual([]);
    const found = createSearch(index);
    expect(found('accel_redirect', 1)[0]?.title).toMatch(/Install and upgrade|Configuration|HTTPS/);
    for (const query of ["let's encrypt", 'Let’s Encrypt', 'lets encrypt']) {
      expect(found(query, 1)[0]?.link).toMatch(/^https\.html#acme/);
    }
    expect(found("let's encrypt", 1)[0]?.excerpt).toContain("Let's");
    for (const query of ['2fa', 'self-signed']) expect(found(query, 1), query).toHaveLength(1);
    expect(found('roll back a release', 3).map(({ link }) => link)).toContain('api/releases.html#rollBackRelease');
  });
});
