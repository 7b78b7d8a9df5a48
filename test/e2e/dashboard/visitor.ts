// A person at the dashboard: a browser with a profile of its own, watched for what no page of it may do.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, BrowserContext, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { expectAccessible } from '../browser.ts';
import { projectDir } from '../program.ts';
import { dropFile } from './files.ts';

const folder = join(projectDir, 'ci-output/screens/dashboard');

export interface Visitor {
  page: Page;
  context: BrowserContext;
  /** What a person does, counted. */
  actions: Actions;
  /** Refused requests that belong to the test; the browser complains of each. */
  expectRefusals(...statuses: number[]): void;
  /** Pictures in light and dark, on a desktop and a phone, and what axe says in each. */
  show(name: string): Promise<void>;
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
const LONGEST_PICTURE = 2600;

export const desktop = { width: 1280, height: 860 };
export const phone = { width: 390, height: 844 };

/** Opens a profile. */
export async function openVisitor(
  browser: Browser,
  origin: string,
  options: BrowserContextOptions = {},
): Promise<Visitor> {
  const context = await browser.newContext({
    locale: 'en-GB',
    timezoneId: 'UTC',
    viewport: desktop,
    acceptDownloads: true,
    reducedMotion: 'reduce',
    ...options,
  });
  const asked: string[] = [];
  const complaints: string[] = [];
  const expected = new Set<number>();
  context.on('request', (request) => asked.push(request.url()));
  const page = await context.newPage();
  page.on('pageerror', (error) => complaints.push(error.stack ?? error.message));
  page.on('console', (message) => {
    if (!['error', 'warning'].includes(message.type())) return;
    const status = Number(/status of (\d+)/.exec(message.text())?.[1] ?? 0);
    if (!expected.has(status)) complaints.push(`${message.text()} (${message.location().url})`);
  });
  return {
    page,
    context,
    actions: countActions(page),
    expectRefusals(...statuses) {
      for (const status of statuses) expected.add(status);
    },
    async show(name) {
      mkdirSync(folder, { recursive: true });
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        for (const [size, viewport] of Object.entries({ desktop, phone })) {
          await page.setViewportSize(viewport);
          await page.waitForTimeout(120);
          const height = await page.evaluate<number>('document.documentElement.scrollHeight');
          // What lies over the page covers the window, not the whole page.
          const isCovered = (await page.locator('[role="dialog"]:visible').count()) > 0;
          const path = join(folder, `${name}-${size}-${colorScheme}.png`);
          await page.screenshot({ path, fullPage: !isCovered && height < LONGEST_PICTURE });
          await expectAccessible(page);
          const width = await page.evaluate<number>('document.documentElement.scrollWidth');
          expect(width, `${name} on a ${size} is as wide as its screen`).toBeLessThanOrEqual(viewport.width);
        }
      }
      await page.emulateMedia({ colorScheme: options.colorScheme ?? 'light' });
      await page.setViewportSize(options.viewport ?? desktop);
    },
    async leave() {
      await context.close();
      const isForeign = (address: string) => /^https?:/.test(address) && new URL(address).origin !== origin;
      expect(asked.filter(isForeign)).toEqual([]);
      expect(complaints).toEqual([]);
    },
  };
}
