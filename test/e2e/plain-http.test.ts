// The forms of phone pages on a server without https, whose browsers send no Fetch Metadata and hide the origin of a page that tells them to.
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type InstallScenario, startInstallScenario } from '../install/scenario.ts';
import { addPerson } from '../support/people.ts';
import { closeContexts, openBrowser, type Visit, visit } from './browser.ts';
import { buildSampleApk } from './sample-app.ts';

let browser: Browser;
let shelf: InstallScenario;

beforeAll(async () => {
  [browser, shelf] = await Promise.all([
    openBrowser(),
    startInstallScenario({ config: { server: { base_url: 'http://builds.test:0' } } }),
  ]);
});
afterAll(async () => {
  await closeContexts(browser);
  await shelf?.fixture.stop();
});

interface Form extends Visit {
  fill?: (page: Page) => Promise<void>;
}

/** Sends the only form of a page and waits for the heading of the page that follows. */
async function submit(path: string, { fill, ...options }: Form, heading: string): Promise<void> {
  await visit(browser, shelf.base + path, options, async ({ page }) => {
    await fill?.(page);
    const sent = page.waitForRequest((request) => request.method() === 'POST');
    await page.locator('form button').click();
    expect((await (await sent).allHeaders())['sec-fetch-site']).toBeUndefined();
    await page.getByRole('heading', { level: 1, name: heading, exact: true }).waitFor();
  });
}

async function signedIn(): Promise<{ cookie: string }> {
  const { accessToken } = await addPerson(shelf.fixture);
  return { cookie: `svc_access=${accessToken}` };
}

it('takes feedback', async () => {
  const { channelId } = await shelf.publish(shelf.android, buildSampleApk());
  const path = `/install/channels/${channelId}/feedback`;
  const fill = (page: Page) => page.locator('textarea').fill('The map is empty.');
  await submit(path, { device: 'android', fill }, 'Thank you');
});

it('registers a phone', async () => {
  const channelId = await shelf.addChannel(shelf.ios, { allow_device_registration: true });
  await submit(`/install/channels/${channelId}`, { device: 'iphone' }, 'Register this iPhone');
});

it('asks for access', async () => {
  const channelId = await shelf.addChannel(shelf.android, { public: false });
  const options = { device: 'android', status: 404, ...(await signedIn()) } as const;
  await submit(`/install/channels/${channelId}`, options, 'Request sent');
});

it('joins a channel', async () => {
  const channelId = await shelf.addChannel(shelf.android, { public: false });
  const links = `/api/v1/channels/${channelId}/join-links`;
  const { body } = await (await shelf.staff()).post<{ join_url: string }>(links, {});
  const path = body.join_url.slice(shelf.base.length);
  await submit(path, { device: 'android', ...(await signedIn()) }, 'Fixture Android');
});

it('opens a share link with a password', async () => {
  const channel_id = await shelf.addChannel(shelf.android, { public: false });
  const body = { channel_id, password: 'tide tables' };
  const link = await (await shelf.staff()).post<{ url: string }>('/api/v1/share-links', body, { ...shelf.android });
  const path = link.body.url.slice(shelf.base.length);
  const fill = (page: Page) => page.locator('input').fill('tide tables');
  await submit(path, { device: 'android', cookies: ['svc_share'], fill }, 'Fixture Android');
});
