// The main workflow from an empty folder to an installed build, with the real program, real packages and a real browser.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readManifest } from '../install/scenario.ts';
import { buildIpa, findSharedFixtures, readApiDemos, sha256 } from '../support/fixtures.ts';
import { expectAccessible } from './accessibility.ts';
import { closeContexts, keepScreenshot, openBrowser, type Visit, visit } from './browser.ts';
import { type HttpsFront, startHttpsFront } from './https-front.ts';
import { type RunningServer, runTaxiway, startServer } from './program.ts';
import { buildSampleIpa, sampleApp } from './sample-app.ts';

const account = { email: 'ada@example.com', password: 'correct horse battery' };
const schemes = ['light', 'dark'] as const;
const apk = readApiDemos();
const ipa = buildSampleIpa();

let browser: Browser;
let front: HttpsFront;
let server: RunningServer;

beforeAll(async () => {
  [browser, front] = await Promise.all([openBrowser(), startHttpsFront()]);
  server = await startServer({
    TAXIWAY_SERVER__BASE_URL: front.url,
    TAXIWAY_SERVER__TRUSTED_PROXIES: '127.0.0.1',
  });
  front.passTo(server.url);
  for (const [name, bytes] of [
    ['app.apk', apk],
    ['app.ipa', ipa],
    ['front.pem', front.certificate],
  ] as const) {
    writeFileSync(join(server.folder, name), bytes);
  }
});
afterAll(async () => {
  await closeContexts(browser);
  await server?.remove();
  await front?.stop();
});

/** Runs a client command beside the server, with a home of its own. */
function taxiway(words: readonly string[], env: Record<string, string> = {}, input = '') {
  const own = { HOME: server.folder, NODE_EXTRA_CA_CERTS: join(server.folder, 'front.pem'), ...env };
  return runTaxiway(words, { cwd: server.folder, env: own, input });
}

type Body = Record<string, unknown>;

