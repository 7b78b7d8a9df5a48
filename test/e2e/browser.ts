// A browser that walks through pages as a phone or a desktop would, and notes what no page of the product may do.
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type CDPSession,
  chromium,
  devices,
  type Page,
  type Request,
} from 'playwright-core';
import { expect } from 'vitest';
import { projectDir } from './program.ts';

let shared: Promise<Browser> | undefined;

/**
 * The browser, which all test files of a process share: starting one takes longer than most tests, and each test has a
 * context of its own. It ends with the process. Throws when there is none; `scripts/test` provides one or says why it cannot.
 */
export function openBrowser(): Promise<Browser> {
  shared ??= launchBrowser();
  return shared;
}

/** Closes the contexts that a test file opened and left open; the next file finds the browser as the first one did. */
export async function closeContexts(browser: Browser | undefined): Promise<void> {
  await Promise.all((browser?.contexts() ?? []).map((context) => context.close()));
}

/** How long a page is waited for, at most: on a busy machine it takes ten times as long as alone. As long as vitest.config.ts says. */
const PATIENCE_MS = 60_000;

/**
 * All pages of a context share a process, also those of other sites. A page in a new process compiles the web app and axe
 * anew, which takes a fifth of the time of all browser tests.
 */
const oneProcess = ['--renderer-process-limit=1', '--disable-site-isolation-trials'];

/**
 * Chromium takes one list, the last: what Playwright turns on, and requests in the browser's own process, which saves handing each of
 * them to another one and back.
 */
const withFeatures = ['CDPScreenshotNewSurface', 'NetworkServiceInProcess2'];

/**
 * Pages live for a second: optimizing their scripts takes longer than it saves unless they compute checksums, and collecting their garbage
 * early. The next page needs what was compiled for the last one, which is why all of it is compiled to machine code, in the quickest way.
 * Nobody looks at what is drawn: large tiles are drawn in the browser's process, without looking for a graphics card.
 */
const forBriefPages = [
  `--js-flags=${[
    '--no-turbofan',
    '--invocation-count-for-maglev=5000',
    '--invocation-count-for-maglev-osr=500',
    '--no-flush-bytecode',
    '--always-sparkplug',
    '--min-semi-space-size=16',
  ].join(' ')}`,
  '--default-tile-width=2048',
  '--default-tile-height=2048',
  '--in-process-gpu',
  '--disable-gpu',
];

/**
 * Chromium takes one list, the last: what Playwright turns off of that which these pages could meet, and compiling scripts while they come,
 * which compiles them again in a process that compiled them before.
 */
const withoutFeatures = [
  'AvoidCorsURLLoaderRestartOnRedirect',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsFirstBalancedModeAutoEnable',
  'HttpsUpgrades',
  'MediaRouter',
  'OptimizationHints',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
  'ScriptStreaming',
];

async function launchBrowser(): Promise<Browser> {
  const executablePath = process.env.TAXIWAY_CHROMIUM ?? '/usr/bin/chromium';
  if (!existsSync(executablePath)) throw new Error(`${executablePath} is missing: name a Chromium in TAXIWAY_CHROMIUM`);
  const args = [
    '--no-sandbox',
    '--disable-dev-shm-usage',
    '--disable-background-networking',
    // A name that isn't this machine's, for pages without https.
    '--host-resolver-rules=MAP builds.test 127.0.0.1',
    ...oneProcess,
    ...forBriefPages,
    `--enable-features=${withFeatures.join()}`,
    `--disable-features=${withoutFeatures.join()}`,
  ];
  const browser = await chromium.launch({ executablePath, args });
  browser.on('context', (context) => context.setDefaultTimeout(PATIENCE_MS));
  return browser;
}

const inWeChat =
  'Mozilla/5.0 (Linux; Android 14; Pixel 7 Build/UQ1A.240105.004; wv) AppleWebKit/537.36 (KHTML, like Gecko) ' +
  'Version/4.0 Chrome/116.0.0.0 Mobile Safari/537.36 XWEB/1160065 MMWEBSDK/20231202 MicroMessenger/8.0.47.2560';

