// Daily work: the releases of a channel, many builds, people, and files that are not packages.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { buildSampleApk, buildSampleIpa, sampleApp } from '../sample-app.ts';
import { dropFile } from './files.ts';
import { addBuilds, openScenario, openSignedIn, type Scenario } from './scenario.ts';
import { desktop, openVisitor, type Visitor } from './visitor.ts';

const MANY = 10_000;

let scenario: Scenario;
let visitor: Visitor;
let folder: string;
let inProject: { organization_id: string; project_id: string };
let project: string;
let channel: string;

beforeAll(async () => {
  scenario = await openScenario();
  folder = mkdtempSync(join(tmpdir(), 'taxiway-files-'));
  inProject = { organization_id: scenario.fixture.organization_id, project_id: scenario.fixture.android_project_id };
  project = `/projects/${inProject.project_id}`;
  channel = `${project}/channels/${scenario.fixture.channel_id}`;
});
afterAll(async () => {
  await scenario?.close();
  rmSync(folder, { recursive: true, force: true });
});
beforeEach(async () => {
  visitor = await openVisitor(scenario.browser, scenario.origin);
});
afterEach(() => visitor?.leave());

const heading = (name: string) => visitor.page.getByRole('heading', { name, exact: true });
async function open(path: string): Promise<void> {
  await openSignedIn(scenario, visitor, path);
}
const release = (build: string, more: object = {}) =>
  scenario.client.post<{ identifier: string }>(
    '/api/v1/releases',
    { build_id: build, ...more },
    { ...inProject, channel_id: scenario.fixture.channel_id },
  );

describe('a channel', () => {
  it('shows its releases on one screen, and rolls back in two clicks after showing the effect', async () => {
    const { page, actions, show } = visitor;
    const [one = '', two = ''] = addBuilds(scenario.fixture, 2);
    await release(one, { release_notes: 'Tides' });
    const commits = Array.from({ length: 60 }, (_, at) => `- Commit ${at}`).join('\n');
    await release(two, { release_notes: `Tides and moons\n\n${commits}`, mandatory: true });
    await open(channel);
    await page.getByText('Tides and moons').first().waitFor();
    await page.getByRole('img', { name: /^QR code/ }).waitFor();
    await show('channel');
    // Long notes don't move the button off the screen.
    const button = await page.getByRole('button', { name: 'Roll back', exact: true }).boundingBox();
    expect((button?.y ?? Number.POSITIVE_INFINITY) + (button?.height ?? 0)).toBeLessThan(desktop.height);
    actions.count();
    await actions.click('Roll back');
    const dialog = page.getByRole('dialog');
    await dialog.getByText(/returns from 1\.0\.1 \(2\) to 1\.0\.0 \(1\)\. Nobody has installed it yet\./).waitFor();
    await show('channel-roll-back');
    await actions.click('Roll back to 1.0.0 (1)');
    expect(actions.count()).toBe(2);
    await page.getByText('1.0.0 (1) is live again').waitFor();
    await page.getByRole('listitem').filter({ hasText: 'Rolled back' }).waitFor();
    await expect.poll(() => page.getByRole('button', { name: 'Roll back', exact: true }).isDisabled()).toBe(true);
  });

  it('is disabled and enabled again, and made mandatory', async () => {
    const { page, actions } = visitor;
    await open(channel);
    await page.getByLabel('Mandatory').check();
    await actions.click('Disable');
    await page.getByRole('dialog').getByRole('button', { name: 'Disable' }).click();
    await page.getByRole('heading', { name: 'No releases yet' }).waitFor();
    await actions.click('Enable');
    await page.getByRole('region', { name: 'Current release' }).waitFor();
    await expect.poll(() => page.getByLabel('Mandatory').isChecked()).toBe(true);
  });

  it('promotes its release to another channel', async () => {
    const { page, actions } = visitor;
    const { client } = scenario;
    const { body } = await client.post<{ identifier: string }>('/api/v1/channels', { name: 'store' }, inProject);
    await open(channel);
    await actions.click('Promote to store');
    const dialog = page.getByRole('dialog');
    const notes = dialog.getByLabel('What changed (optional)');
    // Those that its testers read, not those of the build.
    await expect.poll(() => notes.inputValue()).toBe('Tides');
    await dialog.getByRole('button', { name: 'Release' }).click();
    await page.getByText('Released to store.').waitFor();
    const notesOnStore = async () => {
      const query = { ...inProject, channel_id: body.identifier };
      const { body: current } = await client.get<{ release_notes: string | null }[]>('/api/v1/releases/current', query);
      return current[0]?.release_notes;
    };
    expect(await notesOnStore()).toBe('Tides');
    // Those of the build aren't copied, so that editing them also edits those of the release.
    await actions.click(/^Promote/);
    await dialog.getByLabel('Channel', { exact: true }).selectOption(body.identifier);
    await notes.fill('What build 1 changed');
    await dialog.getByRole('button', { name: 'Release' }).click();
    await expect.poll(notesOnStore).toBe(null);
  });
});