/** One request to the API; answers the body of a success. */
async function ask<T = { identifier: string }>(method: string, path: string, token?: string, body?: Body): Promise<T> {
  const answer = await front.send(`${front.url}/api/v1${path}`, {
    method,
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  expect(answer.status, `${method} ${path}: ${answer.text}`).toBeLessThan(300);
  return JSON.parse(answer.text);
}

interface Shop {
  /** Query that names the project. */
  inProject: string;
  channelId: string;
  token: string;
  /** The install page that is sent around. */
  page: string;
}

/** A project with a public channel, and a token that may upload to it. */
async function openShop(name: string, platform: 'ios' | 'android', session: string): Promise<Shop> {
  const [organization] = await ask<{ identifier: string }[]>('GET', '/organizations', session);
  const inOrganization = `organization_id=${organization?.identifier}`;
  const project = await ask('POST', `/projects?${inOrganization}`, session, { name, platform });
  const inProject = `${inOrganization}&project_id=${project.identifier}`;
  const channel = await ask('POST', `/channels?${inProject}`, session, { name: 'beta', public: true });
  const token = await ask<{ token: string }>('POST', `/project-access-tokens?${inProject}`, session, {
    name: 'ci',
    role: 'maintainer',
  });
  const page = `${front.url}/install/channels/${channel.identifier}`;
  return { inProject, channelId: channel.identifier, token: token.token, page };
}

/** The way of a package by plain requests: initiate, PUT, complete, release. */
async function publish({ inProject, channelId, token }: Shop, bytes: Buffer, identity: Body): Promise<void> {
  const pending = await ask<{
    pending_upload_id: string;
    upload_url: string;
    required_headers: Record<string, string>;
  }>('POST', `/builds/initiate?${inProject}`, token, identity);
  const sent = await front.send(pending.upload_url, { method: 'PUT', headers: pending.required_headers, body: bytes });
  expect(sent.status, sent.text).toBe(201);
  const done = `/builds/${pending.pending_upload_id}/complete?${inProject}`;
  const build = await ask('POST', done, token, { sha256: sha256(bytes) });
  await ask('POST', `/releases?${inProject}&channel_id=${channelId}`, token, { build_id: build.identifier });
}

/** What iOS does after the tap: the manifest, then the package in it, neither with a cookie. */
async function installAsIosDoes(href: string | null) {
  const link = new URL(href ?? '');
  expect(link.protocol).toBe('itms-services:');
  expect(link.searchParams.get('action')).toBe('download-manifest');
  const manifest = await front.send(link.searchParams.get('url') ?? '');
  expect(manifest.status).toBe(200);
  expect(manifest.headers['content-type']).toBe('application/x-plist');
  const { package: address, icon, metadata } = readManifest(manifest.text);
  return { metadata, icon: await fetchAll(icon ?? ''), package: await fetchAll(address) };
}

/** The bytes behind a link of this server, redirects followed, without cookies. */
async function fetchAll(address: string): Promise<Buffer> {
  expect(new URL(address).origin).toBe(front.url);
  const answer = await front.send(address);
  expect(answer.headers['set-cookie']).toBeUndefined();
  if (answer.status === 302) return fetchAll(String(answer.headers.location));
  expect(answer.status, answer.text).toBe(200);
  return answer.bytes;
}

async function expectHeading(page: Page, ...lines: string[]): Promise<void> {
  const header = await page.locator('p.org, header.app').allTextContents();
  for (const line of lines) expect(header.join('\n')).toContain(line);
}

/** Looks at the page in light and dark, keeps what it looked like, and lets axe judge it. */
async function visitInBothSchemes(address: string, name: string, options: Visit, look: (page: Page) => Promise<void>) {
  for (const colorScheme of schemes) {
    await visit(browser, address, { ...options, colorScheme }, async ({ page }) => {
      await keepScreenshot(page, `${name}-${options.device}-${colorScheme}`);
      await look(page);
      await expectAccessible(page);
    });
  }
}

describe('the first administrator', () => {
  const fill = async (page: Page, password: string) => {
    await page.getByLabel('Your name').fill('Ada');
    await page.getByLabel('Email address').fill(account.email);
    await page.getByLabel('Password').fill(password);
    await page.getByLabel('Organization').fill('Northwind');
    await page.getByRole('button', { name: 'Create' }).click();
  };

  it('is created with the link that the first start prints', async () => {
    expect(new URL(server.setupLink).origin).toBe(front.url);
    await visitInBothSchemes(`${server.setupLink}?plain`, 'setup', { device: 'iphone' }, async (page) => {
      expect(await page.getByRole('heading').textContent()).toBe('Set up Taxiway');
    });
    await visit(browser, `${server.setupLink}?plain`, { device: 'desktop' }, async ({ page }) => {
      await fill(page, 'too short');
      await page.getByText('Must have at least 12 characters').waitFor();
      expect(await page.getByLabel('Organization').inputValue()).toBe('Northwind');
      expect(await page.getByLabel('Password').inputValue()).toBe('');
      await keepScreenshot(page, 'setup-refused-desktop');
      await expectAccessible(page);
      await fill(page, account.password);
      await page.getByRole('heading', { name: 'Taxiway is ready' }).waitFor();
      expect(await page.locator('main').textContent()).toContain(
        `taxiway login --url ${front.url} --email ${account.email}`,
      );
      await keepScreenshot(page, 'setup-done-desktop');
      await expectAccessible(page);
    });
  });

  it('is created only once: the link no longer works', async () => {
    await visit(browser, `${server.setupLink}?plain`, { device: 'desktop', status: 404 }, async ({ page }) => {
      expect(await page.getByRole('heading').textContent()).toBe('This setup link doesn’t work');
      expect(await page.locator('main').textContent()).toContain('It was already used');
      expect(await page.locator('form').count()).toBe(0);
      await keepScreenshot(page, 'setup-used-desktop');
      await expectAccessible(page);
    });
  });

  it('signs in from a terminal', async () => {
    const words = ['login', '--url', front.url, '--email', account.email, '--password-stdin'];
    expect(await taxiway(words, {}, `${account.password}\n`)).toEqual({
      code: 0,
      stdout: '',
      stderr: `Signed in to ${front.url} as ${account.email}.\n`,
    });
  });
});

describe('a build', () => {
  let android: Shop;
  let ios: Shop;

  beforeAll(async () => {
    const session = await ask<{ access_token: string }>('POST', '/login', undefined, account);
    android = await openShop('Demos', 'android', session.access_token);
    ios = await openShop(sampleApp.name, 'ios', session.access_token);
  });

  it('is uploaded with taxiway upload, which prints the link to share', async () => {
    const env = { TAXIWAY_URL: front.url, TAXIWAY_TOKEN: android.token };
    const words = ['upload', 'app.apk', '--channel', 'beta', '--notes', 'Every list scrolls again'];
    const { code, stdout, stderr } = await taxiway(words, env);
    expect({ code, stderr: stderr.split('\n')[0] }).toEqual({
      code: 0,
      stderr: expect.stringMatching(/^app\.apk: 5\.0\.0 \(25\), 6\.42 MB, to Demos$/),
    });
    expect(stdout).toContain(`sha256    ${sha256(apk)}\n`);
    expect(stdout).toContain(`install   ${android.page}\n`);
    expect(stdout).toMatch(/█▀▀▀▀▀█/);
  });

  it('is uploaded with plain requests', async () => {
    const { version, build, notes } = sampleApp;
    await publish(ios, ipa, { version_name: version, build_number: Number(build), release_notes: notes });
  });

  describe('on an iPhone', () => {
    it('is installed with one tap', async () => {
      await visitInBothSchemes(ios.page, 'install-ios', { device: 'iphone' }, async (page) => {
        await expectHeading(page, 'Northwind', sampleApp.name, 'Version 2.4.0 (318)', '12.6 MB');
        expect(await page.locator('main').textContent()).toContain('Tide tables work without a connection.');
        const button = page.getByRole('link', { name: 'Install', exact: true });
        expect((await button.boundingBox())?.height).toBeGreaterThanOrEqual(48);
        const { metadata, icon, package: bytes } = await installAsIosDoes(await button.getAttribute('href'));
        expect(metadata).toEqual({
          'bundle-identifier': sampleApp.bundleIdentifier,
          'bundle-version': sampleApp.version,
          kind: 'software',
          'platform-identifier': 'com.apple.platform.iphoneos',
          title: sampleApp.name,
        });
        expect(icon.subarray(1, 4).toString()).toBe('PNG');
        expect(sha256(bytes)).toBe(sha256(ipa));
      });
    });
  });

  describe('on an Android phone', () => {
    const download = async (page: Page) => {
      const started = page.waitForEvent('download');
      await page.getByRole('link', { name: 'Download and install' }).click();
      const file = await started;
      return { name: file.suggestedFilename(), digest: sha256(readFileSync(await file.path())) };
    };

    it('is downloaded with one tap', async () => {
      await visitInBothSchemes(android.page, 'install-android', { device: 'android' }, async (page) => {
        await expectHeading(page, 'Northwind', 'API Demos', 'Version 5.0.0 (25)');
        expect(await page.locator('main').textContent()).toContain('Every list scrolls again');
        expect(await page.evaluate<number>("document.querySelector('header.app img').naturalWidth")).toBeGreaterThan(0);
        expect(await download(page)).toEqual({ name: 'Demos-5.0.0-25.apk', digest: sha256(apk) });
      });
    });

    it('is downloaded without scripts', async () => {
      await visit(browser, android.page, { device: 'android', javaScriptEnabled: false }, async ({ page }) => {
        await expectHeading(page, 'API Demos', 'Version 5.0.0 (25)');
        expect((await download(page)).digest).toBe(sha256(apk));
      });
    });

    it('has instructions in the language of the phone', async () => {
      await visit(browser, android.page, { device: 'android', locale: 'de-DE' }, async ({ page }) => {
        expect(await page.locator('html').getAttribute('lang')).toBe('de');
        await keepScreenshot(page, 'install-android-german');
        await expectAccessible(page);
      });
    });

    it('asks to leave the browser of another app', async () => {
      await visitInBothSchemes(android.page, 'install-android', { device: 'wechat' }, async (page) => {
        await expectHeading(page, 'API Demos');
        expect(await page.getByRole('heading', { name: 'Open this page in Chrome' }).isVisible()).toBe(true);
        expect(await page.locator('main').textContent()).toContain('This page is open inside WeChat');
        expect(await page.locator('code.address').textContent()).toBe(android.page);
      });
    });
  });

  it.each(['ios', 'android'] as const)(
    'for %s is transferred from a desktop to a phone with a QR code',
    async (platform) => {
      const shop = platform === 'ios' ? ios : android;
      const devices = platform === 'ios' ? 'iPhone or iPad' : 'Android phone';
      await visitInBothSchemes(shop.page, `install-${platform}`, { device: 'desktop' }, async (page) => {
        expect(await page.getByRole('heading', { name: `Open this page on your ${devices}` }).isVisible()).toBe(true);
        const code = page.getByRole('img', { name: 'QR code with the address of this page' });
        expect((await code.boundingBox())?.width).toBeGreaterThanOrEqual(200);
        expect(await page.locator('code.address').textContent()).toBe(shop.page);
        const direct = page.getByRole('link', { name: 'Download package (APK)' });
        expect(await direct.count()).toBe(platform === 'ios' ? 0 : 1);
      });
    },
  );

  it('shows on an iPhone that its profile has expired, also for a real package', async () => {
    const shared = findSharedFixtures();
    const ended = { ExpirationDate: new Date('2026-02-01T00:00:00Z') };
    const bytes =
      shared === null ? buildIpa({ profile: ended }) : readFileSync(join(shared, 'ipa/bitbar-ios-sample-adhoc.ipa'));
    await publish(ios, bytes, { version_name: '1.0', build_number: 1 });
    await visit(browser, ios.page, { device: 'iphone' }, async ({ page }) => {
      expect(await page.getByRole('heading', { name: 'This build has expired' }).isVisible()).toBe(true);
      expect(await page.locator('a:not(.feedback)').count()).toBe(0);
      await keepScreenshot(page, 'install-ios-expired-iphone');
      await expectAccessible(page);
    });
    const { releases } = JSON.parse((await front.send(`${front.url}/public/v1/channels/${ios.channelId}`)).text);
    const manifest = readManifest((await front.send(releases[0].manifest_url)).text);
    expect(sha256(await fetchAll(manifest.package))).toBe(sha256(bytes));
  });

  it('counts each download, passes the check, and the server stops on request', async () => {
    const analytics = await ask<Body>('GET', `/channels/${android.channelId}/analytics`, android.token);
    expect(analytics).toMatchObject({ distinct_builds: 1, total_downloads: 3, unique_testers: 0 });
    expect(await server.terminate()).toBe(0);
    const { code, stdout } = await taxiway(['check'], { TAXIWAY_SERVER__BASE_URL: front.url });
    expect({ code, failed: /^fail/m.test(stdout) }).toEqual({ code: 0, failed: false });
  });
});
