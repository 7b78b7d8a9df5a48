// Enrolling a phone in a browser: the page of a link in all its states, and the result page.
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OLD_UDID, UDID } from '../devices/phone.ts';
import { type DeviceScenario, startDeviceScenario } from '../devices/scenario.ts';
import { buildIpa } from '../support/fixtures.ts';
import { expectAccessible } from './accessibility.ts';
import { closeContexts, keepScreenshot, openBrowser, visit } from './browser.ts';
import { buildSampleIpa } from './sample-app.ts';

const ipad =
  'Mozilla/5.0 (iPad; CPU OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1';
const ipadAsMac =
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15';
const wechatOnIphone =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 MicroMessenger/8.0.49';

let browser: Browser;
let lab: DeviceScenario;

beforeAll(async () => {
  [browser, lab] = await Promise.all([openBrowser(), startDeviceScenario()]);
});
afterAll(async () => {
  await closeContexts(browser);
  await lab?.stop();
});

describe('an enrollment link', () => {
  it.each([
    ['enroll-iphone', {}],
    ['enroll-iphone-dark', { colorScheme: 'dark' }],
    ['enroll-iphone-german', { locale: 'de-DE' }],
    ['enroll-ipad', { userAgent: ipad, viewport: { width: 820, height: 1180 } }],
    ['enroll-ipad-as-mac', { userAgent: ipadAsMac, viewport: { width: 820, height: 1180 } }],
  ] as const)('shows a phone the steps: %s', async (name, wishes) => {
    const { url } = await lab.link();
    await visit(browser, lab.reach(url), { device: 'iphone', ...wishes }, async ({ page }) => {
      const button = page.getByRole('link', { name: /^(Download profile|Profil herunterladen)$/ });
      expect(await button.getAttribute('href')).toBe(`${url}/profile`);
      const box = await button.boundingBox();
      expect(box?.height).toBeGreaterThanOrEqual(44);
      // Without scrolling.
      expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThan(page.viewportSize()?.height ?? 0);
      await keepScreenshot(page, name);
      await expectAccessible(page);
      await page.emulateMedia({ colorScheme: 'dark' });
      await expectAccessible(page, 'colors');
    });
  });

  it.each([
    ['enroll-desktop', 'desktop', {}, 'Open this page on your iPhone or iPad'],
    ['enroll-mac', 'desktop', { userAgent: ipadAsMac }, 'Open this page on your iPhone or iPad'],
    ['enroll-android', 'android', {}, 'Not required on Android'],
    ['enroll-in-app', 'iphone', { userAgent: wechatOnIphone }, 'Open this page in Safari'],
  ] as const)('shows every other browser what to do: %s', async (name, device, wishes, title) => {
    const { url } = await lab.link();
    await visit(browser, lab.reach(url), { device, ...wishes }, async ({ page }) => {
      expect(await page.getByRole('heading', { name: title }).isVisible()).toBe(true);
      expect(await page.getByRole('img').count()).toBe(device === 'desktop' ? 1 : 0);
      await keepScreenshot(page, name);
      await expectAccessible(page);
      await page.emulateMedia({ colorScheme: 'dark' });
      await expectAccessible(page, 'colors');
    });
  });

  it('that has expired shows that', async () => {
    const address = `${lab.fixture.url}/public/v1/enroll/over`;
    await visit(browser, address, { device: 'iphone', status: 404 }, async ({ page }) => {
      expect(await page.getByRole('heading', { name: 'This link no longer works' }).isVisible()).toBe(true);
      await keepScreenshot(page, 'enroll-over');
      await expectAccessible(page);
    });
  });
});

describe('a registered phone', () => {
  it('sees what it can install, and continues to it', async () => {
    const { installScenario: shelf } = lab;
    const profile = { ProvisionedDevices: [UDID] };
    const ready = await shelf.publish(shelf.ios, buildIpa({ name: 'Lighthouse', profile }));
    await shelf.publish(shelf.ios, buildSampleIpa());
    await shelf.publish(shelf.ios, buildIpa({ name: 'Tomorrow', minOs: '27.0', profile }));
    const result = await lab.enroll(await lab.link({ name: 'Blue phone' }));
    const options = { device: 'iphone', cookies: ['svc_device'] } as const;
    await visit(browser, lab.reach(result), options, async ({ page }) => {
      expect(await page.getByRole('heading', { name: 'This iPhone is registered' }).isVisible()).toBe(true);
      for (const title of ['Ready to install', 'Waiting for a new build', 'Not compatible with this device']) {
        expect(await page.getByRole('heading', { name: title }).isVisible()).toBe(true);
      }
      await keepScreenshot(page, 'enrolled');
      await expectAccessible(page);
      const install = page.getByRole('link', { name: 'Install' });
      expect(await install.count()).toBe(1);
      const address = (await install.getAttribute('href')) ?? '';
      expect(address).toBe(`${shelf.base}/install/channels/${ready.channelId}`);
      await page.goto(lab.reach(address));
      expect(await page.getByRole('heading', { name: 'Lighthouse' }).isVisible()).toBe(true);
    });
  });

  it('without compatible apps sees that it must wait', async () => {
    const empty = await startDeviceScenario();
    try {
      const result = await empty.enroll(await empty.link(), { UDID: OLD_UDID, PRODUCT: 'iPad7,5' });
      const options = { device: 'iphone', cookies: ['svc_device'], colorScheme: 'dark' } as const;
      await visit(browser, empty.reach(result), options, async ({ page }) => {
        expect(await page.getByRole('heading', { name: 'Nothing to install yet' }).isVisible()).toBe(true);
        await keepScreenshot(page, 'enrolled-nothing-yet');
        await expectAccessible(page);
      });
    } finally {
      await empty.stop();
    }
  });
});
