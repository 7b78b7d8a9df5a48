// The install pages as phones and desktops get them.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DAY, MINUTE } from '../../src/lib/clock.ts';
import { installAssets, installStylesheet } from '../../src/pages/styles.ts';
import { buildXmlPlist } from '../inspection/build-plist.ts';
import { buildSignedMessage, createIdentity } from '../inspection/build-signature.ts';
import { buildApk, buildDemoApk, buildIpa, buildJarSignedApk } from '../support/fixtures.ts';
import { type InstallScenario, type Published, readManifest, startInstallScenario } from './scenario.ts';

const webKit = 'AppleWebKit/605.1.15 (KHTML, like Gecko)';
const chrome = 'AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0';
const agents = {
  iphone: `Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) ${webKit} Version/17.5 Mobile/15E148 Safari/604.1`,
  oldIphone: `Mozilla/5.0 (iPhone; CPU iPhone OS 12_5_7 like Mac OS X) ${webKit} Version/12.1.2 Mobile/15E148 Safari/604.1`,
  ipad: `Mozilla/5.0 (iPad; CPU OS 17_5 like Mac OS X) ${webKit} Version/17.5 Mobile/15E148 Safari/604.1`,
  instagram: `Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) ${webKit} Mobile/21F90 Instagram 330.0.0.0`,
  mac: `Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${webKit} Version/17.5 Safari/605.1.15`,
  windows: `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${chrome} Safari/537.36`,
  android: `Mozilla/5.0 (Linux; Android 10; K) ${chrome} Mobile Safari/537.36`,
  oldAndroid: `Mozilla/5.0 (Linux; Android 5.1; Nexus 5) ${chrome} Mobile Safari/537.36`,
  androidWebView: `Mozilla/5.0 (Linux; Android 14; Pixel 8; wv) ${chrome} Mobile Safari/537.36`,
} as const;
type Agent = keyof typeof agents;

interface Shown {
  status: number;
  headers: Headers;
  html: string;
}

let scenario: InstallScenario;
let ios: Published;
let android: Published;
beforeAll(async () => {
  scenario = await startInstallScenario();
  ios = await scenario.publish(scenario.ios, buildIpa({ name: 'Harbour' }), { release_notes: 'Faster start' });
  android = await scenario.publish(scenario.android, buildDemoApk());
});
afterAll(() => scenario?.fixture.stop());

async function open(path: string, agent: Agent, headers: Record<string, string> = {}): Promise<Shown> {
  const response = await scenario.follow(scenario.base + path, {
    headers: { 'user-agent': agents[agent], ...headers },
  });
  return { status: response.status, headers: response.headers, html: await response.text() };
}
const channelPage = ({ channelId }: Published) => `/install/channels/${channelId}`;
async function capabilityPage({ path }: Published): Promise<string> {
  const { body } = await scenario.anyone.post<{ install_url: string }>(`${path}/install-link`);
  return body.install_url.slice(scenario.base.length);
}

/** The addresses behind links of a page, entities undone. */
function links(html: string): string[] {
  return [...html.matchAll(/<a [^>]*href="([^"]*)"/g)].map(([, address = '']) => address.replaceAll('&amp;', '&'));
}
function itmsTarget(html: string): string {
  const link = links(html).find((address) => address.startsWith('itms-services:')) ?? '';
  const target = /^itms-services:\/\/\?action=download-manifest&url=([\w.%-]+)$/.exec(link)?.[1];
  return decodeURIComponent(target ?? '');
}

