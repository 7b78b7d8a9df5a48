// Serving the web app: document, files, sizes, and paths of others.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DashboardManifest, provideDashboard } from '../../scripts/lib/dashboard.ts';
import type { App } from '../../src/core/context.ts';
import { systemContext } from '../../src/core/transact.ts';
import { customerContainers } from '../../src/data/tables/tables.ts';
import { languageNames } from '../../src/languages.ts';
import { activateContainer } from '../../src/storage/azure/containers.ts';
import { containerOrigin } from '../../src/storage/azure/location.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import { createWebHandler } from '../../src/web/handler.ts';
import { hasPlainPage, isAppPath } from '../../src/web-paths.ts';
import { signIn } from '../support/harness.ts';
import { addPerson } from '../support/people.ts';

const KB = 1024;
const asBrowser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

let fixture: Fixture;
let manifest: DashboardManifest;
beforeAll(async () => {
  manifest = await provideDashboard();
  fixture = await startFixture();
}, 120_000);
afterAll(() => fixture?.stop());

const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(new URL(path, fixture.url), { headers, redirect: 'manual' });

it('has no size in pixels in its styles but thin lines, because sizes follow the font size of the browser', async () => {
  const [style = ''] = manifest.first.styles;
  const css = await (await get(`/assets/${style}`)).text();
  const ours = [...css.matchAll(/(?:--text-md|--control|--sidebar|--mantine-font-size-md|font-size):([^;}]+)/g)];
  expect(ours.length).toBeGreaterThan(50);
  expect(ours.map(([whole]) => whole).filter((whole) => whole.includes('px'))).toEqual([]);
});

describe('the files of a first visit', () => {
  const total = (names: readonly string[]) => names.reduce((sum, name) => sum + (manifest.files[name]?.gzip ?? 0), 0);
  it('contain less than 172 KB of script and 50 KB of style, compressed, in each language', async () => {
    const { scripts, texts } = manifest.first;
    expect(Object.keys(texts)).toEqual(Object.keys(languageNames));
    for (const name of Object.values(texts)) {
      expect(manifest.files[name ?? '']?.gzip).toBeGreaterThan(0);
      // 8 KB below the limit, so that a text or two don't reach it.
      expect(total([...scripts, name ?? ''])).toBeLessThan(172 * KB);
      // Other files of theirs would load one after the other.
      const imported = [...(await (await get(`/assets/${name}`)).text()).matchAll(/from"\.\/([^"]+)"/g)];
      expect(imported.map(([, file]) => file).filter((file) => !scripts.includes(file ?? ''))).toEqual([]);
    }
    expect(total(manifest.first.styles)).toBeLessThan(50 * KB);
    // The prefetch script, the entry point and the app.
    expect(manifest.first.scripts).toHaveLength(3);
    const app = await (await get(`/assets/${manifest.first.scripts[2]}`)).text();
    expect(app.startsWith('//# allFunctionsCalledOnLoad\n')).toBe(true);
  });
  it('contain no schemas, whose types alone are used, and QR codes only on demand', async () => {
    const names = Object.keys(manifest.files).filter((name) => name.endsWith('.js'));
    const texts = await Promise.all(names.map(async (name) => [name, await (await get(`/assets/${name}`)).text()]));
    // A word of zod's own, and one of the QR code library.
    expect(texts.filter(([, text]) => text?.includes('ZodError')).map(([name]) => name)).toEqual([]);
    const withQr = texts.filter(([, text]) => text?.includes('No input text')).map(([name]) => name);
    expect(withQr.length).toBe(1);
    expect(manifest.first.scripts).not.toContain(withQr[0]);
  });
});

