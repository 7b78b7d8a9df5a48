// Install pages for different phones in a browser: what they can install, and why not.
import { eq } from 'drizzle-orm';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemContext } from '../../src/core/transact.ts';
import { organizations } from '../../src/data/tables/tables.ts';
import { deviceCookie } from '../../src/devices/cookie.ts';
import { insertDevice } from '../../src/devices/store.ts';
import { DAY } from '../../src/lib/clock.ts';
import { createIdentity } from '../inspection/build-signature.ts';
import { type InstallScenario, startInstallScenario } from '../install/scenario.ts';
import { buildApk, buildIpa, sampleDevices } from '../support/fixtures.ts';
import { expectAccessible } from './accessibility.ts';
import { closeContexts, type DeviceName, keepScreenshot, openBrowser, visit } from './browser.ts';
import { buildSampleApk, buildSampleIpa, sampleApp } from './sample-app.ts';

let browser: Browser;
let shelf: InstallScenario;
let iosPage: string;
let androidPage: string;
let number = 0;

beforeAll(async () => {
  [browser, shelf] = await Promise.all([openBrowser(), startInstallScenario()]);
  iosPage = await publish(shelf.ios, buildSampleIpa());
  androidPage = await publish(shelf.android, buildSampleApk());
});
afterAll(async () => {
  await closeContexts(browser);
  await shelf?.fixture.stop();
});

/** Releases a package on a public channel of its own; answers the address of its page. */
async function publish(
  project: InstallScenario['ios'],
  bytes: Buffer,
  versionName: string = sampleApp.version,
): Promise<string> {
  number += 1;
  const { channelId } = await shelf.publish(project, bytes, {
    version_name: versionName,
    build_number: number,
    release_notes: sampleApp.notes,
  });
  return shelf.reach(`${shelf.base}/install/channels/${channelId}`);
}

function addDevice(udid: string, product: string): string {
  const { app, organization_id: organizationId } = shelf.fixture;
  const id = app.ids.next();
  const facts = { organizationId, udid, name: 'Sample', product, osBuild: '21F79', developerId: null };
  systemContext(app).transact((tx) => insertDevice(tx, { id, ...facts, registeredAt: tx.now, enrolledAt: tx.now }), {
    bookkeeping: true,
  });
  return deviceCookie(app, id).split(';')[0] ?? '';
}

interface Sight {
  address: string;
  device: DeviceName;
  name: string;
  cookie?: string;
  locale?: string;
  /** Everything in it is to be seen. */
  seen: readonly string[];
  /** In the page's order; those that can be seen. */
  links: readonly string[];
}

async function expectSight(
  { address, device, name, seen, links, ...wishes }: Sight,
  look?: (page: Page) => Promise<void>,
) {
  await visit(browser, address, { device, ...wishes }, async ({ page }) => {
    for (const words of seen) expect(await page.getByText(words).first().isVisible(), words).toBe(true);
    // Every page ends with the link to the form for feedback.
    const shown = await page.locator('a:visible:not(.feedback)').allInnerTexts();
    expect(shown).toEqual(links);
    await look?.(page);
    await keepScreenshot(page, name);
    await expectAccessible(page);
    await page.emulateMedia({ colorScheme: 'dark' });
    await expectAccessible(page, 'colors');
  });
}

describe('an iPad that identifies as a Mac', () => {
  it('is recognized by its touch screen, without a script', async () => {
    const sight = { address: iosPage, device: 'ipad', name: 'ipad', javaScriptEnabled: true } as const;
    await expectSight(
      {
        ...sight,
        seen: [
          'Your iPad asks whether to install “Harbour”. Tap Install.',
          'This build runs only on registered devices.',
        ],
        links: ['Install', 'Sign in'],
      },
      async (page) => {
        expect(await page.locator('.qr').isVisible()).toBe(false);
      },
    );
  });

  it('differs from a Mac, which gets the QR code', async () => {
    await expectSight(
      {
        address: iosPage,
        device: 'mac',
        name: 'mac',
        seen: ['Open this page on your iPhone or iPad'],
        links: ['On an iPad? Install here'],
      },
      async (page) => {
        expect(await page.locator('.qr').isVisible()).toBe(true);
      },
    );
  });

  it('is recognized by its cookie', async () => {
    const cookie = addDevice('00000000-00000000000000DD', 'iPad13,4');
    await expectSight({
      address: iosPage,
      device: 'ipad',
      cookie,
      name: 'ipad-waiting',
      seen: ['This build doesn’t include this iPad yet'],
      links: ['Sign in', 'Try here anyway'],
    });
  });
});

