// A person at the dashboard: a browser with a profile of its own, watched for what no page of it may do.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type {
  Browser,
  BrowserContext,
  BrowserContextOptions,
  CDPSession,
  Locator,
  Page,
  Request,
  ViewportSize,
} from 'playwright-core';
import { expect } from 'vitest';
import { expectAccessible, hasNewColors } from '../accessibility.ts';
import { arePicturesKept, waitUntilDrawn } from '../browser.ts';
import type { AxeScope } from '../page-traits.ts';
import { projectDir } from '../program.ts';
import { dropFile } from './files.ts';

const folder = join(projectDir, 'ci-output/screens/dashboard');

/** The user agent of an Android phone. */
export const androidAgent =
  'Mozilla/5.0 (Linux; Android 14; Pixel 7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0 Mobile Safari/537.36';
/** That of an iPhone. */
export const iphoneAgent =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1';

export interface Visitor {
  page: Page;
  context: BrowserContext;
  /** What a person does, counted. */
  actions: Actions;
  /** Refused requests that belong to the test; the browser complains of each. */
  expectRefusals(...statuses: number[]): void;
  /** Waits until the page asks for nothing any more and has drawn what came. */
  settle(): Promise<void>;
  /**
   * Asserts that the page is accessible and as wide as its screen, in light and dark, on a desktop and a phone. Waits until it
   * has settled, unless the test holds an answer back. Keeps pictures when that is asked for. With `isAtEnd`, looks at the
   * end of the page, where a bar at the bottom of the window covers nothing.
   */
  show(name: string, options?: { isLoading?: boolean; isAtEnd?: boolean }): Promise<void>;
  /** Asserts between two tests what `leave` asserts. The page stays for the next one, which expects no refusals at first. */
  rest(): Promise<void>;
  /** Asserts that nothing left the origin and that the console stayed quiet; ends the profile. */
  leave(): Promise<void>;
}

type Role = 'button' | 'link' | 'menuitem' | 'switch';

/** Each is one action of a person: a click, a drop, a choice, a field, a key that decides. */
interface Actions {
  click(target: string | RegExp | Locator, role?: Role): Promise<void>;
  /** Picks in a list, by its label. */
  choose(field: Locator, option: string): Promise<void>;
  fill(field: Locator, text: string): Promise<void>;
  /** Drops files of this machine anywhere on the page. */
  drop(...paths: readonly string[]): Promise<void>;
  /** Chooses a file in the system's dialog that a button opens. */
  pickFile(button: Locator, path: string): Promise<void>;
  /** Opens an address: a link that was sent, a bookmark. */
  open(address: string): Promise<void>;
  /** Counts what a test does by itself. */
  note(): void;
  /** How many since it was asked last. */
  count(): number;
}

function countActions(page: Page): Actions {
  let count = 0;
  const note = (): void => {
    count += 1;
  };
  return {
    note,
    async click(target, role = 'button') {
      note();
      const isNamed = typeof target === 'string' || target instanceof RegExp;
      const exact = typeof target === 'string';
      await (isNamed ? page.getByRole(role, { name: target, exact }) : target).click();
    },
    async choose(field, option) {
      note();
      await field.selectOption(option);
    },
    async fill(field, text) {
      note();
      await field.fill(text);
    },
    async drop(...paths) {
      note();
      await dropFile(page, ...paths);
    },
    async pickFile(button, path) {
      note();
      const chooser = page.waitForEvent('filechooser');
      await button.click();
      await (await chooser).setFiles(path);
    },
    async open(address) {
      note();
      await page.goto(address);
    },
    count() {
      const counted = count;
      count = 0;
      return counted;
    },
  };
}

/** Of a longer page only what is seen first is kept. */
const MAX_PICTURE_HEIGHT = 2600;

/**
 * What is looked at in which view. The structure of a page depends on the size of the screen, its colors on the scheme:
 * looking at everything in all four views finds nothing more. `every-page.test.ts` also looks at the colors of each page on a dark phone.
 */