describe('a project with many channels', () => {
  it('sends four API requests, and shows the adoption of each current release', async () => {
    const { page } = visitor;
    const [build = ''] = addBuilds(scenario.fixture, 1);
    await release(build);
    await scenario.client.post(`/api/v1${project}/testers`, { email: scenario.fixture.admin.email });
    for (let number = 1; number <= 50; number += 1) {
      await scenario.client.post('/api/v1/channels', { name: `train ${number}` }, inProject);
    }
    await open('/me');
    await heading('Your account').waitFor();
    await visitor.settle();
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    await page.goto(new URL(project, scenario.origin).href);
    await page.getByRole('link', { name: 'train 50' }).waitFor();
    await visitor.settle();
    const requests = asked.filter((path) => path.startsWith('/api/v1/') && !path.endsWith('/icon'));
    // The account, its organizations and the apps of the sidebar are read once for each visit, not for each project.
    const ofVisit = ['/api/v1/developers/me', '/api/v1/organizations', '/api/v1/projects/overview'];
    expect(requests.filter((path) => !ofVisit.includes(path)).sort()).toEqual([
      '/api/v1/builds',
      '/api/v1/channels/overview',
      '/api/v1/previews',
      `/api/v1${project}`,
    ]);
    const served = page.getByRole('listitem').filter({ hasText: '0 of 1 tester has it' });
    await served.getByText('Fixture Administrator released').waitFor();
    const unserved = page.getByRole('listitem').filter({ hasText: 'train 50' });
    await unserved.getByText('1 tester', { exact: true }).waitFor();
    await visitor.show('project-many-channels');
  });
});

describe('ten thousand builds', () => {
  it('scroll with only the visible rows in the page', async () => {
    const { page, show } = visitor;
    addBuilds(scenario.fixture, MANY);
    await open(`${project}/builds`);
    const table = page.getByRole('table', { name: 'Builds' });
    await table.waitFor();
    await show('builds');
    // How quickly it scrolls is asked by the measurements, which have a machine to themselves.
    // The chart of sizes has a table of its own.
    const seen = await page.evaluate<{ most: number; last: number }>(`(async () => {
      const listRows = () => [...document.querySelectorAll('.tw-build-table tbody tr')];
      let most = 0;
      for (let frame = 0; frame < 120; frame += 1) {
        scrollBy(0, 240);
        await new Promise((resolve) => requestAnimationFrame(resolve));
        most = Math.max(most, listRows().length);
      }
      const last = Number(listRows().at(-1)?.getAttribute('aria-rowindex'));
      return { most, last };
    })()`);
    expect(seen.most).toBeLessThan(80);
    expect(seen.last).toBeGreaterThan(400);
    // Rows get their actions when scrolling stops.
    const lastRow = page.getByRole('row').last();
    await lastRow.getByRole('button').first().waitFor({ state: 'attached' });
    expect(
      await page
        .getByRole('row')
        .filter({ hasNot: page.getByRole('button') })
        .count(),
    ).toBe(1);
    // Rows that pass too fast to be read have only their texts until the list is slower.
    const passing = await page.evaluate<string[]>(`(async () => {
      const seen = new Set();
      for (let frame = 0; frame < 8; frame += 1) {
        scrollBy(0, -3000);
        await new Promise((resolve) => requestAnimationFrame(resolve));
        for (const row of document.querySelectorAll('.tw-build-table tr[data-passing]')) seen.add(row.innerHTML);
      }
      return [...seen];
    })()`);
    expect(passing.length).toBeGreaterThan(0);
    for (const html of passing) {
      expect(html).toMatch(/1\.\d+\.\d+ \(\d+\)/);
      expect(html).not.toMatch(/<a |<button|<img|<svg/);
    }
    await expect.poll(() => page.locator('.tw-build-table tr[data-passing]').count()).toBe(0);
    await page.getByRole('row').last().getByRole('button').first().waitFor({ state: 'attached' });
  });
});

