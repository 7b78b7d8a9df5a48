// Install pages in their error states, in a browser.
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type InstallScenario, startInstallScenario } from '../install/scenario.ts';
import { expectAccessible } from './accessibility.ts';
import { closeContexts, type DeviceName, keepScreenshot, openBrowser, visit } from './browser.ts';
import { buildSampleApk, buildSampleIpa, sampleApp } from './sample-app.ts';

const identity = { version_name: sampleApp.version, build_number: Number(sampleApp.build) };

let browser: Browser;
let shelf: InstallScenario;
/** Serves the same without https. */
let plain: InstallScenario;

beforeAll(async () => {
  [browser, shelf, plain] = await Promise.all([
    openBrowser(),
    startInstallScenario(),
    startInstallScenario({ config: { server: { base_url: 'http://localhost:0' } } }),
  ]);
});
afterAll(async () => {
  await closeContexts(browser);
  await Promise.all([shelf?.fixture.stop(), plain?.fixture.stop()]);
});

interface Sight {
  address: string;
  device: DeviceName;
  status?: number;
  /** Heading that says what is the matter. */
  title: string;
  /** Links of the page: none of them installs. */
  links?: number;
  name: string;
}

/** Opens a page, finds its heading and no way to install, and keeps what it looked like. */
async function expectObstacle(
  { address, device, status = 200, title, links = 0, name }: Sight,
  look?: (page: Page) => Promise<void>,
) {
  await visit(browser, address, { device, status }, async ({ page }) => {
    expect(await page.getByRole('heading', { name: title }).isVisible()).toBe(true);
    expect(await page.locator('a:not(.feedback)').count()).toBe(links);
    await look?.(page);
    await keepScreenshot(page, name);
    await expectAccessible(page);
    await page.emulateMedia({ colorScheme: 'dark' });
    await expectAccessible(page, 'colors');
  });
}

describe('an install page', () => {
  it('of a channel without a release asks to keep the link', async () => {
    const channelId = await shelf.addChannel(shelf.ios);
    const address = shelf.reach(`${shelf.base}/install/channels/${channelId}`);
    // The link leads to the sign-in, for people who can register their phone.
    const title = 'Nothing to install yet';
    await expectObstacle({ address, device: 'iphone', title, links: 1, name: 'nothing-released' });
  });

  it('of a private channel asks to sign in, like that of a missing one', async () => {
    const channelId = await shelf.addChannel(shelf.android, { public: false });
    const texts: (string | null)[] = [];
    for (const id of [channelId, '00000000-0000-7000-8000-000000000000']) {
      const address = shelf.reach(`${shelf.base}/install/channels/${id}`);
      const sight = {
        address,
        device: 'android',
        status: 404,
        title: 'Sign in to install',
        links: 1,
        name: 'private',
      } as const;
      await expectObstacle(sight, async (page) => {
        texts.push(await page.locator('body').textContent());
      });
    }
    expect(texts[0]).toBe(texts[1]);
  });

  it('with a capability shows when it expires, and afterwards that it has expired', async () => {
    const { path } = await shelf.publish(shelf.android, buildSampleApk(), identity);
    const minted = await shelf.anyone.post<{ install_url: string }>(`${path}/install-link`, {});
    const address = shelf.reach(minted.body.install_url);
    await visit(browser, address, { device: 'android' }, async ({ page }) => {
      expect(await page.getByRole('link', { name: 'Download and install' }).isVisible()).toBe(true);
      expect(await page.getByText(/^This link expires in 1[45] minutes\.$/).isVisible()).toBe(true);
      await keepScreenshot(page, 'capability');
    });
    shelf.fixture.clock.advance(15 * 60_000);
    const title = 'This link has expired';
    await expectObstacle({ address, device: 'android', status: 404, title, name: 'capability-ended' }, async (page) => {
      expect(await page.locator('body').textContent()).not.toContain(sampleApp.name);
    });
  });

  it('on a phone of the other platform shows what to do', async () => {
    const { channelId } = await shelf.publish(shelf.ios, buildSampleIpa(), identity);
    const address = shelf.reach(`${shelf.base}/install/channels/${channelId}`);
    const title = 'This app is for iPhone and iPad';
    // The link leads to the sign-in, for people with access to a version for this phone.
    await expectObstacle({ address, device: 'android', title, links: 1, name: 'wrong-platform' });
  });

  it.each(['iphone', 'desktop'] as const)(
    'for iOS shows that a server without https is not ready: %s',
    async (device) => {
      const { channelId } = await plain.publish(plain.ios, buildSampleIpa(), {
        ...identity,
        version_name: `${sampleApp.version}-${device}`,
      });
      const address = plain.reach(`${plain.base}/install/channels/${channelId}`);
      const title = 'This server isn’t ready for iOS';
      await expectObstacle({ address, device, title, name: `https-needed-${device}` }, async (page) => {
        expect(await page.locator('main').textContent()).toContain('base_url that starts with https://');
      });
    },
  );
});