describe('the page of a public channel', () => {
  it('installs on an iPhone, with links that need no cookie and work for 15 minutes', async () => {
    const { status, html } = await open(channelPage(ios), 'iphone');
    expect(status).toBe(200);
    expect(html).toContain('<html lang="en"');
    expect(html).toContain('Harbour');
    expect(html).toContain('Faster start');
    const url = itmsTarget(html);
    expect(url).toMatch(/^https:\/\/localhost:\d+\/public\/v1\/install\/[\w.-]+\/manifest\.plist$/);
    scenario.fixture.clock.advance(14 * MINUTE);
    const manifest = readManifest(await (await scenario.follow(url)).text());
    expect(await scenario.digest(manifest.package)).toBe(ios.digest);
    expect(await scenario.analytics(ios.channelId)).toMatchObject({ total_downloads: 1, unique_testers: 0 });
    scenario.fixture.clock.advance(MINUTE);
    expect((await scenario.follow(url)).status).toBe(404);
    const renewed = itmsTarget((await open(channelPage(ios), 'iphone')).html);
    expect((await scenario.follow(renewed)).status).toBe(200);
  });
  it('installs on Android', async () => {
    const { status, html } = await open(channelPage(android), 'android');
    expect(status).toBe(200);
    expect(html).toContain('Download and install');
    const [link] = links(html);
    const [address, capability] = link?.split('?capability=') ?? [];
    expect(address).toBe(`${scenario.base}${android.path}/download`);
    expect(capability).toMatch(/^[\w.-]{100,160}$/);
    expect(await scenario.digest(link ?? '')).toBe(android.digest);
  });
  it.each<[string, 'ios' | 'android', Agent, string]>([
    ['ready', 'ios', 'iphone', '>Install</a>'],
    ['ready on an iPad', 'ios', 'ipad', '>Install</a>'],
    ['ready', 'android', 'android', '>Download and install</a>'],
    ['desktop', 'ios', 'windows', 'Open this page on your iPhone or iPad'],
    ['desktop that may be an iPad', 'ios', 'mac', 'On an iPad? Install here'],
    ['desktop', 'android', 'mac', 'Open this page on your Android phone'],
    ['in-app browser', 'ios', 'instagram', 'This page is open inside Instagram'],
    ['in-app browser', 'android', 'androidWebView', 'Open this page in Chrome'],
    ['OS too old', 'ios', 'oldIphone', 'This iPhone runs iOS 12.5.7, which is too old'],
    ['wrong platform', 'ios', 'android', 'This app is for iPhone and iPad'],
    ['wrong platform', 'android', 'iphone', 'This app is for Android'],
  ])('is %s: %s seen by %s', async (_state, platform, agent, words) => {
    const { status, html } = await open(channelPage(platform === 'ios' ? ios : android), agent);
    expect(status).toBe(200);
    expect(html).toContain(words);
  });
  it('shows a QR code of its own address on a desktop, and none on a phone', async () => {
    const desktop = await open(channelPage(ios), 'windows');
    expect(desktop.html).toContain('<div class="qr" role="img"');
    expect(desktop.html).toContain(`${scenario.base}${channelPage(ios)}`);
    expect((await open(channelPage(ios), 'iphone')).html).not.toContain('class="qr"');
  });
  it('requests the Android version from Chrome, and shows when it is too old', async () => {
    const published = await scenario.publish(scenario.android, buildApk({ minSdk: 31 }));
    const hint = (version: string) => ({
      'sec-ch-ua-platform': '"Android"',
      'sec-ch-ua-platform-version': `"${version}"`,
    });
    const page = (agent: Agent, version?: string) =>
      open(channelPage(published), agent, version === undefined ? {} : hint(version));
    const first = await page('android');
    expect(first.headers.get('accept-ch')).toBe('Sec-CH-UA-Platform-Version');
    expect(first.html).toContain('Download and install');
    expect((await page('android', '11.0.0')).html).toContain('Requires Android 12 or later');
    expect((await page('android', '12.0.0')).html).toContain('Download and install');
    expect((await page('oldAndroid')).html).toContain('Requires Android 12 or later');
  });
  it('has the language of the browser', async () => {
    const { html } = await open(channelPage(ios), 'iphone', { 'accept-language': 'de-CH,de;q=0.9,en;q=0.5' });
    expect(html).toContain('<html lang="de"');
    expect((await open(channelPage(ios), 'iphone', { 'accept-language': 'fi' })).html).toContain('<html lang="en"');
  });
  it('shows that nothing is released yet, and the first release', async () => {
    const channelId = await scenario.addChannel(scenario.android);
    const page = () => open(`/install/channels/${channelId}`, 'android');
    const before = await page();
    expect([before.status, before.html.includes('Nothing to install yet')]).toEqual([200, true]);
    await scenario.addRelease(scenario.android, channelId, android.build.identifier);
    expect((await page()).html).toContain('Download and install');
  });
  it('shows the earlier release after a rollback', async () => {
    const published = await scenario.publish(scenario.android, buildApk(), { version_name: '1.0-old' });
    const newer = await scenario.addBuild(scenario.android, buildApk(), { version_name: '2.0-new' });
    await scenario.addRelease(scenario.android, published.channelId, newer.identifier);
    expect((await open(channelPage(published), 'android')).html).toContain('2.0-new');
    await (await scenario.staff()).post('/api/v1/releases/rollback', undefined, {
      ...scenario.android,
      channel_id: published.channelId,
    });
    const { html } = await open(channelPage(published), 'android');
    expect([html.includes('Version 1.0-old'), html.includes('Version 2.0-new')]).toEqual([true, false]);
  });
});

