// The usage of a channel: charts for mouse and keyboard, updates, and the installs of each release.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { downloads, sdkApps, sdkInstalls, sdkReports } from '../../../src/data/tables/tables.ts';
import { DAY } from '../../../src/lib/clock.ts';
import { addPerson, type Person } from '../../support/people.ts';
import { addBuilds, openScenario, openSignedIn, type Scenario } from './scenario.ts';
import { openVisitor, type Visitor } from './visitor.ts';

let scenario: Scenario;
let visitor: Visitor;
let channelPath: string;
let today: number;

beforeAll(async () => {
  scenario = await openScenario();
  channelPath = `/projects/${scenario.fixture.android_project_id}/channels/${scenario.fixture.channel_id}`;
  today = Math.floor(scenario.fixture.clock.now().getTime() / DAY) * DAY;
});
afterAll(() => scenario?.close());
beforeEach(async () => {
  visitor = await openVisitor(scenario.browser, scenario.origin);
});
afterEach(() => visitor?.leave());

async function open(): Promise<void> {
  await openSignedIn(scenario, visitor, channelPath);
}

function inChannel() {
  const { organization_id: organizationId, android_project_id: projectId, channel_id: channelId } = scenario.fixture;
  return { organizationId, projectId, channelId };
}

async function release(build: string): Promise<string> {
  const { organization_id, android_project_id: project_id, channel_id } = scenario.fixture;
  const query = { organization_id, project_id, channel_id };
  return (await scenario.client.post<{ identifier: string }>('/api/v1/releases', { build_id: build }, query)).body
    .identifier;
}

/** Reads the notes of the release of a version. */
async function readNotes(version: string): Promise<string | null | undefined> {
  const { organization_id, android_project_id: project_id, channel_id } = scenario.fixture;
  interface Row {
    build: { version_name: string };
    release_notes: string | null;
  }
  const query = { organization_id, project_id, channel_id };
  const { body } = await scenario.client.get<{ items: Row[] }>('/api/v1/releases', query);
  return body.items.find(({ build }) => build.version_name === version)?.release_notes;
}

function download(releaseId: string, daysAgo: number, developerId: string | null): void {
  const { app } = scenario.fixture;
  const id = app.ids.next();
  const createdAt = today - daysAgo * DAY;
  app.db
    .insert(downloads)
    .values({ ...inChannel(), id, buildId: id, releaseId, developerId, createdAt })
    .run();
}

async function admit(name: string): Promise<Person> {
  const person = await addPerson(scenario.fixture, { name });
  const path = `/api/v1/projects/${scenario.fixture.android_project_id}/testers`;
  const answer = await scenario.client.post(path, { email: person.email });
  expect(answer.status, answer.text).toBe(201);
  return person;
}

/** Installs of an app on the channel, some of which said that they run a release. */
function addInstalls(releaseId: string, count: number, running: number): void {
  const { app } = scenario.fixture;
  const now = app.clock.now().getTime();
  const appId = app.ids.next();
  const sdkApp = {
    id: appId,
    name: 'Harbour',
    appKey: `key ${appId}`,
    secretHash: 'x',
    installCount: count,
    createdAt: now,
  };
  app.db
    .insert(sdkApps)
    .values({ ...inChannel(), ...sdkApp })
    .run();
  for (let number = 0; number < count; number += 1) {
    const id = app.ids.next();
    const install = { id, sdkAppId: appId, installId: id, deviceModel: 'Pixel 9', enrolledAt: now, lastSeenAt: now };
    app.db.insert(sdkInstalls).values(install).run();
    if (number >= running) continue;
    const report = { id: app.ids.next(), installRowId: id, releaseId, state: 'launched' as const };
    app.db
      .insert(sdkReports)
      .values({ ...report, createdAt: now, updatedAt: now })
      .run();
  }
}

/** Opens the menu of a release once everything above it has come. */
async function openMenu(name: string): Promise<void> {
  await visitor.page.getByRole('heading', { name: 'Testers' }).waitFor();
  await visitor.actions.click(`More: ${name}`);
}

/** Opens the dialog with all charts. */
async function openAnalytics(): Promise<void> {
  await open();
  await visitor.actions.click('Analytics');
}

const chart = (name: string) => visitor.page.getByRole('slider', { name });