describe('an iPhone', () => {
  it('can install a build whose profile contains it', async () => {
    await expectSight({
      address: iosPage,
      device: 'iphone',
      cookie: addDevice(sampleDevices[0] ?? '', 'iPhone14,2'),
      name: 'provisioned',
      seen: ['This iPhone is registered for this build.', 'Next steps'],
      links: ['Install'],
    });
  });

  it('waits for a build that contains it', async () => {
    await expectSight({
      address: iosPage,
      device: 'iphone',
      cookie: addDevice('00000000-00000000000000EE', 'iPhone14,2'),
      name: 'waiting',
      seen: ['This build doesn’t include this iPhone yet', 'Keep this link. The new build appears on this page.'],
      links: ['Sign in', 'Try here anyway'],
    });
  });

  it('gets the reason in German', async () => {
    await expectSight({
      address: iosPage,
      device: 'iphone',
      locale: 'de-DE',
      cookie: addDevice('00000000-00000000000000EF', 'iPhone14,2'),
      name: 'waiting-german',
      seen: ['Dieser Build enthält dieses iPhone noch nicht'],
      links: ['Anmelden', 'Trotzdem hier versuchen'],
    });
  });

  it('sees that a build is for iPad', async () => {
    const address = await publish(shelf.ios, buildIpa({ name: sampleApp.name, info: { UIDeviceFamily: [2] } }));
    const seen = ['This app is for iPad', 'Link to this page'];
    await expectSight({ address, device: 'iphone', name: 'ipad-only', seen, links: [] });
  });

  it('gets a warning about a profile that expires soon, and a message when it has expired', async () => {
    const now = shelf.fixture.clock.now().getTime();
    const profile = (days: number) => ({ ExpirationDate: new Date(now + days * DAY + 60_000) });
    const address = await publish(shelf.ios, buildIpa({ name: sampleApp.name, profile: profile(6) }));
    const ended = await publish(shelf.ios, buildIpa({ name: sampleApp.name, profile: profile(-1) }));
    const seen = ['This build expires in 6 days'];
    await expectSight({ address, device: 'iphone', name: 'profile-expires', seen, links: ['Install', 'Sign in'] });
    const gone = ['This build has expired'];
    await expectSight({ address: ended, device: 'iphone', name: 'profile-expired', seen: gone, links: [] });
  });

  it('sees that its system is too old', async () => {
    const address = await publish(shelf.ios, buildIpa({ name: sampleApp.name, minOs: '40.0' }));
    const seen = ['Requires iOS 40.0 or later', 'Open Settings › General › Software Update.'];
    await expectSight({ address, device: 'iphone', name: 'os-too-old', seen, links: [] });
  });
});

describe('an Android phone', () => {
  it('sees how to allow apps from other sources', async () => {
    await expectSight({
      address: androidPage,
      device: 'android',
      name: 'android-ready',
      seen: ['The first time, Android warns that your browser isn’t allowed to install unknown apps.'],
      links: ['Download and install'],
    });
  });

  it('gets a warning about a build that cannot update the installed one', async () => {
    const [ours, theirs] = [createIdentity('Ours'), createIdentity('Theirs')];
    const first = await shelf.publish(shelf.android, buildApk({ label: sampleApp.name, signers: [ours] }), {
      version_name: '2.3.9',
    });
    const build = await shelf.addBuild(
      shelf.android,
      buildApk({ label: sampleApp.name, signers: [theirs], isDebuggable: true }),
      {
        version_name: sampleApp.version,
      },
    );
    await shelf.addRelease(shelf.android, first.channelId, build.identifier);
    await expectSight({
      address: shelf.reach(`${shelf.base}/install/channels/${first.channelId}`),
      device: 'android',
      name: 'reinstall',
      seen: ['Uninstall the installed version first', 'Debug build'],
      links: ['Download and install'],
    });
  });

  it('cannot install a package for computers', async () => {
    const address = await publish(shelf.android, buildApk({ label: sampleApp.name, isTestOnly: true }));
    const seen = ['This build is for development only'];
    await expectSight({ address, device: 'android', name: 'test-only', seen, links: [] });
  });

  it('in WeChat is asked to open the page in a browser', async () => {
    await expectSight({
      address: androidPage,
      device: 'wechat',
      name: 'wechat',
      seen: ['Open this page in Chrome', 'This page is open inside WeChat'],
      links: ['Try here anyway'],
    });
  });
});

describe('any phone', () => {
  it.each(['iphone', 'android'] as const)(
    'shows the page in twice the size without moving sideways: %s',
    async (device) => {
      const address = device === 'iphone' ? iosPage : androidPage;
      // 360 pixels of a phone are half as many at a zoom of 200 %.
      const viewport = { width: 180, height: 400 };
      await visit(browser, address, { device, viewport, locale: 'de-DE' }, async ({ page }) => {
        const widths = await page.evaluate<number[]>(
          `[document.documentElement, ...document.querySelectorAll('h1, .pics p')].map((one) => one.scrollWidth)`,
        );
        const [whole, ...texts] = widths;
        expect(whole).toBe(180);
        // The name and the steps have lines of their own.
        expect(Math.min(...texts)).toBe(140);
        // Beside a drawing, long German words have space too.
        await page.setViewportSize({ width: 320, height: 640 });
        const steps = await page.evaluate<number[]>(
          `[...document.querySelectorAll('.pics p')].map((one) => one.clientWidth)`,
        );
        expect(Math.min(...steps)).toBeGreaterThanOrEqual(140);
        await keepScreenshot(page, `twice-${device}`);
      });
    },
  );

  it('is redirected from a replaced release to the current one', async () => {
    const first = await shelf.publish(shelf.android, buildSampleApk(), { version_name: '2.3.0' });
    const build = await shelf.addBuild(shelf.android, buildSampleApk(), { version_name: sampleApp.version });
    await shelf.addRelease(shelf.android, first.channelId, build.identifier);
    const address = shelf.reach(`${shelf.base}/install/channels/${first.channelId}/releases/${first.releaseId}`);
    const seen = ['This build is no longer available'];
    await expectSight(
      { address, device: 'android', name: 'superseded', seen, links: ['Show current build'] },
      async (page) => {
        const link = await page.getByRole('link').getAttribute('href');
        expect(link).toBe(`${shelf.base}/install/channels/${first.channelId}`);
      },
    );
  });

  it.each(['iphone', 'desktop'] as const)('sees that an organization is locked: %s', async (device) => {
    const { db } = shelf.fixture.app;
    db.update(organizations)
      .set({ lockReason: 'awaiting_payment' })
      .where(eq(organizations.id, shelf.fixture.organization_id))
      .run();
    try {
      const seen = ['Downloads are paused'];
      await expectSight({ address: iosPage, device, name: `locked-${device}`, seen, links: [] });
    } finally {
      db.update(organizations).set({ lockReason: null }).run();
    }
  });
});