const views: readonly { size: 'desktop' | 'phone'; colorScheme: 'light' | 'dark'; scope?: AxeScope }[] = [
  { size: 'desktop', colorScheme: 'light', scope: 'everything' },
  { size: 'desktop', colorScheme: 'dark', scope: 'colors' },
  { size: 'phone', colorScheme: 'light', scope: 'layout' },
  { size: 'phone', colorScheme: 'dark' },
];

export const desktop = { width: 1280, height: 860 };
export const phone = { width: 390, height: 844 };

function isEqualSize(one: ViewportSize | null, other: ViewportSize): boolean {
  return one?.width === other.width && one.height === other.height;
}

async function keepPicture(page: Page, name: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const height = await page.evaluate<number>('document.documentElement.scrollHeight');
  // What lies over the page covers the window, not the whole page.
  const isCovered = (await page.locator('[role="dialog"]:visible').count()) > 0;
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage: !isCovered && height < MAX_PICTURE_HEIGHT });
}

/** Profiles that nobody uses, by origin and options. */
const unused = new Map<string, BrowserContext[]>();
const keyOf = (origin: string, options: BrowserContextOptions) => JSON.stringify([origin, options]);

/**
 * A profile without cookies or storage. One that an earlier visitor left still has the app in its cache of files, which
 * takes most of a page's time to load and to compile.
 */
async function takeProfile(browser: Browser, origin: string, options: BrowserContextOptions): Promise<BrowserContext> {
  const open = browser.contexts();
  const left = unused.get(keyOf(origin, options))?.filter((context) => open.includes(context)) ?? [];
  const profile = left.pop();
  unused.set(keyOf(origin, options), left);
  if (profile !== undefined) return profile;
  return browser.newContext({
    locale: 'en-GB',
    timezoneId: 'UTC',
    viewport: desktop,
    acceptDownloads: true,
    reducedMotion: 'reduce',
    ...options,
  });
}

/** A blank page in each profile that a visitor left: it keeps the process, and with it what was compiled of the app. */
const keepers = new WeakMap<BrowserContext, { page: Page; devtools: CDPSession }>();

/** Takes everything out of a profile that its visitor brought about, files in the cache apart. */
async function returnProfile(context: BrowserContext, origin: string, options: BrowserContextOptions): Promise<void> {
  const used = context.pages();
  let keeper = keepers.get(context);
  if (keeper === undefined) {
    const page = await context.newPage();
    keeper = { page, devtools: await context.newCDPSession(page) };
    keepers.set(context, keeper);
  }
  const { page: kept, devtools } = keeper;
  await Promise.all(used.filter((page) => page !== kept).map((page) => page.close()));
  await context.unrouteAll();
  await context.setOffline(false);
  await context.clearPermissions();
  await context.clearCookies();
  await devtools.send('Storage.clearDataForOrigin', { origin, storageTypes: 'all' });
  unused.set(keyOf(origin, options), [...(unused.get(keyOf(origin, options)) ?? []), context]);
}

export type VisitorOptions = BrowserContextOptions & {
  /** Whether the app loads what its page doesn't need yet: about forty scripts, of which most tests use none. False by default. */
  preloads?: boolean;
};