describe('the usage of a channel', () => {
  it('is empty for a new channel', async () => {
    const { page } = visitor;
    await open();
    const adoption = page.getByRole('region', { name: 'Adoption' });
    await adoption.getByText('Nothing is live on the channel.').waitFor();
    expect(await adoption.getByRole('img').count()).toBe(0);
    await visitor.actions.click('Analytics');
    const dialog = page.getByRole('dialog', { name: 'Analytics of fixture' });
    await dialog.getByText('0 downloads in 30 days').waitFor();
    expect(await dialog.getByRole('slider').count()).toBe(0);
  });

  it('has a chart by day, whose days can be selected by mouse and keyboard', async () => {
    const { page, show } = visitor;
    const [one = '', two = ''] = addBuilds(scenario.fixture, 2);
    const before = await release(one);
    const people = await Promise.all(['Ada Tide', 'Bo Quay', 'Cy Moor', 'Di Haven'].map(admit));
    for (let daysAgo = 29; daysAgo > 6; daysAgo -= 1) {
      for (let count = 0; count < (daysAgo * 7) % 11; count += 1) download(before, daysAgo, null);
    }
    const current = await release(two);
    for (let daysAgo = 6; daysAgo >= 0; daysAgo -= 2) download(current, daysAgo, people[daysAgo / 2]?.id ?? null);
    download(current, 4, null);
    addInstalls(current, 12, 5);
    await open();
    const aside = page.getByRole('region', { name: 'Adoption' });
    await aside.getByRole('img', { name: '4 of 4 testers have 1.0.1' }).waitFor();
    await aside.getByText('5 of 12 apps with in-app updates run 1.0.1').waitFor();
    await aside.getByText('5 downloads of 1.0.1').waitFor();
    await show('channel');
    await visitor.actions.click('Analytics');
    await page.getByText('4 of 4 testers, 5 of 12 installs').waitFor();
    await show('channel-use');
    const adoption = chart('Adoption of the current release');
    await expect
      .poll(() => adoption.getAttribute('aria-valuetext'))
      .toMatch(/^\w+ \d+, \d{4}: Testers: 4 of 4 testers, Apps with in-app updates: 5 of 12 installs$/);
    await adoption.focus();
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowLeft');
    await expect
      .poll(() => adoption.getAttribute('aria-valuetext'))
      .toContain('2 of 4 testers, Apps with in-app updates: 0 of 12');
    await page.getByText('Testers: 2 of 4 testers').waitFor();
    const box = await chart('Downloads and installs per day').boundingBox();
    if (box === null) throw new Error('The chart is not there');
    await page.mouse.move(box.x + 45, box.y + 60);
    await page.getByText('Downloads: 5', { exact: true }).waitFor();
    await page.mouse.move(box.x + 45, box.y - 40);
    await page.getByText('Downloads: 1', { exact: true }).waitFor();
    await page.getByText('Show as table').last().click();
    const table = page.getByRole('table', { name: 'Downloads and installs per day' });
    await expect.poll(() => table.getByRole('row').count()).toBe(31);
    await expect.poll(() => table.getByRole('row').nth(2).textContent()).toMatch(/00$/);
    await show('channel-use-table');
    await page.getByText('7 days', { exact: true }).click();
    await page.getByText('5 downloads and 5 installs in 7 days').waitFor();
    await expect.poll(() => table.getByRole('row').count()).toBe(8);
  });

  it('updates automatically while the page is open', async () => {
    const { page } = visitor;
    await openAnalytics();
    await page.getByText('4 of 4 testers, 5 of 12 installs').waitFor();
    await admit('Ed Ferry');
    await page.getByText('4 of 5 testers, 5 of 12 installs').waitFor();
  });

  it('works without charts if they cannot be loaded, and shows that', async () => {
    const { page, expectRefusals } = visitor;
    expectRefusals(404);
    await page.route('**/analytics/days?*', (route) => route.fulfill({ status: 404, body: '{}' }));
    await open();
    await page.getByRole('heading', { name: 'Install link' }).waitFor();
    await page.getByRole('alert').getByText('Not found').waitFor();
    await page.getByRole('heading', { name: 'History' }).waitFor();
  });
});

