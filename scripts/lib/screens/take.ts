// Takes the pictures: each page in each theme and width, when everything on it has arrived and nothing moves.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, type BrowserContext, devices, type Page } from 'playwright-core';
import { ADMIN } from '../seed.ts';
import type { ScreenPage, Visitor } from './pages.ts';
import { MOMENT } from './server.ts';

export interface TakeOptions {
  folder: string;
  widths: readonly number[];
  themes: readonly ('light' | 'dark')[];
  language: string;
}

export interface Taken {
  count: number;
  wide: string[];
}

/** Narrower screens are phones. */
const PHONE_WIDTH = 500;
/** The height that is visible, which decides what is loaded. */
const HEIGHT = 900;

/** A page that never rests, such as one with a clock, gets the last picture. */
const MAX_ATTEMPTS = 5;

/** A machine that is busy takes long to draw a page. */
const TIMEOUT_MS = 120_000;

/** What the API reports about the machine, and what the pictures show instead. */
const MEASUREMENTS: Record<string, unknown> = {
  commit: 'unknown',
  built_at: null,
  started_at: new Date(MOMENT.getTime() - 86_400_000).toISOString(),
  size_bytes: 1_600_000,
  build_bytes: 131_700_000,
  free_bytes: 80_000_000_000,
  total_bytes: 250_000_000_000,
  mebibytes: 76_294,
  duration_ms: 9,
  last_error_at: MOMENT.toISOString(),
};

/** Replaces measurements at any depth. */
function withoutMeasurements(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(/\d+ MiB free/, '76294 MiB free');
  if (Array.isArray(value)) return value.map(withoutMeasurements);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [
      key,
      key in MEASUREMENTS ? MEASUREMENTS[key] : withoutMeasurements(one),
    ]),
  );
}

/**
 * Runs in the browser: replaces the digits of fingerprints and of the sizes of packages, because keys differ with each run, and signatures in
 * their length.
 */
const HIDE_RANDOM_TEXTS = `(() => {
  const hideAll = () => {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const hide = (text) => text.replace(/[0-9a-f]/gi, '0');
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      const shown = node.data
        .replace(/(?:[0-9a-f]{2}[: ]?){20,}/gi, hide)
        .replace(/(?<=localhost )[0-9a-f]{6}\\b/g, hide)
        .replace(/\\b\\d(?:[.,]\\d\\d?)? kB/g, '2 kB')
        .replace(/(?<=[+\u2212]\\d\\d)[.,]\\d(?=\\skB)/g, '')
        .replace(/(?<=size_bytes: )\\d+\\b/g, '4200000')
        .replace(/^(?:no change|keine Änderung|[+\u2212-]\\d+ bytes?)$/i, '+0 bytes')
        .replace(/^\\d{3}(?= bytes$)/i, '420');
      if (shown !== node.data) node.data = shown;
    }
  };
  hideAll();
  // A picture of the whole page makes the window larger, so that lists render more rows.
  globalThis.hiding ??= new MutationObserver(hideAll);
  globalThis.hiding.observe(document.body, { childList: true, characterData: true, subtree: true });
})()`;

const userAgents: Partial<Record<Visitor, string | undefined>> = {
  iphone: devices['iPhone 15']?.userAgent,
  android: devices['Pixel 7']?.userAgent,
};

/** Opens a browser profile whose clock shows the moment of the pictures. */
async function openContext(
  browser: Browser,
  base: string,
  visitor: Visitor,
  language: string,
): Promise<BrowserContext> {
  const userAgent = userAgents[visitor];
  const context = await browser.newContext({
    locale: language,
    timezoneId: 'UTC',
    reducedMotion: 'reduce',
    ignoreHTTPSErrors: true,
    viewport: { width: 1440, height: HEIGHT },
    hasTouch: userAgent !== undefined,
    ...(userAgent === undefined ? {} : { userAgent }),
  });
  await context.clock.setFixedTime(MOMENT);
  await context.route(/\/api\/v1\/system(?:\/findings)?(?:\?|$)/, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: withoutMeasurements(await response.json()) });
  });
  if (visitor === 'admin') {
    const response = await context.request.post(new URL('/api/v1/login', base).href, {
      data: { email: ADMIN.email, password: ADMIN.password, cookies: true },
      headers: { origin: new URL(base).origin },
    });
    if (!response.ok()) throw new Error(`The sign-in answered ${response.status()}`);
  }
  return context;
}