/** Opens a profile. */
export async function openVisitor(
  browser: Browser,
  origin: string,
  { preloads = false, ...options }: VisitorOptions = {},
): Promise<Visitor> {
  const context = await takeProfile(browser, origin, options);
  const asked: string[] = [];
  const complaints: string[] = [];
  const expected = new Set<number>();
  const note = (request: Request) => void asked.push(request.url());
  context.on('request', note);
  const page = await context.newPage();
  // Without idle time, the app loads them when they are needed.
  if (!preloads) await page.addInitScript('globalThis.requestIdleCallback = () => 0;');
  // From the start, because the browser is told to hand over its dialogs while the key or click that opens one is on its way.
  page.on('filechooser', () => undefined);
  const pending = new Set<Request>();
  page.on('request', (request) => {
    // A document that is left takes its requests with it, and the end of a document's own request is not always reported.
    if (request.isNavigationRequest()) pending.clear();
    else pending.add(request);
  });
  page.on('requestfinished', (request) => pending.delete(request));
  // The app doesn't read every answer to what it sent, and an answer that nobody reads never finishes.
  page.on('response', (response) => {
    if (response.request().method() !== 'GET') pending.delete(response.request());
  });
  page.on('requestfailed', (request) => pending.delete(request));
  page.on('pageerror', (error) => complaints.push(error.stack ?? error.message));
  page.on('console', (message) => {
    if (!['error', 'warning'].includes(message.type())) return;
    const status = Number(/status of (\d+)/.exec(message.text())?.[1] ?? 0);
    const { url } = message.location();
    // How the API says that single sign-on isn't set up; pages ask for it whenever they link to its settings.
    const isWithoutSso = status === 404 && /\/organizations\/[^/]+\/sso$/.test(url);
    if (!expected.has(status) && !isWithoutSso) complaints.push(`${message.text()} (${url})`);
  });
  async function settle(): Promise<void> {
    // What came may make the app ask for more when it draws it.
    do {
      await expect.poll(() => [...pending].map((request) => request.url()), { interval: 10 }).toEqual([]);
      await waitUntilDrawn(page);
    } while (pending.size > 0);
  }
  function expectQuiet(): void {
    const isForeign = (address: string) => /^https?:/.test(address) && new URL(address).origin !== origin;
    const foreign = asked.splice(0).filter(isForeign);
    expect(foreign, foreign.join('\n')).toEqual([]);
    const heard = complaints.splice(0);
    expect(heard, heard.join('\n')).toEqual([]);
  }
  return {
    page,
    context,
    actions: countActions(page),
    expectRefusals(...statuses) {
      for (const status of statuses) expected.add(status);
    },
    settle,
    async show(name, { isLoading = false, isAtEnd = false } = {}) {
      await (isLoading ? waitUntilDrawn(page) : settle());
      const isDark = await page.evaluate<boolean>("matchMedia('(prefers-color-scheme: dark)').matches");
      let shownScheme: 'light' | 'dark' = isDark ? 'dark' : 'light';
      /** Computes styles and sizes anew, which takes most of the time here: only for what changes. */
      const change = async (colorScheme: 'light' | 'dark', viewport: ViewportSize): Promise<void> => {
        const isSame = isEqualSize(page.viewportSize(), viewport);
        if (isSame && colorScheme === shownScheme) return;
        if (colorScheme !== shownScheme) await page.emulateMedia({ colorScheme });
        shownScheme = colorScheme;
        if (!isSame) await page.setViewportSize(viewport);
        await waitUntilDrawn(page);
      };
      for (const { size, colorScheme, scope } of views) {
        if (
          !arePicturesKept &&
          (scope === undefined || (scope === 'colors' && !(await hasNewColors(page, colorScheme))))
        )
          continue;
        const viewport = { desktop, phone }[size];
        await change(colorScheme, viewport);
        if (isAtEnd) {
          await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)');
          await waitUntilDrawn(page);
        }
        if (arePicturesKept) await keepPicture(page, `${name}-${size}-${colorScheme}`);
        if (scope !== undefined) await expectAccessible(page, scope);
        const width = await page.evaluate<number>('document.documentElement.scrollWidth');
        expect(width, `${name} on a ${size} is as wide as its screen`).toBeLessThanOrEqual(viewport.width);
      }
      const ownScheme = options.colorScheme ?? 'light';
      if (shownScheme !== ownScheme) await page.emulateMedia({ colorScheme: ownScheme });
      const ownSize = options.viewport ?? desktop;
      if (!isEqualSize(page.viewportSize(), ownSize)) await page.setViewportSize(ownSize);
    },
    async rest() {
      await page.unrouteAll();
      await context.unrouteAll();
      expected.clear();
      expectQuiet();
    },
    async leave() {
      context.off('request', note);
      await returnProfile(context, origin, options);
      expectQuiet();
    },
  };
}
