// The trust page of the server's own authority in browsers, over https and over plain http.
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findFreePort } from '../../scripts/lib/ports.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import { expectAccessible } from './accessibility.ts';
import { closeContexts, keepScreenshot, openBrowser, visit } from './browser.ts';

let browser: Browser;
let fixture: Fixture;
let plainUrl: string;

beforeAll(async () => {
  const port = await findFreePort();
  plainUrl = `http://localhost:${port}`;
  browser = await openBrowser();
  fixture = await startFixture({ config: { server: { tls: { mode: 'internal', http_port: port } } } });
});
afterAll(async () => {
  await closeContexts(browser);
  await fixture?.stop();
});

describe('the trust page', () => {
  it.each([
    ['trust-iphone', 'iphone', {}, 'Download profile', '/trust/taxiway.mobileconfig'],
    ['trust-iphone-dark', 'iphone', { colorScheme: 'dark' }, 'Download profile', '/trust/taxiway.mobileconfig'],
    ['trust-iphone-german', 'iphone', { locale: 'de-DE' }, 'Profil herunterladen', '/trust/taxiway.mobileconfig'],
    ['trust-android', 'android', {}, 'Download certificate', '/trust/taxiway.crt'],
    ['trust-desktop', 'desktop', {}, 'Download certificate', '/trust/taxiway.crt'],
  ] as const)("shows the steps for the visitor's device first: %s", async (name, device, wishes, words, target) => {
    await visit(browser, `${fixture.config.server.base_url}/trust`, { device, ...wishes }, async ({ page }) => {
      const button = page.locator('main ol').first().locator('xpath=..').getByRole('link');
      expect(await button.textContent()).toBe(words);
      expect(await button.getAttribute('href')).toBe(target);
      expect((await button.boundingBox())?.height).toBeGreaterThanOrEqual(44);
      await keepScreenshot(page, name);
      await expectAccessible(page);
      await page.emulateMedia({ colorScheme: 'dark' });
      await expectAccessible(page, 'colors');
    });
  });

  it('is available without https, and its certificate can be downloaded there', async () => {
    await visit(browser, `${plainUrl}/trust`, { device: 'android' }, async ({ page }) => {
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('link', { name: 'Download certificate', exact: true }).first().click(),
      ]);
      expect(download.url()).toBe(`${plainUrl}/trust/taxiway.crt`);
      expect(download.suggestedFilename()).toBe('taxiway.crt');
    });
  });
});
