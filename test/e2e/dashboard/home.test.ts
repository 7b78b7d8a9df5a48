// The home page: what was released, what needs attention, and the apps as rows or cards.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { HOUR } from '../../../src/lib/clock.ts';
import { uploadBuild } from '../../builds/scenario.ts';
import { buildZip } from '../../inspection/build-zip.ts';
import { buildApk, buildIpa } from '../../support/fixtures.ts';
import { createAccount } from '../../support/harness.ts';
import { buildSampleApk, buildSampleIpa } from '../sample-app.ts';
import { openScenario, type Scenario, signIn } from './scenario.ts';
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

async function openHome(account: { email: string; password: string } = scenario.fixture.admin): Promise<void> {
  await visitor.page.goto(`${scenario.origin}/`);
  await signIn(visitor.page, account);
  await visitor.page.getByRole('link', { name: 'Home', exact: true }).waitFor();
}
const heading = (name: string) => visitor.page.getByRole('heading', { name, exact: true });
const section = (name: string) => visitor.page.getByRole('region', { name });

async function publish(platform: 'android' | 'ios', channel: string, bytes: Buffer, notes: string): Promise<void> {
  const { organization_id, android_project_id, ios_project_id } = scenario.fixture;
  const project = { organization_id, project_id: platform === 'ios' ? ios_project_id : android_project_id };
  const build = await uploadBuild(scenario.client, project, bytes, { version_name: '3.1.0', release_notes: notes });
  const { body } = await scenario.client.post<{ identifier: string }>('/api/v1/channels', { name: channel }, project);
  const query = { ...project, channel_id: body.identifier };
  expect((await scenario.client.post('/api/v1/releases', { build_id: build.identifier }, query)).status).toBe(201);
}

