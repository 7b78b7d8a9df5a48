// The settings of an organization: name, icon, transfer, deletion and security; its members; and what expires.
import { eq } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { developers } from '../../../src/data/tables/tables.ts';
import { DAY, HOUR } from '../../../src/lib/clock.ts';
import { makeChannel, uploadBuild } from '../../builds/scenario.ts';
import { buildApk, buildIpa, buildPng } from '../../support/fixtures.ts';
import { createAccount } from '../../support/harness.ts';
import { join } from '../../support/people.ts';
import { expectAccessible } from '../accessibility.ts';
import { openScenario, openSignedIn, type Scenario } from './scenario.ts';
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

async function open(path: string, who: { email: string; password: string } = scenario.fixture.admin): Promise<void> {
  await openSignedIn(scenario, visitor, path, who);
}
const heading = (name: string) => visitor.page.getByRole('heading', { name, exact: true });
const dialog = () => visitor.page.getByRole('dialog');
const path = () => `/api/v1/organizations/${scenario.fixture.organization_id}`;

async function addMember(email: string, role: 'member' | 'manager' | 'admin') {
  const account = await createAccount(scenario.fixture, { email });
  join(scenario.fixture, account.developer_id, { organizations: { [scenario.fixture.organization_id]: role } });
  return account;
}