/** Its profile names no devices. */
function buildForAppStore(): Buffer {
  const profile = buildXmlPlist({ Name: 'Store', Entitlements: { 'get-task-allow': false } });
  const data = buildSignedMessage(createIdentity('Signer'), profile);
  return buildIpa({ profile: null, parts: [{ name: 'Payload/Sample.app/embedded.mobileprovision', data }] });
}

describe('the content of the package', () => {
  const inDays = (days: number) => new Date(scenario.fixture.clock.now().getTime() + days * DAY);
  it.each<[string, () => Buffer, string, boolean]>([
    ['a profile that expired', () => buildIpa({ profile: { ExpirationDate: inDays(-1) } }), 'has expired', false],
    ['a profile that expires soon', () => buildIpa({ profile: { ExpirationDate: inDays(6) } }), 'build expires', true],
    ['a profile that lasts', () => buildIpa({ profile: { ExpirationDate: inDays(90) } }), 'Install', true],
    ['a profile for the App Store', buildForAppStore, 'This build is for the App Store', false],
    ['no profile', () => buildIpa({ profile: null }), 'This build isn’t signed', false],
    ['nothing that can be read', () => Buffer.from('this is no archive'), 'We couldn’t read this package', false],
  ])('of iOS: %s', async (_name, build, words, isInstallable) => {
    const published = await scenario.publish(scenario.ios, build());
    for (const page of [channelPage(published), await capabilityPage(published)]) {
      const { status, html } = await open(page, 'iphone');
      expect(status).toBe(200);
      expect(html).toContain(words);
      expect(itmsTarget(html) !== '').toBe(isInstallable);
    }
  });
  it('is valid or expired as time passes', async () => {
    const published = await scenario.publish(scenario.ios, buildIpa({ profile: { ExpirationDate: inDays(40) } }));
    const page = async () => (await open(channelPage(published), 'iphone')).html;
    expect(await page()).not.toContain('build expires');
    scenario.fixture.clock.advance(20 * DAY);
    expect(await page()).toContain('build expires');
    scenario.fixture.clock.advance(21 * DAY);
    expect(await page()).toContain('has expired');
  });
  it.each<[string, () => Buffer, string, boolean]>([
    ['no signature', () => buildApk({ signers: [] }), 'This build isn’t signed', false],
    ['one split of several', () => buildApk({ split: 'config.de' }), 'only part of an app', false],
    ['a package that needs its splits', () => buildApk({ isSplitRequired: true }), 'only part of an app', false],
    ['nothing that can be read', () => Buffer.from('this is no archive'), 'We couldn’t read this package', true],
  ])('of Android: %s', async (_name, build, words, isInstallable) => {
    const published = await scenario.publish(scenario.android, build());
    const { status, html } = await open(channelPage(published), 'android');
    expect(status).toBe(200);
    expect(html).toContain(words);
    expect(links(html).some((link) => link.includes('/download?'))).toBe(isInstallable);
  });
  it('of Android: a signature that only older phones accept', async () => {
    const published = await scenario.publish(scenario.android, buildJarSignedApk({ minSdk: 21, targetSdk: 30 }));
    // Android 14.
    const refused = await open(channelPage(published), 'androidWebView');
    expect(refused.html).toContain('This build is signed for older phones');
    expect(links(refused.html).some((link) => link.includes('/download?'))).toBe(false);
    // Chromium doesn't tell its version.
    const offered = await open(channelPage(published), 'android');
    expect(links(offered.html).some((link) => link.includes('/download?'))).toBe(true);
  });
  it('stays text in any form', async () => {
    const hostile = '[x](javascript:alert(3)) "><img src=x onerror=alert(1)>\'&\u202e</title><script>alert(2)</script>';
    for (const [project, bytes, agent] of [
      [scenario.ios, buildIpa({ name: hostile, version: hostile }), 'iphone'],
      [scenario.android, buildApk({ label: hostile, versionName: hostile }), 'android'],
    ] as const) {
      const published = await scenario.publish(project, bytes, { version_name: hostile, release_notes: hostile });
      const pages = [channelPage(published), await capabilityPage(published)];
      for (const [page, seenBy] of pages.flatMap((path) => [[path, agent] as const, [path, 'windows'] as const])) {
        const { status, html, headers } = await open(page, seenBy);
        expect(status).toBe(200);
        expect(html).toContain('&lt;img src=x');
        expect(html).not.toMatch(/<img src=x|<script|onerror=alert\(1\)>|href="javascript/);
        expect(JSON.stringify([...headers])).not.toContain('onerror');
      }
    }
  });
});

describe('a page with a capability', () => {
  it('installs its release with the same capability, and shows when it expires', async () => {
    const page = await capabilityPage(ios);
    const { status, html } = await open(page, 'iphone');
    expect(status).toBe(200);
    expect(itmsTarget(html)).toBe(`${scenario.base}/public/v1${page}/manifest.plist`);
    expect(html).toMatch(/This link expires in 1[45] minutes\./);
    expect(html).not.toMatch(/Channel \d/);
    const icon = /<img [^>]*src="([^"]*)"/.exec(html)?.[1] ?? '';
    expect(icon).toMatch(/^\/public\/v1\/icons\/[\w-]+\?capability=[\w.-]+$/);
    expect((await scenario.follow(scenario.base + icon)).status).toBe(200);
  });
  it('transfers its own address to a phone', async () => {
    const page = await capabilityPage(android);
    const { html } = await open(page, 'windows');
    expect(html).toContain(scenario.base + page);
    expect(links(html)).toContain(`${scenario.base}/public/v1${page}/download`);
  });
});

