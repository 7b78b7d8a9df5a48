// The font of all pages: one file, which the phone pages, the reference of the API, the web app and the documentation link to.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { provideDashboard } from '../../scripts/lib/dashboard.ts';
import { exportDocs, provideDocs } from '../../scripts/lib/docs/build.ts';
import { selectTokens } from '../../scripts/lib/docs/tokens.ts';
import { projectDir } from '../../scripts/lib/project.ts';
import { FONT_FILE } from '../../src/lib/assets.ts';
import { font, fontRule } from '../../src/pages/font.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';

let fixture: Fixture;
beforeAll(async () => {
  await Promise.all([provideDashboard(), provideDocs()]);
  fixture = await startFixture();
}, 120_000);
afterAll(() => fixture?.stop());

const read = (name: string) => readFileSync(join(projectDir, name), 'utf8');
const linkOf = (css: string) => /url\("?([^")]+\.woff2)"?\)/.exec(css)?.[1] ?? '';

/** Returns the addresses of the fonts in the stylesheets of a page. */
async function fontsOf(path: string): Promise<string[]> {
  const response = await fetch(new URL(path, fixture.url), { headers: { accept: 'text/html' } });
  expect(response.headers.get('content-security-policy')).toContain("font-src 'self'");
  const page = await response.text();
  const sheets = [...page.matchAll(/<link rel="stylesheet" href="([^"]+)"/g)].map(
    ([, href = '']) => new URL(href, response.url),
  );
  const fonts = await Promise.all(
    sheets.map(async (url) => new URL(linkOf(await (await fetch(url)).text()), url).pathname),
  );
  return fonts.filter((path) => path.endsWith('.woff2'));
}

describe('the font', () => {
  it('is the same file for all pages', async () => {
    const pages = [
      `/install/channels/${fixture.channel_id}`,
      '/nothing-here',
      '/enroll/nothing',
      '/docs/api.html',
      '/docs/',
      '/sign-in',
    ];
    for (const path of pages) expect([path, await fontsOf(path)]).toEqual([path, [font.path]]);
  });

  it('is sent once and cached forever', async () => {
    const response = await fetch(new URL(font.path, fixture.url));
    expect(response.headers.get('content-type')).toBe('font/woff2');
    expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    const content = Buffer.from(await response.arrayBuffer());
    expect(content.equals(readFileSync(join(projectDir, FONT_FILE)))).toBe(true);
    expect(content.length).toBeLessThan(60 * 1024);
  });

  it('has the same characters in every stylesheet, and nothing waits for it', () => {
    const normalize = (rule: string) =>
      /unicode-range:([^;}]*)/.exec(rule)?.[1]?.replaceAll(/\s|(?<=[+-])0+(?=[0-9A-F])/g, '');
    expect(normalize(fontRule)).toBe(normalize(read('src/dashboard/styles/tokens.css')));
    expect(fontRule).toContain('font-display:swap');
  });

  it('is copied into the documentation for other web servers, which links to it by a relative address', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'taxiway-docs-'));
    try {
      await exportDocs(folder);
      const files = readdirSync(join(folder, 'files'));
      const name = basename(font.path);
      expect(files).toContain(name);
      expect(readFileSync(join(folder, 'files', name)).equals(Buffer.from(font.content))).toBe(true);
      const style = files.find((file) => file.endsWith('.css')) ?? '';
      expect(linkOf(readFileSync(join(folder, 'files', style), 'utf8'))).toBe(`./${name}`);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe('the look of the documentation', () => {
  const tokens = ':root { --a: #111; --b: #222; } :root[data-mantine-color-scheme="dark"] { --a: #eee; --b: #ddd; }';
  it('has the values of the web app that it uses, and its dark palette if the system is dark', () => {
    expect(selectTokens(tokens, 'p { color: var(--a); --own: 1px; margin: var(--own) }').replaceAll(/\s+/g, ' ')).toBe(
      ':root { --a: #111} @media (prefers-color-scheme: dark) { :root { --a: #eee} }',
    );
  });
  it('rejects a variable that nothing declares', () => {
    expect(() => selectTokens(tokens, 'p { color: var(--c) }')).toThrow('No stylesheet declares --c');
  });
});
