// Every page of the documentation in a browser: accessible in both themes and two widths, quiet, within its screen; search, copy buttons
// and navigation work.

import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { provideDocs } from '../../scripts/lib/docs/build.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import { expectAccessible } from './accessibility.ts';
import { arePicturesKept, closeContexts, keepScreenshot, openBrowser } from './browser.ts';

let fixture: Fixture;
let browser: Browser;
let pages: string[];
beforeAll(async () => {
  const { files } = await provideDocs();
  pages = Object.keys(files).filter((name) => name.endsWith('.html'));
  fixture = await startFixture();
  browser = await openBrowser();
});
afterAll(async () => {
  await closeContexts(browser);
  await fixture?.stop();
});

const addressOf = (name: string) => new URL(`/docs/${name}`, fixture.url).href;

async function openContext(width: number, options: { javaScriptEnabled?: boolean } = {}) {
  const context = await browser.newContext({
    viewport: { width, height: 900 },
    bypassCSP: false,
    hasTouch: width < 500,
    ...options,
  });
  const complaints: string[] = [];
  const foreign: string[] = [];
  context.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(`${message.location().url}: ${message.text()}`);
  });
  context.on('request', (request) => {
    if (new URL(request.url()).origin !== new URL(fixture.url).origin) foreign.push(request.url());
  });
  return { context, complaints, foreign };
}

async function withPage(context: BrowserContext, name: string, look: (page: Page) => Promise<void>): Promise<void> {
  const page = await context.newPage();
  try {
    await page.goto(addressOf(name));
    await look(page);
  } finally {
    await page.close();
  }
}

describe('every page of the documentation', () => {
  it('is accessible, loads without errors and fits the screen, on a desktop and a phone', async () => {
    const { context, complaints, foreign } = await openContext(1280);
    expect(pages.length).toBeGreaterThan(40);
    // One tab for all: what was compiled of axe ends with the last tab of a context.
    const page = await context.newPage();
    for (const [index, path] of pages.entries()) {
      // A page begins with the width and the colors that the last one ended with.
      const isEven = index % 2 === 0;
      await page.emulateMedia({ colorScheme: isEven ? 'light' : 'dark' });
      try {
        await page.goto(addressOf(path));
        // The pages of the API reference come from one template: one of them is checked like all others.
        const isChecked = !path.startsWith('api/') || path === 'api/builds.html';
        for (const [place, width] of (isEven ? [1280, 390] : [390, 1280]).entries()) {
          await page.setViewportSize({ width, height: 900 });
          // Colors don't depend on the width.
          if (isChecked) await expectAccessible(page, place === 0 ? 'everything' : 'layout');
          expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
        }
        await page.emulateMedia({ colorScheme: isEven ? 'dark' : 'light' });
        if (isChecked) await expectAccessible(page, 'colors');
      } catch (error) {
        const found = error instanceof Error && 'actual' in error ? JSON.stringify(error.actual) : String(error);
        throw new Error(`${path}: ${found}`);
      }
    }
    expect(complaints).toEqual([]);
    expect(foreign).toEqual([]);
    await context.close();
  }, 600_000);

  // Only for people who look at them.
  if (arePicturesKept) {
    it('has images', async () => {
      for (const width of [1440, 390]) {
        const { context } = await openContext(width);
        for (const path of [
          'index.html',
          'start.html',
          'ios.html',
          'install-and-upgrade.html',
          'api/builds.html',
          'all-pages.html',
        ]) {
          for (const colorScheme of ['light', 'dark'] as const) {
            await withPage(context, path, async (page) => {
              await page.emulateMedia({ colorScheme });
              await keepScreenshot(page, `docs-${path.replace(/\W+/g, '-')}-${width}-${colorScheme}`);
            });
          }
        }
        await context.close();
      }
    });
  }
});

