// Loading of the first page: its requests, their order, and what is visible before the app is loaded.
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { IDLE_DELAY_MS } from '../../../src/dashboard/shell/idle.ts';
import { addBuilds, openScenario, openSignedIn, type Scenario } from './scenario.ts';
import { openVisitor, type Visitor } from './visitor.ts';

let scenario: Scenario;
let visitor: Visitor;
beforeAll(async () => {
  scenario = await openScenario();
});
afterAll(() => scenario?.close());
beforeEach(async () => {
  visitor = await openVisitor(scenario.browser, scenario.origin);
});
afterEach(() => visitor?.leave());

async function openProjects(): Promise<void> {
  const { page } = visitor;
  await openSignedIn(scenario, visitor, '/');
  await page.getByRole('row', { name: /Fixture Android/ }).waitFor();
}

describe('the home page', () => {
  it('requests each of its lists once, before the app is loaded, and the setup after it', async () => {
    const { page, show } = visitor;
    const [build = ''] = addBuilds(scenario.fixture, 1);
    await scenario.client.post(
      '/api/v1/releases',
      { build_id: build },
      {
        organization_id: scenario.fixture.organization_id,
        project_id: scenario.fixture.android_project_id,
        channel_id: scenario.fixture.channel_id,
      },
    );
    await openProjects();
    await visitor.settle();
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    let open: () => void = () => undefined;
    const isOpen = new Promise<void>((resolve) => {
      open = resolve;
    });
    await page.route(/\/assets\/part-/, async (route) => {
      await isOpen;
      await route.continue();
    });
    await page.reload({ waitUntil: 'commit' });
    await expect.poll(() => asked).toContain('/api/v1/projects/overview');
    open();
    await page
      .getByRole('row', { name: /Fixture Android/ })
      .getByText('1.0.0', { exact: true })
      .waitFor();
    await visitor.settle();
    await expect.poll(() => asked).toContain('/api/v1/developers/me/invitations');
    const ours = asked.filter((path) => path.startsWith('/api/v1/'));
    expect(ours.sort()).toEqual([
      '/api/v1/developers/me',
      '/api/v1/developers/me/invitations',
      '/api/v1/organizations',
      `/api/v1/organizations/${scenario.fixture.organization_id}/attention`,
      `/api/v1/organizations/${scenario.fixture.organization_id}/setup`,
      '/api/v1/projects/activity',
      '/api/v1/projects/overview',
      '/api/v1/releases/recent',
    ]);
    await show('home');
  });

  it('loads at most 190 KB of script until it is complete', async () => {
    const { page } = visitor;
    // What loads afterwards, once the browser is idle, doesn't count.
    await page.addInitScript(`{
      const { setTimeout } = globalThis;
      globalThis.setTimeout = (run, delay, ...rest) => (delay === ${IDLE_DELAY_MS} ? 0 : setTimeout(run, delay, ...rest));
    }`);
    const sizes = new Map<string, Promise<number>>();
    page.on('response', (response) => {
      const path = new URL(response.url()).pathname;
      if (path.endsWith('.js'))
        sizes.set(
          path,
          response.body().then((body) => gzipSync(body).length),
        );
    });
    await openProjects();
    await visitor.settle();
    const total = (await Promise.all(sizes.values())).reduce((sum, size) => sum + size, 0);
    expect(sizes.size).toBeGreaterThan(2);
    expect(total).toBeLessThan(190 * 1024);
  });

  it('creates a project in a dialog that loads on demand', async () => {
    const { page, actions } = visitor;
    await openProjects();
    await actions.click('New project');
    await page.getByLabel('Name').fill('Harbour');
    await actions.click('Create');
    await page.getByRole('heading', { name: 'Channels', exact: true }).waitFor();
  });

  it('opens and closes the menu of organizations with the keyboard', async () => {
    const { page } = visitor;
    await openProjects();
    const button = page.getByRole('button', { name: /Switch organization/ });
    for (let time = 0; time < 2; time += 1) {
      await button.focus();
      await page.keyboard.press('Enter');
      await page.getByRole('menuitem', { name: 'New organization' }).waitFor();
      await page.locator('[role="menu"]:focus, [role="menu"] :focus').waitFor({ state: 'attached' });
      await page.keyboard.press('Escape');
      await page.getByRole('menu').waitFor({ state: 'detached' });
      await button.and(page.locator(':focus')).waitFor();
    }
  });
});

describe('over a slow connection', () => {
  it('the frame is visible before the app, in light and dark', async () => {
    const { page, context, show } = visitor;
    await openProjects();
    const devtools = await context.newCDPSession(page);
    await devtools.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: 150,
      downloadThroughput: 400_000,
      uploadThroughput: 400_000,
    });
    await devtools.send('Network.setCacheDisabled', { cacheDisabled: true });
    let open: () => void = () => undefined;
    const isOpen = new Promise<void>((resolve) => {
      open = resolve;
    });
    await page.route(/\/assets\/part-/, async (route) => {
      await isOpen;
      await route.continue();
    });
    await page.reload({ waitUntil: 'commit' });
    const frame = page.locator('.tw-before');
    await frame.waitFor();
    await show('before-the-app', { isLoading: true });
    open();
    await page.getByRole('row', { name: /Fixture Android/ }).waitFor();
    expect(await frame.isVisible()).toBe(false);
  });
});
