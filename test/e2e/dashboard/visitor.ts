// A person at the dashboard: a browser with a profile of its own, watched for what no page of it may do.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { expect } from 'vitest';
import { expectAccessible } from '../browser.ts';
import { projectDir } from '../program.ts';

const folder = join(projectDir, 'ci-output/screens/dashboard');

export interface Visitor {
  page: Page;
  context: BrowserContext;
  /** How often somebody acted since the last `count`: clicks, drops, and fields that were filled in. */
  actions: { click(target: string | RegExp, role?: Role): Promise<void>; count(): number; note(): void };
  /** Refused requests that belong to the test; the browser complains of each. */
  expectRefusals(...statuses: number[]): void;
  /** Pictures in light and dark, on a desktop and a phone, and what axe says in each. */
  show(name: string): Promise<void>;
  /** Asserts that nothing left the origin and that the console stayed quiet; ends the profile. */
  leave(): Promise<void>;
}

type Role = 'button' | 'link' | 'menuitem' | 'switch';

/** Of a longer page only what is seen first is kept. */
const LONGEST_PICTURE = 2600;

export const desktop = { width: 1280, height: 860 };
export const phone = { width: 393, height: 852 };

/** Opens a profile. */
export async function openVisitor(
  browser: Browser,
  origin: string,
  options: { locale?: string } = {},
): Promise<Visitor> {
  const context = await browser.newContext({
    locale: options.locale ?? 'en-GB',
    timezoneId: 'UTC',
    viewport: desktop,
    acceptDownloads: true,
    reducedMotion: 'reduce',
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
  let count = 0;
  return {
    page,
    context,
    actions: {
      async click(target, role = 'button') {
        count += 1;
        await page.getByRole(role, { name: target, exact: typeof target === 'string' }).click();
      },
      note() {
        count += 1;
      },
      count() {
        const counted = count;
        count = 0;
        return counted;
      },
    },
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
          const path = join(folder, `${name}-${size}-${colorScheme}.png`);
          await page.screenshot({ path, fullPage: height < LONGEST_PICTURE });
          await expectAccessible(page);
          const width = await page.evaluate<number>('document.documentElement.scrollWidth');
          expect(width, `${name} on a ${size} is as wide as its screen`).toBeLessThanOrEqual(viewport.width);
        }
      }
      await page.emulateMedia({ colorScheme: 'light' });
      await page.setViewportSize(desktop);
    },
    async leave() {
      await context.close();
      const isForeign = (address: string) => /^https?:/.test(address) && new URL(address).origin !== origin;
      expect(asked.filter(isForeign)).toEqual([]);
      expect(complaints).toEqual([]);
    },
  };
}