describe('the settings', () => {
  it('are linked in the sidebar, and change name and icon', async () => {
    const { page, actions, show } = visitor;
    await open('/');
    await actions.click('Settings', 'link');
    await heading('Settings').waitFor();
    await page.getByText("You're the only member.").waitFor();
    await page.getByText('It still has 2 projects. Delete them first:').waitFor();
    await page.getByText(scenario.fixture.organization_id).waitFor();
    await show('settings');
    await page.getByLabel('Name', { exact: true }).fill('');
    visitor.expectRefusals(400);
    await actions.click('Save');
    await page.locator('[name="name"][aria-invalid="true"]').waitFor();
    await page.getByLabel('Name', { exact: true }).fill('Harbour Works');
    await actions.click('Save');
    await page.getByText('Saved').waitFor();
    await page.getByRole('button', { name: /Harbour Works/ }).waitFor();
    // Input that wasn't saved is kept until the person says otherwise, also on closing the tab.
    await page.getByLabel('Name', { exact: true }).fill('Harbor');
    const leaving = page.getByRole('dialog', { name: 'Leave without saving?' });
    await actions.click('Members', 'link');
    await leaving.getByRole('button', { name: 'Cancel' }).click();
    await leaving.waitFor({ state: 'detached' });
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Harbor');
    page.once('dialog', (question) => void question.dismiss());
    const asked = page.waitForEvent('dialog');
    void page.close({ runBeforeUnload: true });
    expect((await asked).type()).toBe('beforeunload');
    await page.goBack();
    await leaving.getByRole('button', { name: 'Leave' }).click();
    await heading('Settings').waitFor({ state: 'detached' });
    await page.goForward();
    // Nothing asks about input that is as it was.
    await page.getByLabel('Name', { exact: true }).fill('Harbor');
    await page.getByLabel('Name', { exact: true }).fill('Harbour Works');
    await actions.click('Members', 'link');
    await heading('Members').waitFor();
    await page.goBack();
    await heading('Settings').waitFor();
    await page
      .locator('input[type="file"]')
      .setInputFiles({ name: 'icon.png', mimeType: 'image/png', buffer: buildPng(64, 64) });
    await page.locator('.tw-organization img').waitFor();
    // The picture is loaded before it is deleted.
    await visitor.settle();
    expect((await scenario.client.get(path())).body).toMatchObject({ name: 'Harbour Works', has_icon: true });
    await scenario.client.delete(`${path()}/icon`);
  });

  it('of a project add, order and delete screenshots, which its install pages show', async () => {
    const { page, actions, show } = visitor;
    const projectId = scenario.fixture.android_project_id;
    await open(`/projects/${projectId}/settings`);
    const images = (heights: readonly number[]) =>
      heights.map((height) => ({ name: `${height}.png`, mimeType: 'image/png', buffer: buildPng(60, height) }));
    const files = page.getByLabel('Add screenshots').and(page.locator('input'));
    const shots = page.getByRole('img', { name: /^Screenshot \d of/ });
    const heights = () => shots.evaluateAll((all) => all.map((image) => Number(image.getAttribute('height'))));
    const broken = { name: 'broken.png', mimeType: 'image/png', buffer: Buffer.from('not an image') };
    visitor.expectRefusals(400);
    await files.setInputFiles([...images([130]), broken, ...images([110])]);
    await page.getByText('Not added: broken.png, 110.png').waitFor();
    await expect.poll(heights).toEqual([130]);
    // The browser reports no change if the field still contains the same file.
    expect(await files.inputValue()).toBe('');
    await files.setInputFiles(images([120, 110]));
    await expect.poll(heights).toEqual([130, 120, 110]);
    await actions.click('Move screenshot 3 to the left');
    await expect.poll(heights).toEqual([130, 110, 120]);
    await actions.click('Delete screenshot 1');
    const question = page.getByRole('dialog', { name: 'Delete screenshot 1?' });
    await question.getByRole('button', { name: 'Cancel' }).click();
    await question.waitFor({ state: 'detached' });
    expect(await heights()).toEqual([130, 110, 120]);
    await actions.click('Delete screenshot 1');
    await question.getByRole('button', { name: 'Delete screenshot' }).click();
    await expect.poll(heights).toEqual([110, 120]);
    await visitor.settle();
    await expectAccessible(page);
    await show('project-settings');
    const place = { organization_id: scenario.fixture.organization_id, project_id: projectId };
    const build = await uploadBuild(scenario.client, place, buildApk());
    const channel = await makeChannel(scenario.client, place, { public: true });
    const released = await scenario.client.post(
      '/api/v1/releases',
      { build_id: build.identifier },
      { ...place, channel_id: channel },
    );
    expect(released.status).toBe(201);
    const html = await (await fetch(`${scenario.origin}/install/channels/${channel}`)).text();
    const shown = [...html.matchAll(/screenshots\/[^"]*" width="60" height="(\d+)"/g)].map(([, height]) => height);
    expect(shown).toEqual(['110', '120']);
  });

  it('show the security of the organization, and the tasks of the command line', async () => {
    const { page, actions, show, expectRefusals } = visitor;
    expectRefusals(404);
    await open('/settings');
    await actions.click('Security', 'link');
    await page.getByText('There is only one admin.').waitFor();
    await page.getByText('No identity provider is connected.').waitFor();
    const commands = (await page.locator('pre').allTextContents()).join('\n');
    const server = `${scenario.origin}/api/v1`;
    expect(commands).toContain(`curl -X PUT '${server}/organizations/${scenario.fixture.organization_id}/mfa-policy'`);
    expect(commands).toContain(`curl '${server}/pats/all?organization_id=${scenario.fixture.organization_id}'`);
    await show('settings-security');
  });

  it('show everyone else whom to ask', async () => {
    const { page, show } = visitor;
    const manager = await addMember('mo@example.com', 'manager');
    await open('/settings', manager);
    await heading('Only admins can manage settings').waitFor();
    await page.getByText(scenario.fixture.admin.email).waitFor();
    expect(await page.getByRole('link', { name: 'Settings' }).count()).toBe(0);
    await show('settings-refused');
    // Those of a project are for people who can edit it.
    const reader = await addMember('re@example.com', 'member');
    const projectId = scenario.fixture.android_project_id;
    join(scenario.fixture, reader.developer_id, { projects: { [projectId]: 'read' } });
    await open(`/projects/${projectId}/settings`, reader);
    await heading("Your role doesn't allow this").waitFor();
    expect(await page.getByRole('button', { name: /image|screenshots/ }).count()).toBe(0);
  });

  it('count no admin whose account is scheduled for deletion', async () => {
    const { page, actions, expectRefusals } = visitor;
    const { developer_id: id } = await addMember('leaving@example.com', 'admin');
    const { db } = scenario.fixture.app;
    const dueAt = scenario.fixture.clock.now().getTime() + DAY;
    db.update(developers).set({ lockedAt: dueAt, deletionDueAt: dueAt }).where(eq(developers.id, id)).run();
    onTestFinished(() => void db.delete(developers).where(eq(developers.id, id)).run());
    await open('/settings');
    await heading('Transfer and leave').waitFor();
    await page.getByText("You're the only admin: make").waitFor();
    expect(await page.getByRole('button', { name: 'Leave organization' }).count()).toBe(0);
    expectRefusals(404);
    await actions.click('Security', 'link');
    await page.getByText('There is only one admin.').waitFor();
    expect(await page.getByText('leaving@example.com').count()).toBe(0);
  });

  it('transfer the organization and leave it', async () => {
    const { page, actions, show } = visitor;
    const second = await addMember('ada@example.com', 'admin');
    await open('/settings', second);
    await actions.click('Leave organization');
    await page.getByText('You lose access to').waitFor();
    await show('settings-leave');
    await dialog().getByRole('button', { name: 'Leave organization' }).click();
    await heading('No organization yet').waitFor();
    const { body } = await scenario.client.get<{ items: { email: string }[] }>(`${path()}/members`);
    expect(body.items.map(({ email }) => email)).not.toContain(second.email);
  });

  it('delete an organization after typing its name', async () => {
    const { page, actions, show } = visitor;
    const { text: id } = await scenario.client.post('/api/v1/organizations', { name: 'Dry Dock' });
    await open('/settings');
    await page.getByRole('button', { name: /Switch organization/ }).click();
    await page.getByRole('menuitem', { name: /Dry Dock/ }).click();
    await actions.click('Settings', 'link');
    await actions.click('Delete organization');
    const last = dialog().getByRole('button', { name: 'Delete organization' });
    await expect.poll(() => last.isDisabled()).toBe(true);
    await dialog().getByLabel('Type "Dry Dock" to confirm').fill('Dry Dock');
    await show('settings-delete');
    await last.click();
    await page.getByRole('heading', { level: 1, name: /^(Home|1 release today)$/ }).waitFor();
    expect((await scenario.client.get(`/api/v1/organizations/${id}`)).status).toBe(404);
  });
});

describe('members', () => {
  it('get another role and are removed; lowering a role names what ends with it', async () => {
    const { page, actions, show } = visitor;
    await addMember('uma@example.com', 'member');
    await open('/members');
    const row = page.getByRole('listitem').filter({ hasText: 'uma@example.com' });
    await row.getByRole('combobox').selectOption('manager');
    await page.getByText('Saved').waitFor();
    await expect.poll(() => row.getByRole('combobox').inputValue()).toBe('manager');
    await row.getByRole('combobox').selectOption('member');
    await dialog().getByText("Join links and invitations that it doesn't allow are revoked permanently.").waitFor();
    await show('member-lower-other');
    await actions.click('Change role');
    await expect.poll(() => row.getByRole('combobox').inputValue()).toBe('member');
    await row.getByRole('button', { name: /^Remove/ }).click();
    await dialog()
      .getByText('uma@example.com loses access immediately, and the tokens, share links, join links and invitations')
      .waitFor();
    await show('member-remove');
    await dialog().getByRole('button', { name: 'Remove' }).click();
    await row.waitFor({ state: 'detached' });
    const own = page.getByRole('listitem').filter({ hasText: scenario.fixture.admin.email });
    await own.getByRole('combobox').selectOption('member');
    await dialog().getByRole('heading', { name: 'Change your role to Member?' }).waitFor();
    visitor.expectRefusals(400);
    await actions.click('Lower my role');
    await dialog().getByText('An organization must have at least one admin').waitFor();
    await show('member-lower');
    await actions.click('Cancel');
    await expect.poll(() => own.getByRole('combobox').inputValue()).toBe('admin');
  });

  it('are searched by name or email from ten on', async () => {
    const { page, show } = visitor;
    const { app, organization_id: organizationId } = scenario.fixture;
    const addNamed = (displayName: string) => {
      const id = app.ids.next();
      app.db
        .insert(developers)
        .values({ id, email: `${id}@people.example`, displayName, createdAt: app.clock.time() })
        .run();
      join(scenario.fixture, id, { organizations: { [organizationId]: 'member' } });
    };
    await open('/members');
    const rows = page.getByRole('list', { name: 'Members' }).getByRole('listitem');
    const search = page.getByRole('searchbox', { name: 'Search by name or email' });
    await rows.first().waitFor();
    const missing = 10 - (await rows.count());
    for (let number = 2; number <= missing; number += 1) addNamed(`Member ${number}`);
    await page.reload();
    await expect.poll(() => rows.count()).toBe(9);
    expect(await search.count()).toBe(0);

    addNamed('Jos\u00e9 Garc\u00eda');
    await page.reload();
    await search.fill('jose\u0301 g');
    await page.getByRole('status').getByText('1 person found', { exact: true }).waitFor();
    expect(await rows.allInnerTexts()).toEqual([expect.stringMatching(/^J.*Jos\u00e9 Garc\u00eda/s)]);
    await show('members-searched');
    await search.fill('people.EXAMPLE');
    await page.getByRole('status').getByText(`${missing} people found`, { exact: true }).waitFor();
    await search.fill('nobody');
    await page.getByRole('status').getByText('No one matches.', { exact: true }).waitFor();
    expect(await rows.count()).toBe(0);
    await search.fill('');
    await expect.poll(() => rows.count()).toBe(10);
  });

  it('of a project are invited with a role, and revoked', async () => {
    const { page, actions, show } = visitor;
    await open(`/projects/${scenario.fixture.ios_project_id}/settings`);
    await page.getByText('No members yet.').waitFor();
    await actions.click('Invite');
    await dialog().getByLabel('Email address').fill('kit@example.com');
    await dialog().getByLabel('Role').selectOption('maintainer');
    await actions.click('Create invitation');
    await actions.click('Done');
    const row = page.getByRole('listitem').filter({ hasText: 'kit@example.com' });
    await row.getByText('Maintainer').waitFor();
    await show('project-settings-people');
    await row.getByRole('button', { name: /^Revoke/ }).click();
    await dialog().getByText('Its link stops working immediately.').waitFor();
    await dialog().getByRole('button', { name: 'Revoke' }).click();
    await row.waitFor({ state: 'detached' });
  });
});

describe('the list of what expires', () => {
  it('is empty at first, with the command for the same', async () => {
    const { page, show } = visitor;
    await open('/expiring');
    await heading('Nothing expires soon').waitFor();
    await expect
      .poll(() => page.locator('pre').textContent())
      .toContain(`curl '${scenario.origin}${path()}/expiring?days=60'`);
    await show('expiring-empty');
  });

  it('is linked on the home page, and shows what to do', async () => {
    const { page, actions, show } = visitor;
    const { fixture, client } = scenario;
    const project = { organization_id: fixture.organization_id, project_id: fixture.ios_project_id };
    const inDays = (days: number) => new Date(fixture.clock.now().getTime() + days * DAY + HOUR);
    for (const [name, days] of [
      ['Harbour ad hoc', 5],
      ['Night ferry', 45],
      ['Old pier', -2],
    ] as const) {
      const profile = { UUID: name, Name: name, ExpirationDate: inDays(days) };
      const build = await uploadBuild(client, project, buildIpa({ profile }));
      const channel = await makeChannel(client, project, { name: `${name} beta` });
      await client.post('/api/v1/releases', { build_id: build.identifier }, { ...project, channel_id: channel });
    }
    await open('/');
    await page.getByText('Nobody can install Fixture iOS').waitFor();
    await show('expiring-attention');
    await actions.click('Review: Profile expires in 5 days', 'link');
    const rows = page.getByRole('table', { name: 'Expiring' }).getByRole('row');
    await rows.filter({ hasText: 'Night ferry' }).getByText('45 days left').waitFor();
    await rows.filter({ hasText: 'Old pier' }).getByText('Expired').waitFor();
    await rows.filter({ hasText: 'Harbour ad hoc' }).getByText('5 days left').waitFor();
    await show('expiring');
    await page.getByText('30 days', { exact: true }).click();
    await rows.filter({ hasText: 'Night ferry' }).waitFor({ state: 'detached' });
    await actions.click('Harbour ad hoc beta', 'link');
    await heading('Harbour ad hoc beta').waitFor();
    await page.goBack();
    await rows.filter({ hasText: 'Harbour ad hoc' }).waitFor();
    expect(await page.getByRole('radio', { name: '30 days', exact: true }).isChecked()).toBe(true);
    expect(await rows.filter({ hasText: 'Night ferry' }).count()).toBe(0);
  });
});

describe('in German', () => {
  it('settings and the list of what expires are translated', async () => {
    const german = await openVisitor(scenario.browser, scenario.origin, { locale: 'de-DE' });
    german.expectRefusals(404);
    await german.page.goto(new URL('/settings', scenario.origin).href);
    await german.page.getByLabel('E-Mail-Adresse').fill(scenario.fixture.admin.email);
    await german.page.getByLabel('Passwort', { exact: true }).fill(scenario.fixture.admin.password);
    await german.page.getByRole('button', { name: 'Anmelden', exact: true }).click();
    await german.page.getByRole('heading', { name: 'Einstellungen' }).waitFor();
    await german.show('settings-german');
    await german.page.getByRole('link', { name: 'Single Sign-on' }).click();
    await german.page.getByText('Nicht eingerichtet').waitFor();
    await expect.poll(() => german.page.title()).toBe('Single Sign-on · Einstellungen · Taxiway');
    await german.show('sso-german');
    await german.page.getByRole('link', { name: 'Läuft ab' }).click();
    await german.page.getByRole('table', { name: 'Läuft ab' }).waitFor();
    await german.show('expiring-german');
    await german.leave();
  });
});