describe('a file for another project', () => {
  it.each([
    ['notes.txt', Buffer.from('just text'), "The file isn't an app package."],
    ['harbour.ipa', buildSampleIpa(), 'This is an iOS package; the project is for Android.'],
  ])('is rejected before a byte is sent: %s', async (name, bytes, words) => {
    const { page, show } = visitor;
    const file = join(folder, name);
    writeFileSync(file, bytes);
    await open(project);
    await heading('Channels').waitFor();
    const sent: string[] = [];
    page.on('request', (request) => {
      if (request.method() !== 'GET') sent.push(request.url());
    });
    await dropFile(page, file);
    await page.getByText(words).waitFor();
    await show(`upload-refused-${name.split('.')[1]}`);
    expect(sent).toEqual([]);
  });

  it('shows all its facts in the right project', async () => {
    const { page } = visitor;
    const file = join(folder, 'harbour.ipa');
    writeFileSync(file, buildSampleIpa());
    await open(`/projects/${scenario.fixture.ios_project_id}`);
    await heading('Channels').waitFor();
    await dropFile(page, file);
    const tray = page.getByRole('region', { name: 'Uploads' });
    await tray.getByText(`${sampleApp.name} ${sampleApp.version} (${sampleApp.build})`).waitFor();
    await tray.getByText('Uploaded').waitFor();
  });

  it('that exists already can get another number without choosing the file again', async () => {
    const { page, actions, show, expectRefusals } = visitor;
    const file = join(folder, 'harbour.apk');
    writeFileSync(file, buildSampleApk());
    const claim = { version_name: sampleApp.version, build_number: Number(sampleApp.build) };
    await scenario.client.post('/api/v1/builds/initiate', claim, inProject);
    await open(project);
    await heading('Channels').waitFor();
    expectRefusals(409);
    await dropFile(page, file);
    const tray = page.getByRole('region', { name: 'Uploads' });
    await tray.getByText(/already exist/).waitFor();
    await show('upload-taken');
    await tray.getByLabel('Build number').fill('319');
    await actions.click('Start upload');
    await tray.getByText('Uploaded').waitFor();
  });
});

describe('people', () => {
  it('are invited, invited again after a pause, and revoked', async () => {
    const { page, actions, show, expectRefusals } = visitor;
    await open('/members');
    await heading('Members').first().waitFor();
    await actions.click('Invite');
    await page.getByLabel('Email address').fill('cy@example.com');
    await page.getByLabel('Role').last().selectOption('manager');
    await show('invite');
    await actions.click('Create invitation');
    // No mail server is configured, so the inviter gets the link.
    const dialog = page.getByRole('dialog', { name: 'Invitation for cy@example.com' });
    await dialog.getByText(/\/invite\/organization\/svc_inv_[\w-]{43}$/).waitFor();
    await dialog.getByRole('img', { name: 'QR code: invitation link' }).waitFor();
    await show('invitation-link');
    await dialog.getByRole('button', { name: 'Done' }).click();
    const row = page.getByRole('listitem').filter({ hasText: 'cy@example.com' });
    await row.waitFor();
    expectRefusals(429);
    await row.getByRole('button', { name: 'Create new link for cy@example.com' }).click();
    await page.getByText('Too many requests').waitFor();
    await show('members');
    await row.getByRole('button', { name: /^Revoke/ }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await row.waitFor({ state: 'detached' });
  });
});

describe('the palette', () => {
  it('opens with the keyboard and jumps to a channel', async () => {
    const { page } = visitor;
    await scenario.client.post('/api/v1/channels', { name: 'night ferry' }, inProject);
    await open(project);
    await heading('Channels').waitFor();
    await page.keyboard.press('ControlOrMeta+k');
    await page.getByPlaceholder('Project, build, channel, person or page').fill('night ferry');
    await page.getByRole('button', { name: 'night ferry' }).first().waitFor();
    await visitor.show('palette');
    await page.keyboard.press('Enter');
    await heading('night ferry').waitFor();
  });
});
