// The page with the server's own authority: its steps, profile and certificate, read by independent tools.
import { spawnSync } from 'node:child_process';
import { createHash, X509Certificate } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadAuthority } from '../../src/certificates/authority.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import { run, withFiles } from '../tls/clients.ts';

const hasPlistutil = process.env.CI === 'true' || spawnSync('plistutil', ['--version']).error === undefined;

let fixture: Fixture;
let root: X509Certificate;

beforeAll(async () => {
  const tls = { mode: 'internal' } as const;
  const config = { server: { tls }, apple_profile: { organization_name: 'Müller & Söhne <x>' } };
  fixture = await startFixture({ config });
  root = new X509Certificate((await loadAuthority(fixture.app)).certificate);
});

afterAll(() => fixture.stop());

const get = (path: string, headers: Record<string, string> = {}) => fetch(`${fixture.url}${path}`, { headers });
const bytesOf = async (path: string) => Buffer.from(await (await get(path)).arrayBuffer());

const agents = {
  iphone:
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1',
  android:
    'Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Mobile Safari/537.36',
  mac: 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36',
};

describe('the trust page', () => {
  it('needs no script and has a strict policy', async () => {
    const response = await get('/trust');
    const page = await response.text();
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(response.headers.get('content-security-policy')).toBe(
      "default-src 'none'; style-src 'self'; img-src 'self'; font-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    );
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(page).not.toMatch(/<script|style=|onclick/i);
  });

  it('contains the authority, its fingerprint and each step', async () => {
    const page = await (await get('/trust', { 'user-agent': agents.iphone })).text();
    const name = root.subject.replace('CN=', '');
    expect(page).toContain(root.fingerprint256);
    expect(page).toContain('Settings › General › About › Certificate Trust Settings');
    expect(page).toContain(`turn on “${name}”`);
    expect(page).toContain('href="/trust/taxiway.mobileconfig"');
    expect(page).toContain('href="/trust/taxiway.crt"');
    expect(page).toContain('href="/trust/taxiway.pem"');
    expect(page).toContain(`href="${fixture.config.server.base_url}"`);
  });

  it.each([
    ['iphone', 'iPhone and iPad', 'Android'],
    ['android', 'Android', 'iPhone and iPad'],
    ['mac', 'Linux', 'iPhone and iPad'],
  ] as const)("shows the steps for the visitor's device first: %s", async (agent, first, second) => {
    const page = await (await get('/trust', { 'user-agent': agents[agent] })).text();
    expect(page.indexOf(`<h2>${first}</h2>`)).toBeGreaterThan(0);
    expect(page.indexOf(`<h2>${first}</h2>`)).toBeLessThan(page.indexOf(`<h2>${second}</h2>`));
    expect(page).toContain(`<h2>${first}</h2>\n<p><a class="button" href=`);
    expect(page).toContain(`<h2>${second}</h2>\n<p><a class="button second" href=`);
  });

  it.each([
    ['de-DE,de;q=0.9,en;q=0.8', 'de', 'Diesem Server vertrauen', 'Zertifikatsvertrauenseinstellungen'],
    ['fr', 'en', 'Trust this server', 'Certificate Trust Settings'],
  ])('has the language of the visitor: %s', async (language, lang, title, words) => {
    const response = await get('/trust', { 'accept-language': language });
    const page = await response.text();
    expect(page).toContain(`<html lang="${lang}">`);
    expect(page).toContain(`<h1>${title}</h1>`);
    expect(page).toContain(words);
    expect(response.headers.get('vary')).toBe('Accept-Language, User-Agent');
  });
});

describe('the trust profile', () => {
  it('is signed, valid for openssl and plistutil, and contains the certificate', async ({ skip }) => {
    const response = await get('/trust/taxiway.mobileconfig');
    expect(response.headers.get('content-type')).toBe('application/x-apple-aspen-config');
    const signed = Buffer.from(await response.arrayBuffer());
    await withFiles({ 'profile.der': signed, 'root.pem': root.toString() }, async (at) => {
      const words = ['-inform', 'DER', '-in', at('profile.der'), '-CAfile', at('root.pem'), '-out', at('plist')];
      expect(await run('openssl', ['cms', '-verify', '-binary', ...words])).toMatchObject({ code: 0 });
      if (!hasPlistutil) return skip('plistutil is missing');
      expect(await run('plistutil', ['-i', at('plist'), '-f', 'bin', '-o', at('binary')])).toMatchObject({ code: 0 });
      const { stdout: text } = await run('plistutil', ['-i', at('binary'), '-f', 'xml']);
      const value = (key: string) =>
        [...text.matchAll(new RegExp(`<key>${key}</key>\\s*<string>([^<]*)</string>`, 'g'))].map(([, found]) => found);
      expect(value('PayloadType').toSorted()).toEqual(['Configuration', 'com.apple.security.root']);
      expect(value('PayloadOrganization')).toEqual(['Müller &amp; Söhne &lt;x&gt;']);
      for (const uuid of value('PayloadUUID')) expect(uuid).toMatch(/^[0-9A-F]{8}(?:-[0-9A-F]{4}){3}-[0-9A-F]{12}$/);
      expect(new Set(value('PayloadUUID')).size).toBe(2);
      const content = /<data>([\s\S]+?)<\/data>/.exec(text)?.[1] ?? '';
      expect(Buffer.from(content, 'base64')).toEqual(root.raw);
    });
  });

  it('has the same identifier each time, so that a second one replaces the first', async () => {
    const names = async () =>
      (await bytesOf('/trust/taxiway.mobileconfig'))
        .toString('latin1')
        .match(/<key>Payload(?:UUID|Identifier)<\/key><string>[^<]+/g);
    const first = await names();
    expect(first).toHaveLength(4);
    expect(await names()).toEqual(first);
  });
});

describe("the certificate of the server's authority", () => {
  it('is available in DER as systems install it, and in PEM', async () => {
    const response = await get('/trust/taxiway.crt');
    expect(response.headers.get('content-type')).toBe('application/x-x509-ca-cert');
    const der = Buffer.from(await response.arrayBuffer());
    expect(der).toEqual(root.raw);
    expect(String(await bytesOf('/trust/taxiway.pem'))).toBe(root.toString());
    const digest = createHash('sha256').update(der).digest('hex').toUpperCase();
    expect(root.fingerprint256.replaceAll(':', '')).toBe(digest);
  });
});

describe('a server without its own authority', () => {
  it.each(['/trust', '/trust/taxiway.mobileconfig', '/trust/taxiway.crt', '/trust/taxiway.pem'])(
    'has no %s',
    async (path) => {
      await using other = await startFixture();
      expect((await fetch(`${other.url}${path}`)).status).toBe(404);
    },
  );
});