describe('a confirmation for withdrawing a release or build', () => {
  it('shows the number of affected testers', async () => {
    const { page, actions, show } = visitor;
    await open();
    await actions.click('Disable');
    const dialog = page.getByRole('dialog');
    await dialog.getByText('It stays installed where it is: 4 testers and 5 downloads so far.').waitFor();
    await dialog.getByText('1.0.0 (1) is live on the channel until you enable this release again.').waitFor();
    await show('channel-disable');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('link', { name: '1.0.1 (2)' }).first().click();
    // The page of the channel has a button of this name too.
    await page.getByRole('heading', { level: 1, name: '1.0.1 (2)' }).waitFor();
    await actions.click('More');
    await actions.click('Revoke', 'menuitem');
    await dialog.getByText('fixture returns to its previous release, if it has one.').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await actions.click('More');
    await actions.click('Delete permanently', 'menuitem');
    await dialog.getByText('fixture returns to its previous release, if it has one.').waitFor();
  });
});

describe('a release in the history', () => {
  it('shows its installs', async () => {
    const { page, actions, show } = visitor;
    await open();
    await openMenu('1.0.1 (2)');
    await actions.click('Show installs', 'menuitem');
    const dialog = page.getByRole('dialog', { name: 'Installs of 1.0.1 (2)' });
    await dialog.getByText('Ada Tide').waitFor();
    await dialog.getByText('Public link').waitFor();
    await expect.poll(() => dialog.getByText('App with in-app updates').count()).toBe(5);
    await show('release-takers');
  });

  it('has editable notes', async () => {
    const { page, actions } = visitor;
    await open();
    await openMenu('1.0.1 (2)');
    await actions.click('Edit release notes', 'menuitem');
    await page.getByRole('textbox', { name: 'What changed' }).fill('The tides are right');
    await actions.click('Save');
    await page.getByText('Release notes saved').waitFor();
    await page.getByText('The tides are right').first().waitFor();
  });

  it('without notes of its own shows those of its build, as testers see them, and can do without', async () => {
    const { page, actions } = visitor;
    const notes = page.getByText('What build 1 changed');
    await open();
    await notes.first().waitFor();
    await openMenu('1.0.0 (1)');
    await actions.click('Edit release notes', 'menuitem');
    const field = page.getByRole('textbox', { name: 'What changed' });
    expect(await field.inputValue()).toBe('What build 1 changed');
    await field.fill('');
    await actions.click('Save');
    await page.getByText('Release notes saved').waitFor();
    await expect.poll(() => notes.count()).toBe(0);
    expect(await readNotes('1.0.0')).toBe('');
    await actions.click('Undo');
    await notes.first().waitFor();
    expect(await readNotes('1.0.0')).toBe(null);

    await actions.click(page.getByRole('link', { name: '1.0.0 (1)' }).first());
    await page.getByRole('heading', { level: 1, name: '1.0.0 (1)' }).waitFor();
    await actions.click('Edit release notes');
    await page.getByRole('textbox', { name: 'Release notes' }).fill('Low tide');
    await actions.click('Save');
    await page.getByText('Saved').first().waitFor();
    await page.goBack();
    await page.getByText('Low tide').first().waitFor();
    expect(await notes.count()).toBe(0);
  });

  it('can be disabled and deleted after a confirmation with the effect', async () => {
    const { page, actions } = visitor;
    await open();
    const dialog = page.getByRole('dialog');
    await openMenu('1.0.0 (1)');
    await actions.click('Disable', 'menuitem');
    await dialog.getByText('Rolling back skips this release').waitFor();
    await dialog.getByRole('button', { name: 'Disable' }).click();
    await actions.click('Enable');
    await page.getByText('Disabled', { exact: true }).waitFor({ state: 'detached' });
    await openMenu('1.0.1 (2)');
    expect(await page.getByRole('menuitem', { name: 'Disable' }).count()).toBe(0);
    await actions.click('Delete release', 'menuitem');
    await dialog.getByText('1.0.0 (1) becomes live on the channel.').waitFor();
    await dialog.getByRole('button', { name: 'Delete release' }).click();
    await page.getByText('Release of 1.0.1 (2) deleted').waitFor();
    await expect.poll(() => page.getByRole('heading', { level: 2, name: '1.0.0 (1)' }).count()).toBe(1);
  });

  it('gets the notes of its build, unless they were removed from the form', async () => {
    const { page, actions } = visitor;
    addBuilds(scenario.fixture, 2);
    await open();
    await actions.click('Release build');
    const dialog = page.getByRole('dialog', { name: /^Release to / });
    const field = dialog.getByRole('textbox', { name: /^What changed/ });
    await expect.poll(() => field.inputValue()).toBe('What build 4 changed');
    await field.fill('');
    await dialog.getByRole('button', { name: 'Release', exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await readNotes('1.0.3')).toBe('');
  });
});