describe('the document of the web app', () => {
  it('is returned to browsers at every address of the app, and revalidated each time', async () => {
    for (const path of ['/', '/sign-in', '/projects/1/builds', '/me', '/invite/organization/x', '/testers/invites/x']) {
      const answer = await get(path, asBrowser);
      expect([path, answer.status, answer.headers.get('content-type')]).toEqual([
        path,
        200,
        'text/html; charset=utf-8',
      ]);
      expect(answer.headers.get('cache-control')).toBe('no-cache');
      // Some of these addresses are secrets.
      expect(answer.headers.get('referrer-policy')).toBe('no-referrer');
      expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    }
    const first = await get('/sign-in', asBrowser);
    // A script waits for the styles before it: this one must not.
    expect(await first.clone().text()).toMatch(
      /<script src="\/assets\/prefetch-\w+\.js"><\/script>[\s\S]*<link rel="stylesheet"/,
    );
    const etag = first.headers.get('etag') ?? '';
    const again = await get('/me', { ...asBrowser, 'if-none-match': `W/${etag}` });
    expect([again.status, await again.text()]).toEqual([304, '']);
  });

  it('allows scripts and styles from this server only, and no inline ones', async () => {
    const answer = await get('/', asBrowser);
    const policy = answer.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self';");
    expect(policy).toContain("connect-src 'self';");
    expect(policy).toContain("base-uri 'none'; form-action 'self'; frame-ancestors 'none'");
    expect(policy).not.toMatch(/unsafe|\*/);
    const text = await answer.text();
    expect(text).not.toMatch(/<script(?![^>]* src=)|<style|\sstyle=|\son\w+=|https?:\/\/(?!localhost)/);
    expect(text).toContain(`<meta name="taxiway-origin" content="${fixture.config.server.base_url}">`);
    expect(text).toContain('<meta name="taxiway-mail" content="no">');
    expect(text).toContain('<meta name="taxiway-top-up" content="500 100000">');
  });

  it('lets only the script for uploads reach a container, and only for people of its organization', async () => {
    const { app, organization_id: organizationId } = fixture;
    const ids = { tenantId: app.ids.next(), clientId: app.ids.next() };
    const connection = { organizationId, account: 'acmebuilds', container: 'test-builds', ...ids, secret: null };
    systemContext(app).transact((tx) => activateContainer(tx, connection), { bookkeeping: true });
    const [container] = [containerOrigin({ endpointSuffix: app.config.byosa.azure_endpoint_suffix }, 'acmebuilds')];
    const page = await get('/', asBrowser);
    expect(page.headers.get('content-security-policy')).toContain("connect-src 'self';");
    const [, script = ''] = /name="taxiway-upload-worker" content="([^"]+)"/.exec(await page.text()) ?? [];
    const outsider = await addPerson(fixture);
    const onProject = await addPerson(fixture, { projects: { [fixture.android_project_id]: 'read_download_upload' } });
    const policyFor = async (to: string | undefined, token: string | undefined) => {
      const query = to === undefined ? '' : `?to=${encodeURIComponent(to)}`;
      const answer = await get(`${script}${query}`, token === undefined ? {} : { cookie: `svc_access=${token}` });
      expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'no-store']);
      expect(await answer.text()).toContain('XMLHttpRequest');
      return answer.headers.get('content-security-policy');
    };
    const closed = "default-src 'none'; connect-src 'none'";
    const open = `default-src 'none'; connect-src ${container}`;
    const member = (await signIn(fixture)).access_token;
    expect(await policyFor(container, member)).toBe(open);
    expect(await policyFor(container, onProject.accessToken)).toBe(open);
    for (const [to, token] of [
      [container, outsider.accessToken],
      [container, 'nonsense'],
      [container, undefined],
      [undefined, member],
      ['https://elsewhere.example', member],
      [`${container}; script-src *`, member],
      ['*', member],
    ] as const) {
      expect([to, await policyFor(to, token)]).toEqual([to, closed]);
    }
    app.db.delete(customerContainers).run();
    expect(await policyFor(container, member)).toBe(closed);
  });

  it("redirects browsers without script to the server's own page, and nowhere else", async () => {
    const refresh = '<noscript><meta http-equiv="refresh" content="0; url=?plain"></noscript>';
    expect(await (await get('/setup/token', asBrowser)).text()).toContain(refresh);
    expect(await (await get('/sign-in', asBrowser)).text()).not.toContain('http-equiv');
    const plain = await get('/?plain', asBrowser);
    expect(await plain.text()).toContain('distributes test builds');
    expect((await get('/setup/token?plain', asBrowser)).status).toBe(404);
  });

  it('contains whether the browser sent a session cookie, which scripts cannot see', async () => {
    const without = await get('/', asBrowser);
    expect(await without.text()).toContain('<meta name="taxiway-session" content="no">');
    const within = await get('/', { ...asBrowser, cookie: 'other=1; svc_access=secret' });
    expect(within.headers.get('vary')).toBe('Accept, Cookie');
    expect(within.headers.get('etag')).not.toBe(without.headers.get('etag'));
    const text = await within.text();
    expect(text).toContain('<meta name="taxiway-session" content="yes">');
    expect(text).not.toContain('secret');
  });

  it("is for browsers only: programs get the server's response", async () => {
    const answer = await get('/me');
    expect([answer.status, answer.headers.get('content-type')]).toEqual([404, 'application/json']);
    const posted = await fetch(new URL('/sign-in', fixture.url), { method: 'POST', headers: asBrowser });
    expect(posted.status).toBe(404);
  });

  it('is below the path of the base address, with all its links', async () => {
    const config = {
      ...fixture.config,
      server: { ...fixture.config.server, base_url: 'https://tools.example.com/apps/taxiway' },
    };
    const text = await (await serveAlone(config, '/sign-in', asBrowser)).text();
    expect(text).toContain('<meta name="taxiway-base" content="/apps/taxiway">');
    expect(text).toContain('<meta name="taxiway-origin" content="https://tools.example.com">');
    expect([...text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address]) => address)).toSatisfy(
      (addresses: string[]) => addresses.every((address) => address.startsWith('/apps/taxiway/')),
    );
  });
});