/** An iPad asks for pages as a Mac does; only its touch screen tells them apart. */
const ipadAsMac =
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Safari/605.1.15';

export type DeviceName = 'iphone' | 'ipad' | 'mac' | 'android' | 'wechat' | 'desktop';

const phone = { isMobile: true, hasTouch: true } as const;

const profiles: Record<DeviceName, BrowserContextOptions> = {
  iphone: {
    ...phone,
    userAgent: userAgentOf('iPhone 15'),
    viewport: { width: 393, height: 852 },
    deviceScaleFactor: 3,
  },
  ipad: { ...phone, userAgent: ipadAsMac, viewport: { width: 820, height: 1180 }, deviceScaleFactor: 2 },
  mac: { userAgent: ipadAsMac, viewport: { width: 1440, height: 900 } },
  android: {
    ...phone,
    userAgent: userAgentOf('Pixel 7'),
    viewport: { width: 412, height: 915 },
    deviceScaleFactor: 2.625,
  },
  wechat: { ...phone, userAgent: inWeChat, viewport: { width: 412, height: 915 }, deviceScaleFactor: 2.625 },
  desktop: { viewport: { width: 1280, height: 900 } },
};

function userAgentOf(device: string): string {
  const found = devices[device];
  if (found === undefined) throw new Error(`playwright does not know the ${device}`);
  return found.userAgent;
}

export type Visit = BrowserContextOptions & {
  device: DeviceName;
  /** What the document is answered with, when it is not 200. */
  status?: number;
  /** Names of the cookies that the page may leave; none when it is not said. */
  cookies?: readonly string[];
  /** A cookie that the browser has from before, as `name=value`. */
  cookie?: string;
};

export interface Visited {
  page: Page;
  /** The document as it came. */
  html: string;
  headers: Record<string, string>;
}

/**
 * Opens an address and hands the page to `look`. Then asserts what holds for every page of the product: it asks nothing
 * of other hosts, runs no script, keeps no new cookie, complains of nothing in the console, weighs under 30 KB and fits its screen.
 */
export async function visit(
  browser: Browser,
  address: string,
  options: Visit,
  look: (visited: Visited) => Promise<void>,
) {
  const { device, status = 200, cookies = [], cookie, colorScheme = 'light', ...wishes } = options;
  const { origin } = new URL(address);
  const { context, putBack } = await takeContext(browser, origin, { ...profiles[device], ...wishes });
  const asked: string[] = [];
  const note = (request: Request) => void asked.push(request.url());
  try {
    const [name = '', value = ''] = cookie?.split('=') ?? [];
    if (cookie !== undefined) await context.addCookies([{ name, value, url: origin }]);
    const page = await context.newPage();
    await page.emulateMedia({ colorScheme });
    const complaints: { url: string; text: string }[] = [];
    const refused = new Set<string>();
    context.on('request', note);
    page.on('response', (one) => {
      if (one.request().isNavigationRequest() && one.status() >= 400) refused.add(one.url());
    });
    page.on('pageerror', (error) => complaints.push({ url: '', text: error.message }));
    page.on('console', (message) => {
      const isComplaint = ['error', 'warning'].includes(message.type());
      if (isComplaint) complaints.push({ url: message.location().url, text: message.text() });
    });
    const response = await page.goto(address, { waitUntil: 'load' });
    if (response === null) throw new Error(`${address} answered nothing`);
    expect(response.status()).toBe(status);
    const html = await response.text();
    const headers = response.headers();
    await expectGoodManners(page, html, headers);
    await look({ page, html, headers });
    expect(asked.filter((url) => new URL(url).origin !== origin)).toEqual([]);
    // A page that is answered with a refusal is one, and the browser says so.
    expect(complaints.filter(({ url, text }) => !(refused.has(url) && text.startsWith('Failed to load')))).toEqual([]);
    expect((await context.cookies()).map((kept) => kept.name)).toEqual([
      ...(cookie === undefined ? [] : [name]),
      ...cookies,
    ]);
  } finally {
    context.off('request', note);
    await putBack();
  }
}

/** Contexts that no visit uses, by their options. */
const spare = new Map<string, BrowserContext[]>();

