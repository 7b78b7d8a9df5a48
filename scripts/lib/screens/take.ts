// Takes the pictures: each page in each theme and width, when everything on it has arrived and nothing moves.
import { mkdirSync } from 'node:fs';
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

/** Narrower screens are phones. */
const PHONE_WIDTH = 500;
/** The height that is visible, which decides what is loaded. */
const HEIGHT = 900;

/** What differs with each run or machine: measurements of the machine, and keys that have to be random. */
const RANDOM_PARTS = ['[data-measured]', '.address'];

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
  if (visitor === 'admin') {
    const response = await context.request.post(new URL('/api/v1/login', base).href, {
      data: { email: ADMIN.email, password: ADMIN.password, cookies: true },
      headers: { origin: new URL(base).origin },
    });
    if (!response.ok()) throw new Error(`The sign-in answered ${response.status()}`);
  }
  return context;
}

/** Waits until the page has its fonts and images, and has drawn everything. */
async function settle(page: Page): Promise<void> {
  await page.waitForLoadState('networkidle');
  await page.evaluate(`(async () => {
    await document.fonts.ready;
    await Promise.all([...document.images].map((image) => image.decode().catch(() => undefined)));
    for (let frame = 0; frame < 3; frame += 1) await new Promise((resolve) => requestAnimationFrame(resolve));
  })()`);
}

/** Takes the pictures of pages. Returns their number. */
export async function takePictures(
  browser: Browser,
  base: string,
  pages: readonly ScreenPage[],
  { folder, widths, themes, language }: TakeOptions,
): Promise<number> {
  mkdirSync(folder, { recursive: true });
  const contexts = new Map<Visitor, BrowserContext>();
  let count = 0;
  for (const { name, path, visitor } of pages) {
    const context = contexts.get(visitor) ?? (await openContext(browser, base, visitor, language));
    contexts.set(visitor, context);
    const page = await context.newPage();
    await page.goto(new URL(path, base).href);
    await settle(page);
    for (const width of widths) {
      await page.setViewportSize({ width, height: width < PHONE_WIDTH ? 844 : HEIGHT });
      for (const theme of themes) {
        await page.emulateMedia({ colorScheme: theme });
        await settle(page);
        await page.screenshot({
          path: join(folder, `${name}-${width}-${theme}.png`),
          fullPage: true,
          animations: 'disabled',
          mask: RANDOM_PARTS.map((selector) => page.locator(selector)),
          maskColor: '#808080',
        });
        count += 1;
      }
    }
    await page.close();
  }
  for (const context of contexts.values()) await context.close();
  return count;
}
