// From a package to a release in the web app: numbers that are texts, other apps, automatic releases, builds for nobody.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { releases } from '../../../src/data/tables/tables.ts';
import { type Project, uploadBuild } from '../../builds/scenario.ts';
import { buildIpa, sampleDevices } from '../../support/fixtures.ts';
import { openScenario, openSignedIn, type Scenario } from './scenario.ts';
import { openVisitor, type Visitor } from './visitor.ts';

let scenario: Scenario;
let visitor: Visitor;
let folder: string;
let project: Project;
let projects = 0;

beforeAll(async () => {
  scenario = await openScenario();
  folder = mkdtempSync(join(tmpdir(), 'taxiway-releasing-'));
});
afterAll(async () => {
  await scenario?.close();
  rmSync(folder, { recursive: true, force: true });
});
beforeEach(async () => {
  visitor = await openVisitor(scenario.browser, scenario.origin);
  projects += 1;
  const { organization_id } = scenario.fixture;
  const body = { name: `Harbour ${projects}`, platform: 'ios' };
  const made = await scenario.client.post('/api/v1/projects', body, { organization_id });
  project = { organization_id, project_id: String(made.body.identifier) };
});
afterEach(() => visitor?.leave());

async function open(path = ''): Promise<void> {
  const { page } = visitor;
  await openSignedIn(scenario, visitor, `/projects/${project.project_id}${path}`);
  await page.getByRole('navigation', { name: `Harbour ${projects}` }).waitFor();
}

async function makeChannel(name: string, more = {}): Promise<string> {
  const answer = await scenario.client.post('/api/v1/channels', { name, ...more }, { ...project });
  expect(answer.status, answer.text).toBe(201);
  return String(answer.body.identifier);
}

function put(name: string, bytes: Buffer): string {
  const path = join(folder, name);
  writeFileSync(path, bytes);
  return path;
}

const expired = (build: string) => buildIpa({ build, profile: { ExpirationDate: new Date('2016-12-07T12:00:00Z') } });
const tray = () => visitor.page.getByRole('region', { name: 'Uploads' });
const NOBODY = 'Nobody can install this: the profile expired on Dec 7, 2016';