describe('the search', () => {
  it('finds headings and opens one with the keyboard', async () => {
    const { context } = await openContext(1280);
    await withPage(context, 'specification/limits.html', async (page) => {
      await page.keyboard.press('/');
      await page.keyboard.type('verify the signature');
      const options = page.getByRole('option');
      await options.first().waitFor();
      expect(await options.first().textContent()).toContain('Webhooks › Verify the signature');
      expect(await page.getByRole('combobox').getAttribute('aria-activedescendant')).toBe('result-0');
      await expectAccessible(page);
      await page.keyboard.press('ArrowDown');
      expect(await options.nth(1).getAttribute('aria-selected')).toBe('true');
      await page.keyboard.press('ArrowUp');
      await page.keyboard.press('Enter');
      await page.waitForURL('**/docs/webhooks.html#verify-the-signature');
    });
    await context.close();
  });

  it('says when nothing is found, and closes with Escape', async () => {
    const { context } = await openContext(1280);
    await withPage(context, 'index.html', async (page) => {
      await page.getByRole('combobox').fill('zzzzzz');
      await page.getByRole('status').filter({ hasText: 'No results' }).waitFor({ state: 'attached' });
      await page.getByRole('combobox').fill('webhook');
      await page.getByRole('option').first().waitFor();
      await page.keyboard.press('Escape');
      expect(await page.getByRole('option').count()).toBe(0);
    });
    await context.close();
  });

  it('leads to the list of all pages without scripts', async () => {
    const { context } = await openContext(1280, { javaScriptEnabled: false });
    await withPage(context, 'specification/index.html', async (page) => {
      await page.getByRole('searchbox').fill('webhooks');
      await page.getByRole('searchbox').press('Enter');
      await page.waitForURL('**/docs/all-pages.html?q=webhooks');
      await page.getByRole('main').getByRole('link', { name: 'Verify the signature' }).click();
      await page.waitForURL('**/docs/webhooks.html#verify-the-signature');
    });
    await context.close();
  });
});

describe('a page of the documentation', () => {
  it('copies its code', async () => {
    const { context } = await openContext(1280);
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await withPage(context, 'start.html', async (page) => {
      await page.getByRole('button', { name: 'Copy' }).first().click();
      await page.getByRole('button', { name: 'Copied' }).waitFor();
      expect(await page.evaluate('navigator.clipboard.readText()')).toBe('scripts/build');
    });
    await context.close();
  });

  it('shows its headings beside it, and the way to the next page', async () => {
    const { context } = await openContext(1280);
    await withPage(context, 'ios.html', async (page) => {
      await page
        .getByRole('navigation', { name: 'On this page' })
        .getByRole('link', { name: '2. Sign the build' })
        .click();
      await page.waitForURL('**/docs/ios.html#2-sign-the-build');
      await page.getByRole('link', { name: 'Next Devices' }).click();
      await page.waitForURL('**/docs/devices.html');
      expect(
        await page.getByRole('navigation', { name: 'Documentation' }).locator('[aria-current]').textContent(),
      ).toBe('Devices');
    });
    await context.close();
  });

  it('has its navigation in a menu on a phone, also without scripts', async () => {
    for (const javaScriptEnabled of [true, false]) {
      const { context } = await openContext(390, { javaScriptEnabled });
      await withPage(context, 'start.html', async (page) => {
        const navigation = page.getByRole('navigation', { name: 'Documentation' });
        expect(await navigation.isVisible()).toBe(false);
        await page.getByRole('button', { name: 'Menu' }).click();
        await navigation.getByRole('link', { name: 'Webhooks' }).click();
        await page.waitForURL('**/docs/webhooks.html');
      });
      await context.close();
    }
  });

  it('prints without navigation', async () => {
    const { context } = await openContext(1280);
    await withPage(context, 'ios.html', async (page) => {
      await page.emulateMedia({ media: 'print' });
      const hidden = ['header', '.navigation', '.toc', '.neighbors', '.copy', '.skip'];
      for (const selector of hidden)
        expect([selector, await page.locator(selector).first().isVisible()]).toEqual([selector, false]);
      expect(await page.getByRole('heading', { name: 'iOS in four steps' }).isVisible()).toBe(true);
    });
    await context.close();
  });
});