describe('an invalid link', () => {
  it('always shows the same page, without details', async () => {
    const hidden = await scenario.publish(scenario.ios, buildIpa({ name: 'Secret' }));
    const expired = await capabilityPage(hidden);
    scenario.fixture.clock.advance(15 * MINUTE);
    const withdrawn = await capabilityPage(hidden);
    const staff = await scenario.staff();
    await staff.post(`/api/v1/builds/${hidden.build.identifier}/revoke`);
    await staff.patch(`/api/v1/channels/${hidden.channelId}`, { public: false });

    const absent = `/install/channels/${scenario.fixture.app.ids.next()}`;
    const places = [channelPage(hidden), absent, '/install/channels/nightly', '/install/channels/%3Cscript%3E'];
    /** The page of a channel contains its own address, for returning after the sign-in. */
    const withoutAddress = (page: string) => page.replace(/back=[\w%.-]+/, 'back=');
    const ended = [
      expired,
      withdrawn,
      `${withdrawn}x`,
      '/install/x',
      '/install/channels',
      `/install/${'x'.repeat(5000)}`,
    ];
    for (const [paths, words] of [
      [places, 'Sign in to install'],
      [ended, 'This link has expired'],
    ] as const) {
      const pages = new Set<string>();
      for (const path of paths) {
        const page = await open(path, 'iphone');
        expect([path, page.status, page.headers.get('content-type')]).toEqual([path, 404, 'text/html; charset=utf-8']);
        expect(page.html).toContain(words);
        expect(page.html).not.toContain('Secret');
        pages.add(withoutAddress(page.html));
      }
      expect(pages.size).toBe(1);
    }
    const asStaff = await staff.get(channelPage(hidden));
    expect(asStaff.status).toBe(404);
  });
});