describe('an upload', () => {
  it("shows the package's own number without asking, and who can install it", async () => {
    const { page, actions, show, expectRefusals } = visitor;
    // Two uploads at once ask for the next free number: one of them has to ask again.
    expectRefusals(409);
    for (const udid of [sampleDevices[0], '00000000-00000000000000FF']) {
      const { organization_id } = project;
      const answer = await scenario.client.post('/api/v1/devices', { udid, name: 'Phone' }, { organization_id });
      expect(answer.status, answer.text).toBe(201);
    }
    await open();
    await actions.drop(put('dotted.ipa', buildIpa({ version: '2.4.0', build: '1.0' })));
    await tray().getByText('2.4.0 (1.0)').waitFor();
    await tray().getByText('Uploaded').waitFor();
    await tray().getByText('Installs on 1 of 2 devices').waitFor();
    // A text that no rule makes a number of, twice at once.
    const odd = ['1.2.3.4', '5.6.7.8'].map((build) => put(`odd-${build}.ipa`, buildIpa({ version: '2.4.1', build })));
    await actions.drop(...odd);
    for (const build of ['1.2.3.4', '5.6.7.8']) {
      await page
        .getByRole('article')
        .filter({ hasText: `2.4.1 (${build})` })
        .getByText('Uploaded')
        .waitFor();
    }
    const { body } = await scenario.client.get<{ items: { build_number: number }[] }>('/api/v1/builds', { ...project });
    const numbers = body.items.map(({ build_number: number }) => number);
    expect(numbers.sort((one, other) => one - other)).toEqual([1_000_000, 1_000_001, 1_000_002]);
    await actions.click('Builds', 'link');
    const row = page.getByRole('row').filter({ hasText: '2.4.0 (1.0)' });
    await row.getByText('Installs on 1 of 2 devices').waitFor();
    await show('builds-status');
    await row.getByRole('link').click();
    await page.getByRole('heading', { name: '2.4.0 (1.0)' }).waitFor();
    await page.getByText('Installs on 1 of 2 devices').first().waitFor();
    expect(await page.getByText('Package mismatch').count()).toBe(0);
  });

  it('of another app requires a confirmation before the upload', async () => {
    const { page, actions, show } = visitor;
    await uploadBuild(scenario.client, project, buildIpa({ bundleIdentifier: 'com.example.one' }));
    await open();
    const sent: string[] = [];
    page.on('request', (request) => {
      if (request.method() !== 'GET') sent.push(request.url());
    });
    await actions.drop(put('other.ipa', buildIpa({ bundleIdentifier: 'com.example.two', build: '46' })));
    await tray().getByText("The package is com.example.two; the project's app is com.example.one.").waitFor();
    expect(sent).toEqual([]);
    await show('upload-other-app');
    await actions.click('Upload anyway');
    await tray().getByText('Uploaded').waitFor();
    await page.goto(scenario.origin);
    await page
      .getByRole('main')
      .getByRole('link', { name: `Harbour ${projects}` })
      .last()
      .click();
    await page
      .getByRole('navigation', { name: `Harbour ${projects}` })
      .getByText('com.example.one')
      .waitFor();
  });

  it('shows the automatic release and asks for no channel', async () => {
    const { actions } = visitor;
    await makeChannel('production');
    await makeChannel('nightly', { auto_distribute: true });
    await open();
    await actions.drop(put('nightly.ipa', buildIpa({ build: '50' })));
    await tray().getByText('Released automatically to nightly.').waitFor();
    expect(await tray().getByLabel('Channel').count()).toBe(0);
  });

  it('of a build that nobody can install shows this, is not released automatically, and requires a confirmation', async () => {
    const { page, actions, show } = visitor;
    const nightly = await makeChannel('nightly', { auto_distribute: true });
    await open();
    await actions.drop(put('expired.ipa', expired('60')));
    await tray().getByText(NOBODY).waitFor();
    await tray().getByText('Not released automatically.').waitFor();
    // The only channel is chosen beforehand.
    await actions.click(tray().getByRole('button', { name: 'Release' }));
    const dialog = page.getByRole('dialog', { name: 'Release 1.2.3 (60) to nightly?' });
    await dialog.getByText(`${NOBODY}. Testers will be offered a build that they can't install.`).waitFor();
    await show('upload-for-nobody');
    const query = { ...project, channel_id: nightly };
    expect((await scenario.client.get('/api/v1/releases', query)).body.items).toEqual([]);
    await actions.click(dialog.getByRole('button', { name: 'Release anyway' }));
    await tray().getByText('Released to nightly.').waitFor();
  });
});