describe('a file', () => {
  it('is cached permanently and compressed on request', async () => {
    const [name = ''] = manifest.first.styles;
    const plain = await get(`/assets/${name}`, { 'accept-encoding': 'identity' });
    const text = await plain.text();
    expect([plain.status, plain.headers.get('content-type')]).toEqual([200, 'text/css; charset=utf-8']);
    expect(plain.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect([plain.headers.get('vary'), plain.headers.get('content-encoding')]).toEqual(['Accept-Encoding', null]);
    for (const [coding, unpack] of [
      ['br', brotliDecompressSync],
      ['gzip', gunzipSync],
    ] as const) {
      const packed = await rawGet(`/assets/${name}`, coding);
      expect(packed.coding).toBe(coding);
      expect(unpack(packed.body).toString()).toBe(text);
    }
  });
  it.each(['/assets/', '/assets/none.js', '/assets/manifest.json', '/assets/index.html', '/assets/..%2fmanifest.json'])(
    'does not exist at %s',
    async (path) => {
      expect((await get(path, asBrowser)).status).toBe(404);
    },
  );
});

describe('the addresses of the app', () => {
  it.each([
    ['/', true, true],
    ['/projects', true, false],
    ['/setup/abc', true, true],
    ['/setup/assets/x.css', false, false],
    ['/setup', false, false],
    ['/invite/project/abc', true, true],
    ['/testers', true, false],
    ['/testers/invites/abc', true, true],
    ['/testers/mute/abc', false, false],
    ['/testers/releases/abc', false, false],
    ['/api/v1/projects', false, false],
    ['/install/channels/1', false, false],
    ['/health/live', false, false],
    ['/wp-login.php', false, false],
    ['/constructor', false, false],
  ])('include %s: %s, with a page without script: %s', (path, isApp, isPlain) => {
    expect([isAppPath(path), hasPlainPage(path)]).toEqual([isApp, isPlain]);
  });
});

/** The handler under another configuration, on a server of its own that answers 404 to what is not the app's. */
async function serveAlone(config: object, path: string, headers: Record<string, string> = {}): Promise<Response> {
  const handle = createWebHandler({ ...fixture.app, config } as App);
  const server: Server = createServer((request, response) => {
    if (!handle(request, response)) response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const { port } = server.address() as AddressInfo;
    return await fetch(`http://127.0.0.1:${port}${path}`, { headers });
  } finally {
    server.close();
  }
}

/** A file as it travels: fetch would unpack it. */
async function rawGet(path: string, coding: string): Promise<{ coding: string | undefined; body: Buffer }> {
  const { request } = await import('node:http');
  return new Promise((resolve, reject) => {
    const sent = request(new URL(path, fixture.url), { headers: { 'accept-encoding': coding } }, (response) => {
      const pieces: Buffer[] = [];
      response.on('data', (piece: Buffer) => pieces.push(piece));
      response.on('end', () => resolve({ coding: response.headers['content-encoding'], body: Buffer.concat(pieces) }));
    });
    sent.on('error', reject);
    sent.end();
  });
}