/** Returns how many requests a page has sent, and how many of them are unanswered. */
function watchRequests(page: Page): { sent: number; open: number } {
  const requests = { sent: 0, open: 0 };
  page.on('request', () => {
    requests.sent += 1;
    requests.open += 1;
  });
  for (const event of ['requestfinished', 'requestfailed'] as const) {
    page.on(event as 'requestfinished', () => {
      requests.open -= 1;
    });
  }
  return requests;
}

/**
 * Waits until the page has its fonts and images, and has drawn everything. A busy machine requests what a page loads on demand long
 * after the rest, so the network being idle isn't enough: the page has to be idle too, and must not have sent anything since.
 */
async function settle(page: Page, requests: { sent: number; open: number }): Promise<void> {
  await page.waitForLoadState('networkidle');
  let sent = -1;
  const giveUpAt = Date.now() + TIMEOUT_MS;
  while (sent !== requests.sent || requests.open > 0) {
    if (Date.now() > giveUpAt) throw new Error(`${page.url()} sends requests without end`);
    sent = requests.sent;
    await page.evaluate(`(async () => {
      await new Promise((resolve) => requestIdleCallback(resolve));
      await document.fonts.ready;
      await Promise.all([...document.images].map((image) => image.decode().catch(() => undefined)));
      for (let frame = 0; frame < 3; frame += 1) await new Promise((resolve) => requestAnimationFrame(resolve));
    })()`);
  }
}

/** Takes pictures until two are the same: what measures itself, such as a chart, draws once more when the whole page is shown. */
async function takeSteadyPicture(page: Page): Promise<Buffer> {
  const take = () => page.screenshot({ fullPage: true, animations: 'disabled' });
  let picture = await take();
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const next = await take();
    if (next.equals(picture)) break;
    picture = next;
  }
  return picture;
}

/** Takes the pictures of pages. Returns their number, and the pictures of pages that are wider than the screen. */
export async function takePictures(
  browser: Browser,
  base: string,
  pages: readonly ScreenPage[],
  { folder, widths, themes, language }: TakeOptions,
): Promise<Taken> {
  mkdirSync(folder, { recursive: true });
  const contexts = new Map<Visitor, BrowserContext>();
  const taken: Taken = { count: 0, wide: [] };
  for (const { name, path, visitor, html } of pages) {
    const context = contexts.get(visitor) ?? (await openContext(browser, base, visitor, language));
    contexts.set(visitor, context);
    const page = await context.newPage();
    page.setDefaultTimeout(TIMEOUT_MS);
    const requests = watchRequests(page);
    for (const width of widths) {
      // A page that is made smaller keeps parts that were drawn for its earlier size.
      await page.setViewportSize({ width, height: width < PHONE_WIDTH ? 844 : HEIGHT });
      if (html === undefined) await page.goto(new URL(path, base).href);
      else await page.setContent(html);
      for (const theme of themes) {
        await page.emulateMedia({ colorScheme: theme });
        await settle(page, requests);
        await page.evaluate(HIDE_RANDOM_TEXTS);
        writeFileSync(join(folder, `${name}-${width}-${theme}.png`), await takeSteadyPicture(page));
        taken.count += 1;
        const actual = await page.evaluate<number>('document.documentElement.scrollWidth');
        if (actual > width) taken.wide.push(`${name}-${width}-${theme} is ${actual} pixels wide`);
      }
    }
    await page.close();
  }
  for (const context of contexts.values()) await context.close();
  return taken;
}