/**
 * Returns a context as good as new: one that an earlier visit put back has no cookies, storage or files in its cache, only the
 * process, with what was compiled of axe.
 */
async function takeContext(browser: Browser, origin: string, options: BrowserContextOptions) {
  const key = JSON.stringify(options);
  const open = browser.contexts();
  const left = spare.get(key)?.filter((context) => open.includes(context)) ?? [];
  const context =
    left.pop() ??
    (await browser.newContext({
      locale: 'en-GB',
      timezoneId: 'UTC',
      ignoreHTTPSErrors: true,
      acceptDownloads: true,
      ...options,
    }));
  spare.set(key, left);
  const putBack = async () => {
    const used = context.pages();
    // The process ends with the last page.
    const page = await context.newPage();
    await Promise.all(used.map((one) => one.close()));
    await context.unrouteAll();
    await context.clearPermissions();
    await context.clearCookies();
    const devtools = await context.newCDPSession(page);
    await devtools.send('Network.clearBrowserCache');
    await devtools.send('Storage.clearDataForOrigin', { origin, storageTypes: 'all' });
    await devtools.detach();
    spare.set(key, [...(spare.get(key) ?? []), context]);
  };
  return { context, putBack };
}

async function expectGoodManners(page: Page, html: string, headers: Record<string, string>): Promise<void> {
  const policy = headers['content-security-policy'] ?? '';
  expect(policy).toMatch(
    /^default-src 'none'; style-src 'self'; img-src 'self'; font-src 'self'; base-uri 'none'; form-action '(none|self)'; frame-ancestors 'none'$/,
  );
  expect(headers['x-content-type-options']).toBe('nosniff');
  expect(headers['cache-control']).toBe('no-store');
  expect(html).not.toMatch(/<script|<style| style="| on\w+="/i);
  expect(Buffer.byteLength(html)).toBeLessThan(30 * 1024);
  const width = page.viewportSize()?.width ?? 0;
  const content = await page.locator('html').boundingBox();
  expect(content?.width).toBeLessThanOrEqual(width);
}

/** Whether pictures of the pages are kept: a person looks at them, no test does, and they take a quarter of the time. */
export const arePicturesKept = process.env.TAXIWAY_PICTURES === '1';

/** Keeps what the page looks like in ci-output/screens, when that is asked for. */
export async function keepScreenshot(page: Page, name: string): Promise<void> {
  if (!arePicturesKept) return;
  const folder = join(projectDir, 'ci-output/screens');
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
}

/** Keeps what the page of a failed test looks like in ci-output/failed, because its error only says what was missing. */
export async function keepFailure(page: Page, name: string): Promise<void> {
  const folder = join(projectDir, 'ci-output/failed');
  mkdirSync(folder, { recursive: true });
  const file = `${name.replace(/\W+/g, '-').slice(0, 100)}.png`;
  await page.screenshot({ path: join(folder, file), fullPage: true });
}

/** Waits until the page has drawn what changed last, and nothing on it moves any more. */
export async function waitUntilDrawn(page: Page): Promise<void> {
  // A color that is inherited changes one level of the page after the other, each in a frame of its own.
  await page.evaluate(`(async () => {
    const isEnding = (one) => one.playState === 'running' && one.effect.getComputedTiming().endTime !== Infinity;
    const nextFrame = () => new Promise((resolve) => requestAnimationFrame(resolve));
    for (let still = 0; still < 2; still += 1) {
      await nextFrame();
      if (document.getAnimations().some(isEnding)) still = -1;
    }
  })()`);
}

/** Returns the elements whose content is wider than they are, the innermost last; names what makes a page too wide. */
export function listWideElements(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(`[...document.querySelectorAll('body *')]
    .filter((one) => one.scrollWidth > one.clientWidth + 1 && one.clientWidth > 1)
    .map((one) => one.tagName + '.' + one.className + ' ' + one.textContent.slice(0, 60))`);
}

/** Gives a page an authenticator that has a passkey for every server, and verifies its owner without asking. */
export async function addAuthenticator(page: Page): Promise<{ cdp: CDPSession; authenticatorId: string }> {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('WebAuthn.enable');
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return { cdp, authenticatorId };
}