describe('the home page', () => {
  it('is calm without events', async () => {
    const { page, show } = visitor;
    await openHome();
    await heading('Home').waitFor();
    await page.getByRole('row', { name: /Fixture Android/ }).waitFor();
    await page.getByRole('row', { name: /Fixture Android.*No builds yet/ }).waitFor();
    await section('Setup').waitFor();
    await expect.poll(() => page.getByRole('heading', { level: 2 }).allTextContents()).toEqual(['Apps', 'Setup']);
    await show('home-calm');
  });

  it('shows recent releases and what needs attention, with links', async () => {
    const { page, actions, show } = visitor;
    const ended = new Date(scenario.fixture.clock.now().getTime() - HOUR);
    await publish('android', 'gamma', buildApk(), '\nRoute planner\nand more');
    await publish('ios', 'delta', buildIpa({ profile: { ExpirationDate: ended } }), '');
    await openHome();
    await heading('2 releases today, 1 item needs attention').waitFor();
    const releases = section('Recent releases').getByRole('listitem');
    const [newest, older] = [releases.nth(0), releases.nth(1)];
    await older.getByText('Route planner', { exact: true }).waitFor();
    await older.getByRole('link', { name: 'gamma' }).waitFor();
    await newest.getByText('No release notes').waitFor();
    await newest.getByRole('link', { name: 'Fixture iOS 3.1.0' }).waitFor();
    await page.getByRole('row', { name: /Fixture Android.*gamma 3\.1\.0.*Installs on/ }).waitFor();
    await page.getByRole('row', { name: /Fixture iOS.*delta 3\.1\.0.*Nobody can install this/ }).waitFor();
    await show('home-news');
    const items = Array.from({ length: 6 }, (_, number) => ({
      kind: 'channel_awaited',
      project_id: scenario.fixture.android_project_id,
      project_name: 'Fixture Android',
      channel_id: `channel-${number}`,
      channel_name: `beta-${number}`,
      devices: 1,
      since: new Date().toISOString(),
    }));
    await page.route('**/attention', (route) => route.fulfill({ json: { items, total: 9 } }));
    await page.reload();
    await actions.click('Show the 6 most urgent');
    await page.getByText('The 6 most urgent of 9.').waitFor();
    await page.unrouteAll();
    await page.reload();
    await actions.click('Open: Nobody can install Fixture iOS', 'link');
    await heading('3.1.0 (45)').waitFor();
  });

  it('begins a new day at midnight, also when nothing else has changed', async () => {
    const { page } = visitor;
    await page.clock.install();
    await openHome();
    await heading('2 releases today, 1 item needs attention').waitFor();
    await page.getByRole('heading', { level: 3, name: 'Today' }).waitFor();
    await page.clock.fastForward('24:00:00');
    await page.getByRole('heading', { level: 3, name: 'Yesterday' }).waitFor();
    await heading('1 item needs attention').waitFor();
  });

  it('shows apps as rows or cards, as last chosen in this browser', async () => {
    const { page, actions, show } = visitor;
    await openHome();
    await page.getByRole('table', { name: 'Apps' }).getByText('3.1.0 (45)').waitFor();
    await actions.click('Cards');
    await page.getByRole('table', { name: 'Apps' }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Cards', pressed: true }).waitFor();
    // Also at the second visit, after the first one stored what else the browser remembers.
    for (let visit = 1; visit <= 2; visit += 1) {
      await page.reload();
      await section('Apps')
        .getByRole('link', { name: /Fixture Android/ })
        .waitFor();
      await visitor.settle();
      expect(await page.getByRole('button', { name: 'Cards' }).getAttribute('aria-pressed'), `visit ${visit}`).toBe(
        'true',
      );
    }
    expect(await page.getByRole('table').count()).toBe(0);
    await show('home-cards');
    await actions.click('Rows');
    await page.getByRole('table', { name: 'Apps' }).waitFor();
  });

  it('does not shift while it is loading', async () => {
    const { page } = visitor;
    await openHome();
    await visitor.settle();
    await page.addInitScript({
      // The sidebar is that of every page.
      content: `globalThis.shifted = 0;
        new PerformanceObserver((list) => {
          for (const { value, sources } of list.getEntries())
            if (sources.some(({ node }) => node?.parentElement?.closest('#content'))) globalThis.shifted += value;
        }).observe({ type: 'layout-shift', buffered: true });`,
    });
    for (const width of [1440, 390]) {
      await page.setViewportSize({ width, height: 844 });
      await page.reload();
      await section('Apps').waitFor();
      await visitor.settle();
      expect(await page.evaluate<number>('globalThis.shifted')).toBeLessThan(0.02);
    }
  });
});

describe('an organization without apps', () => {
  it('shows the first step, and the commands of the API on request', async () => {
    const { page, actions, show } = visitor;
    await openHome(await createAccount(scenario.fixture, { organizationName: 'Wharf' }));
    await heading('No projects yet').waitFor();
    const steps = section('Setup').getByRole('listitem');
    await steps.first().waitFor();
    // Those of the server are the operator's.
    await expect
      .poll(() => steps.allInnerTexts())
      .toEqual([
        expect.stringContaining('First project'),
        expect.stringContaining('First build on a phone'),
        expect.stringContaining('First colleague'),
      ]);
    expect(await page.locator('.tw-command').isVisible()).toBe(false);
    await page.getByText('Use the API').click();
    await expect
      .poll(() => page.locator('pre').textContent())
      .toContain(`curl -X POST '${scenario.origin}/api/v1/projects`);
    await show('home-empty');
    await actions.click('New project');
    await page.getByRole('dialog').waitFor();
  });

  it('is empty again after a package that cannot be read', async () => {
    const { page, actions, show } = visitor;
    visitor.expectRefusals(400);
    const folder = mkdtempSync(join(tmpdir(), 'taxiway-home-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'Tides.apk');
    writeFileSync(file, buildZip([{ name: 'AndroidManifest.xml', data: Buffer.from('unreadable') }]));
    await openHome(await createAccount(scenario.fixture, { organizationName: 'Jetty' }));
    await heading('No projects yet').waitFor();
    await actions.drop(file);
    const tray = section('Uploads');
    await page.getByRole('row', { name: /Tides/ }).waitFor();
    await actions.fill(tray.getByLabel('Version'), '1.0');
    await actions.fill(tray.getByLabel('Build number'), '1');
    await actions.click('Start upload');
    await tray.getByText('Not uploaded').waitFor();
    await heading('No projects yet').waitFor();
    await show('home-empty-again');
  });

  it('is empty again after the first upload was canceled', async () => {
    const { page, actions } = visitor;
    const folder = mkdtempSync(join(tmpdir(), 'taxiway-home-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'Tides.apk');
    writeFileSync(file, buildZip([{ name: 'AndroidManifest.xml', data: Buffer.from('unreadable') }]));
    await openHome(await createAccount(scenario.fixture, { organizationName: 'Mole' }));
    await actions.drop(file);
    await page.getByRole('row', { name: /Tides/ }).waitFor();
    await section('Uploads').getByRole('button', { name: 'Close' }).click();
    await heading('No projects yet').waitFor();
  });

  it('creates one project for two builds of an app, and one for each platform', async () => {
    const { page, actions } = visitor;
    const folder = mkdtempSync(join(tmpdir(), 'taxiway-home-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const files = { 'a.apk': buildSampleApk(), 'b.apk': buildSampleApk({ build: '319' }), 'c.ipa': buildSampleIpa() };
    const paths = Object.entries(files).map(([name, bytes]) => {
      writeFileSync(join(folder, name), bytes);
      return join(folder, name);
    });
    await openHome(await createAccount(scenario.fixture, { organizationName: 'Quay' }));
    await heading('No projects yet').waitFor();
    await actions.drop(...paths);
    await expect.poll(() => section('Uploads').getByText('Uploaded').count()).toBe(3);
    await page.getByRole('row', { name: /Harbour\s*iOS/ }).waitFor();
    await expect.poll(() => page.getByRole('table', { name: 'Apps' }).getByRole('row').count()).toBe(3);
    expect(new URL(page.url()).pathname).toBe('/');

    // With projects, each other app is a question, also for files of the same name.
    const others = ['com.example.buoy', 'com.example.jetty'].map((packageName) => {
      const path = join(folder, packageName, 'app-release.apk');
      mkdirSync(dirname(path));
      writeFileSync(path, buildApk({ packageName, versionName: '1.0', versionCode: 1 }));
      return path;
    });
    await actions.drop(...others);
    for (const name of ['com.example.buoy', 'com.example.jetty']) {
      await page.getByRole('dialog').getByText(`No project has the app ${name}.`).waitFor();
      await actions.click('Create project and release');
    }
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await expect.poll(() => page.getByRole('table', { name: 'Apps' }).getByRole('row').count()).toBe(5);
  });
});