describe('every page', () => {
  it('has strict headers', async () => {
    const nothing = '/install/channels/nothing';
    for (const path of [channelPage(ios), await capabilityPage(ios), nothing, '/install/nothing']) {
      const { headers } = await open(path, 'iphone', { cookie: 'svc_access=x' });
      const forms = path === nothing ? 'self' : 'none';
      expect(Object.fromEntries(headers)).toMatchObject({
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': `default-src 'none'; style-src 'self'; img-src 'self'; font-src 'self'; base-uri 'none'; form-action '${forms}'; frame-ancestors 'none'`,
        'cache-control': 'no-store',
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
        'x-robots-tag': 'noindex, nofollow',
        vary: 'Accept-Language, User-Agent, Cookie, Sec-CH-UA-Platform, Sec-CH-UA-Platform-Version',
      });
    }
  });
  it('has cacheable names for its style sheet and icon', async () => {
    const { html } = await open(channelPage(ios), 'iphone');
    expect(html).toContain(`href="${installStylesheet.path}"`);
    for (const { path, mediaType, content } of installAssets) {
      const asset = await scenario.follow(scenario.base + path);
      expect(asset.status).toBe(200);
      expect(asset.headers.get('content-type')).toBe(mediaType);
      expect(asset.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      expect(Buffer.from(await asset.arrayBuffer()).equals(Buffer.from(content))).toBe(true);
    }
    for (const name of ['0000.css', '..%2f..%2fpackage.json']) {
      expect((await open(`/install/assets/${name}`, 'iphone')).status).toBe(404);
    }
  });
  it('loads everything from this server, and stays under 30 KB', async () => {
    for (const [published, agent] of [
      [ios, 'iphone'],
      [ios, 'mac'],
      [android, 'android'],
      [android, 'windows'],
    ] as const) {
      const { html } = await open(channelPage(published), agent);
      expect(Buffer.byteLength(html)).toBeLessThan(30_000);
      const loaded = [...html.matchAll(/(?:src|<link [^>]*href)="([^"]*)"/g)].map(([, address = '']) => address);
      expect(loaded.length).toBeGreaterThanOrEqual(3);
      for (const address of loaded) {
        expect(address).toMatch(/^\/(?:install\/assets|public\/v1\/icons)\//);
        expect((await scenario.follow(scenario.base + address)).status).toBe(200);
      }
    }
  });
  it('requires https if iOS cannot install without it, but Android can', async () => {
    const plain = await startInstallScenario({ config: { server: { base_url: 'http://localhost:0' } } });
    try {
      const page = async (published: Published, agent: Agent) =>
        (await plain.follow(plain.base + channelPage(published), { headers: { 'user-agent': agents[agent] } })).text();
      const iphone = await page(await plain.publish(plain.ios, buildIpa()), 'iphone');
      expect(iphone).toContain('This server isn’t ready for iOS');
      expect(itmsTarget(iphone)).toBe('');
      const phone = await page(await plain.publish(plain.android, buildApk()), 'android');
      expect(phone).toContain('Download and install');
    } finally {
      await plain.fixture.stop();
    }
  });
});
