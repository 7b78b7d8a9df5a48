// One app for both platforms: from two projects to one link.
import { eq } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { builds } from '../../../src/data/tables/tables.ts';
import { addBuilds, openScenario, openSignedIn, type Scenario } from './scenario.ts';
import { androidAgent, openVisitor, type Visitor } from './visitor.ts';

let scenario: Scenario;
let visitor: Visitor;
let iosChannel: string;
let iosPath: string;

beforeAll(async () => {
  scenario = await openScenario();
  const { fixture, client } = scenario;
  const inOrganization = { organization_id: fixture.organization_id };
  iosPath = `/projects/${fixture.ios_project_id}`;
  const made = await client.post<{ identifier: string }>(
    '/api/v1/channels',
    { name: 'Fixture', public: true },
    { ...inOrganization, project_id: fixture.ios_project_id },
  );
  iosChannel = made.body.identifier;
  const [build = ''] = addBuilds(fixture, 1);
  const { size } = await fixture.app.storage.put(`builds/${build}/package.apk`, Buffer.from('a package'));
  fixture.app.db.update(builds).set({ sizeBytes: size }).where(eq(builds.id, build)).run();
  const inChannel = { project_id: fixture.android_project_id, channel_id: fixture.channel_id };
  const released = await client.post('/api/v1/releases', { build_id: build }, { ...inOrganization, ...inChannel });
  expect(released.status).toBe(201);
  for (const id of [fixture.ios_project_id, fixture.android_project_id]) {
    const { email } = fixture.admin;
    expect((await client.post(`/api/v1/projects/${id}/testers`, { email })).status).toBe(201);
  }
});
afterAll(() => scenario?.close());
beforeEach(async () => {
  visitor = await openVisitor(scenario.browser, scenario.origin);
});
afterEach(() => visitor?.leave());

async function setLinked(isLinked: boolean): Promise<void> {
  const { fixture, client } = scenario;
  const path = `/api/v1${iosPath}/sibling`;
  const body = { sibling_project_id: fixture.android_project_id };
  const { status } = isLinked ? await client.put(path, body) : await client.delete(path);
  expect(status).toBe(isLinked ? 200 : 204);
}

const heading = (name: string) => visitor.page.getByRole('heading', { name });

describe('linking two projects', () => {
  it('takes one action on the settings of either', async () => {
    const { page, actions, show } = visitor;
    await setLinked(false);
    await openSignedIn(scenario, visitor, `${iosPath}/settings`);
    await heading('Platforms').waitFor();
    await expect
      .poll(() => page.getByRole('combobox', { name: 'Project' }).inputValue())
      .toBe('Fixture Android (Android)');
    await show('project-settings-platforms');
    actions.count();
    await actions.click(/^Link projects/);
    await page.getByText('Linked with Fixture Android (Android)').waitFor();
    expect(actions.count()).toBe(1);
    await page.getByRole('button', { name: 'Unlink' }).waitFor();
    await show('project-settings-linked');
  });

  it('makes one app of them on the home page and in the sidebar, with a switch on their pages', async () => {
    const { page, actions, show } = visitor;
    await setLinked(true);
    await openSignedIn(scenario, visitor, '/');
    const rows = page.getByRole('table', { name: 'Apps' }).getByRole('row');
    await expect.poll(() => rows.count()).toBe(3);
    await page.getByRole('link', { name: /^Fixture iOS iOS · Android/ }).waitFor();
    await expect.poll(() => page.locator('#apps + .tw-count').textContent()).toBe('1');
    await show('home-siblings');
    await actions.click('Cards');
    await expect.poll(() => page.locator('.tw-app-card').count()).toBe(1);
    await show('home-siblings-cards');
    await actions.click('Rows');
    await actions.click(/^Fixture Android Android$/, 'link');
    await heading('Channels').waitFor();
    await actions.click('Builds', 'link');
    await heading('Builds').waitFor();
    const platforms = page.getByRole('list', { name: 'Platforms' });
    await platforms.getByRole('link', { name: 'iOS' }).click();
    await page.waitForURL(`**${iosPath}/builds`);
    await expect.poll(() => platforms.getByText('iOS').getAttribute('aria-current')).toBe('true');
    await show('project-siblings');
  });

  it('serves a phone of the other platform from the link of a channel: one screen', async () => {
    await setLinked(true);
    await visitor.leave();
    visitor = await openVisitor(scenario.browser, scenario.origin, { userAgent: androidAgent });
    const { page, actions, show } = visitor;
    const screens: string[] = [];
    page.on('framenavigated', () => screens.push(new URL(page.url()).pathname));
    await actions.open(`${scenario.origin}/install/channels/${iosChannel}`);
    await page.getByRole('link', { name: 'Download and install' }).waitFor();
    expect([screens, actions.count()]).toEqual([[`/install/channels/${iosChannel}`], 1]);
    await show('install-sibling-phone');
    await visitor.leave();
    visitor = await openVisitor(scenario.browser, scenario.origin);
    await visitor.page.goto(`${scenario.origin}/install/channels/${iosChannel}`);
    await visitor.page.getByRole('heading', { name: 'Android', exact: true }).waitFor();
    await visitor.show('install-siblings-desktop');
  });

  it('shows which channel of the other platform has the same link, and pairs channels with other names', async () => {
    const { page, actions, show } = visitor;
    await setLinked(true);
    await openSignedIn(scenario, visitor, `${iosPath}/channels/${iosChannel}`);
    const served = page.getByText('Also serves Android:');
    await served.getByRole('link', { name: 'fixture' }).waitFor();
    await show('channel-siblings');
    await actions.click('More');
    await actions.click('Edit', 'menuitem');
    const field = page.getByRole('combobox', { name: 'Channel for the other platform' });
    await expect.poll(() => field.inputValue()).toBe('The one with the same name');
    await show('channel-form-siblings');
    await field.click();
    await page.getByRole('option', { name: 'None' }).click();
    await actions.click(/^Save/);
    await page.getByText('This link serves only this platform.').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await served.waitFor();
  });

  it('shows testers one card for both', async () => {
    const { page, show } = visitor;
    await setLinked(true);
    await openSignedIn(scenario, visitor, '/my-apps');
    const card = page.getByRole('article');
    await card.getByRole('heading', { name: 'Android' }).waitFor();
    await expect.poll(() => card.count()).toBe(1);
    await card.getByRole('heading', { name: 'iOS', exact: true }).waitFor();
    await show('my-apps-siblings');
  });

  it('is offered for a new project with the name of another one, and ends in the settings', async () => {
    const { page, actions, show } = visitor;
    await setLinked(true);
    await openSignedIn(scenario, visitor, `${iosPath}/settings`);
    await actions.click('Unlink');
    await visitor.page.getByRole('dialog').getByRole('button', { name: 'Unlink' }).click();
    await page.getByText('No longer linked with Fixture Android (Android)').waitFor();
    await page.goto(`${scenario.origin}/`);
    await actions.click('New project');
    actions.count();
    await actions.fill(page.getByLabel('Name'), 'fixture android');
    const offer = page.getByRole('checkbox', { name: 'Link with Fixture Android for Android' });
    await expect.poll(() => offer.isChecked()).toBe(true);
    await show('new-project-link');
    await actions.click(/^Create/);
    await page.getByRole('list', { name: 'Platforms' }).getByRole('link', { name: 'Android' }).waitFor();
    expect(actions.count()).toBe(2);
  });
});