describe('a release dialog', () => {
  it('suggests none of several channels, then the last one used, and never a live one', async () => {
    const { page, actions, show } = visitor;
    await makeChannel('beta');
    await makeChannel('production');
    const build = await uploadBuild(scenario.client, project, buildIpa({ build: '70' }));
    await open(`/builds/${build.identifier}`);
    await actions.click('Release');
    const dialog = page.getByRole('dialog');
    const choice = dialog.getByLabel('Channel');
    await choice.waitFor();
    await expect.poll(() => choice.inputValue()).toBe('');
    await expect.poll(() => dialog.getByRole('button', { name: 'Release' }).isDisabled()).toBe(true);
    await show('release-without-suggestion');
    await actions.choose(choice, 'beta');
    await actions.click(dialog.getByRole('button', { name: 'Release' }));
    await page.getByText('Released to beta.').waitFor();
    await dialog.waitFor({ state: 'detached' });

    // Live there now: marked, and not suggested again.
    await actions.click('Release');
    await choice.waitFor();
    await expect.poll(() => choice.inputValue()).toBe('');
    await choice.getByText('beta · live').waitFor({ state: 'attached' });

    const next = await uploadBuild(scenario.client, project, buildIpa({ build: '71' }));
    await page.goto(new URL(`/projects/${project.project_id}/builds/${next.identifier}`, scenario.origin).href);
    await actions.click('Release');
    await choice.waitFor();
    await expect.poll(() => choice.locator('option:checked').textContent()).toBe('beta');
  });

  it('of a channel suggests the newest build, and none if that is live; it asks about builds that nobody can install', async () => {
    const { page, actions } = visitor;
    const beta = await makeChannel('beta');
    const live = await uploadBuild(scenario.client, project, buildIpa({ build: '80' }));
    await scenario.client.post('/api/v1/releases', { build_id: live.identifier }, { ...project, channel_id: beta });
    await open(`/channels/${beta}`);
    await actions.click('Release build');
    const dialog = page.getByRole('dialog');
    const choice = dialog.getByLabel('Build', { exact: true });
    await choice.waitFor();
    await expect.poll(() => choice.inputValue()).toBe('');
    await choice.getByText('1.2.3 (80) · live').waitFor({ state: 'attached' });
    await uploadBuild(scenario.client, project, expired('81'));
    await page.reload();
    await actions.click('Release build');
    await choice.waitFor();
    await expect.poll(() => choice.locator('option:checked').textContent()).toBe('1.2.3 (81)');
    await dialog.getByText(NOBODY).waitFor();
    await actions.click(dialog.getByRole('button', { name: 'Release' }));
    await actions.click('Release anyway');
    await page.getByText('Released to beta.').waitFor();
    const current = page.getByRole('region', { name: 'Current release' });
    await current.getByText(NOBODY).waitFor();
  });
});

describe('the list of builds', () => {
  it('has a menu for each row by keyboard, and its filter is in the address', async () => {
    const { page } = visitor;
    await uploadBuild(scenario.client, project, buildIpa({ build: '95' }), { build_number: 95 });
    await open('/builds');
    await page.getByRole('link', { name: '1.2.3 (95)' }).focus();
    for (const name of ['Release 1.2.3 (95)', 'Download 1.2.3 (95)', 'Actions for 1.2.3 (95)']) {
      await page.keyboard.press('Tab');
      await page.getByRole('button', { name, exact: true }).and(page.locator(':focus')).waitFor();
    }
    await page.keyboard.press('Enter');
    await page.getByRole('menuitem', { name: 'Revoke' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('No builds yet').waitFor();
    await page.getByRole('link', { name: 'Revoked' }).click();
    await page.getByRole('row').filter({ hasText: '1.2.3 (95)' }).waitFor();
    expect(new URL(page.url()).search).toBe('?status=revoked');
    await page.reload();
    await page.getByRole('row').filter({ hasText: '1.2.3 (95)' }).getByText('Revoked', { exact: true }).waitFor();
  });

  it('shows the whole line about who can install each', async () => {
    const { page } = visitor;
    await uploadBuild(scenario.client, project, expired('90'), { build_number: 90 });
    await open('/builds');
    const line = page.getByRole('row').filter({ hasText: '1.2.3 (90)' }).getByText(NOBODY);
    await line.waitFor();
    const cut = await line.evaluate((element) => {
      const row = element.closest('td') ?? element;
      const isCut = [element, element.parentElement ?? row, row].some(
        ({ scrollWidth, clientWidth, scrollHeight, clientHeight }) =>
          scrollWidth > clientWidth + 1 || scrollHeight > clientHeight + 1,
      );
      return isCut || row.getBoundingClientRect().height > 64;
    });
    expect(cut).toBe(false);
  });
});

describe('a channel with more releases than one page', () => {
  it('shows the current release below those that were rolled back, and does not take it for the only one', async () => {
    const { page, actions } = visitor;
    const { app } = scenario.fixture;
    const channelId = await makeChannel('beta');
    const builds: string[] = [];
    for (const build of ['1', '2']) {
      const { identifier } = await uploadBuild(scenario.client, project, buildIpa({ build }), {
        version_name: '2.4.0',
        build_number: Number(build),
      });
      const query = { ...project, channel_id: channelId };
      const released = await scenario.client.post('/api/v1/releases', { build_id: identifier }, query);
      expect(released.status, released.text).toBe(201);
      builds.push(identifier);
    }
    const addRolledBack = () =>
      app.db
        .insert(releases)
        .values({
          id: app.ids.next(),
          organizationId: project.organization_id,
          projectId: project.project_id,
          channelId,
          buildId: builds[0] ?? '',
          state: 'rolled_back',
          mandatory: false,
          createdAt: app.clock.time(),
        })
        .run();
    for (let number = 0; number < 99; number += 1) addRolledBack();
    await open(`/channels/${channelId}`);
    const current = page.getByRole('region', { name: 'Current release' });
    await current.getByText('2.4.0').waitFor();
    expect(await current.getByRole('button', { name: 'Roll back' }).getAttribute('title')).toBe(
      'Load older releases in the history first.',
    );
    await actions.click('Show older');
    await page.getByRole('listitem').filter({ hasText: 'Current' }).getByRole('button', { name: /^More/ }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('An earlier release becomes live on the channel, if there is one.').waitFor();
    await page.keyboard.press('Escape');

    addRolledBack();
    await page.reload();
    await current.getByText('2.4.0').waitFor();
    expect(await page.getByText('No releases yet').count()).toBe(0);
  });
});

describe('the channels of a build', () => {
  it('are those that it was released to before, of many channels and many releases', async () => {
    const { page, show } = visitor;
    const { app } = scenario.fixture;
    const channelIds: string[] = [];
    for (let number = 1; number <= 10; number += 1) channelIds.push(await makeChannel(`stage ${number}`));
    const [oldest = ''] = channelIds;
    const builds: string[] = [];
    for (const build of ['1', '2']) {
      const { identifier } = await uploadBuild(scenario.client, project, buildIpa({ build }), {
        version_name: '2.4.0',
        build_number: Number(build),
      });
      const query = { ...project, channel_id: oldest };
      expect((await scenario.client.post('/api/v1/releases', { build_id: identifier }, query)).status).toBe(201);
      builds.push(identifier);
    }
    for (let number = 0; number < 110; number += 1) {
      app.db
        .insert(releases)
        .values({
          id: app.ids.next(),
          organizationId: project.organization_id,
          projectId: project.project_id,
          channelId: oldest,
          buildId: builds[1] ?? '',
          state: 'active',
          mandatory: false,
          createdAt: app.clock.time(),
        })
        .run();
    }
    await open(`/builds/${builds[0]}`);
    const stop = page.getByRole('region', { name: 'Channels' }).getByRole('listitem').filter({ hasText: 'stage 1' });
    await stop
      .first()
      .getByText(/^Released/)
      .waitFor();
    await show('build-of-many-channels');
  });
});

describe('a channel with an SDK app and no releases', () => {
  it('is deleted after saying so', async () => {
    const { page, expectRefusals, show } = visitor;
    // The page of the channel asks once more while it is deleted.
    expectRefusals(404);
    const channelId = await makeChannel('beta');
    const made = await scenario.client.post(
      '/api/v1/sdk-apps',
      { name: 'Harbour', channel_id: channelId },
      { ...project },
    );
    expect(made.status, made.text).toBe(201);
    await open(`/channels/${channelId}`);
    await page.getByRole('main').getByRole('button', { name: 'More', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Delete channel' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('apps that use them no longer get updates').waitFor();
    await dialog.getByRole('textbox').fill('beta');
    await show('channel-delete');
    await dialog.getByRole('button', { name: 'Delete channel' }).click();
    await page.getByText('beta deleted').waitFor();
    expect((await scenario.client.get(`/api/v1/channels/${channelId}`)).status).toBe(404);
  });
});
