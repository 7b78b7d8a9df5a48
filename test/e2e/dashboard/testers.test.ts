// Testers from both sides: who grants access and sees the testers, and who installs.

import { readFileSync } from 'node:fs';
import { eq } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { builds, organizations } from '../../../src/data/tables/tables.ts';
import { type Account, createAccount, signIn as signInByApi } from '../../support/harness.ts';
import { join } from '../../support/people.ts';
import { addBuilds, openScenario, openSignedIn, type Scenario, signIn } from './scenario.ts';
import { androidAgent, iphoneAgent, openVisitor, type Visitor } from './visitor.ts';

let scenario: Scenario;
let visitor: Visitor;
let tester: Account;
let inChannel: { organization_id: string; project_id: string; channel_id: string };
let project: string;
let channel: string;

beforeAll(async () => {
  scenario = await openScenario();
  const { fixture } = scenario;
  inChannel = {
    organization_id: fixture.organization_id,
    project_id: fixture.android_project_id,
    channel_id: fixture.channel_id,
  };
  project = `/projects/${inChannel.project_id}`;
  channel = `${project}/channels/${inChannel.channel_id}`;
  tester = await createAccount(fixture, { email: 'robin@example.com' });
});
afterAll(() => scenario?.close());
beforeEach(async () => {
  visitor = await openVisitor(scenario.browser, scenario.origin);
});
afterEach(() => visitor?.leave());

const setLock = (lockReason: 'grace' | null) =>
  scenario.fixture.app.db
    .update(organizations)
    .set({ lockReason })
    .where(eq(organizations.id, inChannel.organization_id))
    .run();

async function open(path: string, who: { email: string; password: string } = scenario.fixture.admin): Promise<void> {
  await openSignedIn(scenario, visitor, path, who);
}
const row = (text: string | RegExp) => visitor.page.getByRole('listitem').filter({ hasText: text });

/** Releases a new build, whose package can be fetched. */
async function release(notes: string): Promise<string> {
  const { app } = scenario.fixture;
  const [build = ''] = addBuilds(scenario.fixture, 1);
  const { size } = await app.storage.put(`builds/${build}/package.apk`, Buffer.from('a package'));
  app.db.update(builds).set({ sizeBytes: size }).where(eq(builds.id, build)).run();
  const body = { build_id: build, release_notes: notes };
  const made = await scenario.client.post<{ identifier: string }>('/api/v1/releases', body, inChannel);
  expect(made.status, made.text).toBe(201);
  return made.body.identifier;
}

describe('the testers of a project', () => {
  it('are added by their addresses, one after the other, and shown as active or pending', async () => {
    const { page, show } = visitor;
    await open(`${project}/testers`);
    await page.getByRole('heading', { name: 'No testers yet' }).waitFor();
    await page.getByText('Use the API').click();
    await page.getByText(`/api/v1${project}/testers`).waitFor();
    await show('project-testers-empty');
    const field = page.getByLabel('Email address');
    await field.fill('robin@example.com');
    await page.keyboard.press('Enter');
    await row('robin@example.com').getByText('Has access').waitFor();
    await row('robin@example.com')
      .getByText(/robin@example\.com · added (?:now|\d)/)
      .waitFor();
    await page.keyboard.type('sam@example.com');
    await page.keyboard.press('Enter');
    await row('sam@example.com').getByText('Pending').waitFor();
    await expect.poll(() => field.inputValue()).toBe('');
    visitor.expectRefusals(409);
    await page.keyboard.type('sam@example.com');
    await page.keyboard.press('Enter');
    await page.getByText('Already added').waitFor();
    await expect.poll(() => field.inputValue()).toBe('sam@example.com');
    await show('project-testers');

    let answer = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route(`**/api/v1${project}/testers`, async (route) => {
      if (route.request().method() === 'POST') await held;
      await route.continue();
    });
    await field.fill('lee@example.com');
    const asked = page.waitForRequest((request) => request.method() === 'POST');
    await page.keyboard.press('Enter');
    await asked;
    await field.fill('typed-meanwhile@example.com');
    answer();
    await row('lee@example.com').getByText('Pending').waitFor();
    await page
      .getByText(/lee@example.com/)
      .nth(1)
      .waitFor();
    await visitor.settle();
    expect(await field.inputValue()).toBe('typed-meanwhile@example.com');
  });

  it('are added from a list or CSV that is pasted, and those that the server refused stay in the field', async () => {
    const { page, actions, settle } = visitor;
    await open(`${project}/testers`);
    const field = page.getByLabel('Email address');
    await field.fill('uma@example.com');
    const csv = 'Name;E-mail\n"Lee\nLong";lee@example.com\nPat;pat@example.com\nVal;val@example.com\n';
    await page.evaluate(`(() => {
      const clipboardData = new DataTransfer();
      clipboardData.setData('text', ${JSON.stringify(csv)});
      document.activeElement.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
    })()`);
    expect(await field.inputValue()).toBe('uma@example.com, lee@example.com, pat@example.com, val@example.com');
    let isDown = true;
    await page.route(`**/api/v1${project}/testers`, async (route) => {
      const isRefused = isDown && route.request().postDataJSON()?.email === 'pat@example.com';
      if (!isRefused) return route.continue();
      // The next person is typed while the others are added.
      await field.fill('wes@example.com');
      return route.fulfill({ status: 503, json: {} });
    });
    visitor.expectRefusals(409, 503);
    await actions.click('Add');
    await page.getByText('1 person added. Already added: 1').waitFor();
    await page.getByRole('alert').waitFor();
    expect(await field.inputValue()).toBe('pat@example.com, val@example.com, wes@example.com');
    isDown = false;
    await actions.click('Add');
    await page.getByText('3 people added').waitFor();
    expect(await field.inputValue()).toBe('');
    await page.getByRole('button', { name: 'Undo' }).last().click();
    await row('val@example.com').waitFor({ state: 'detached' });
    await row('pat@example.com').waitFor({ state: 'detached' });
    await row('uma@example.com').waitFor();
    await field.fill('kim@example.com, nobody, Jo jo@example.com');
    await actions.click('Add');
    await page.getByText('Not an email address: nobody, Jo jo@example.com').waitFor();
    await settle();
  });

  it('get the sign-up link from their team on a server without email, and are removed after showing the effect', async () => {
    const { page, actions, show } = visitor;
    await open(`${project}/testers`);
    await page.getByText("This server doesn't send email. Send people without an account this link").waitFor();
    await page.getByText(/\/sign-up$/).waitFor();
    await page.getByText(/^They can install once an operator .* taxiway developer verify EMAIL$/).waitFor();
    await actions.click('Show QR code');
    await page.getByRole('img', { name: 'QR code: sign-up link' }).waitFor();
    await row('sam@example.com').getByText('No account with this address yet. Added').waitFor();
    await expect.poll(() => row('sam@example.com').getByRole('button').allInnerTexts()).toEqual(['Remove']);
    await show('project-testers-sign-up-link');
    await actions.click('Remove: sam@example.com');
    const dialog = page.getByRole('dialog');
    await dialog.getByText("sam@example.com won't get access after signing up.").waitFor();
    await show('project-testers-remove');
    await dialog.getByRole('button', { name: 'Remove' }).click();
    await row('sam@example.com').waitFor({ state: 'detached' });
    await actions.click('Remove: robin@example.com');
    await dialog.getByText(/robin@example.com immediately loses this access to all channels of /).waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
  });

  it('are searched by name or email from ten on, also when a page of the search is empty', async () => {
    const { page, show } = visitor;
    const { ios_project_id: ios } = scenario.fixture;
    const add = (email: string) => scenario.client.post(`/api/v1/projects/${ios}/testers`, { email });
    for (let number = 1; number < 10; number += 1) await add(`tester-${number}@people.example`);
    await open(`/projects/${ios}/testers`);
    const rows = page.getByRole('region', { name: 'Testers' }).getByRole('listitem');
    const search = page.getByRole('searchbox', { name: 'Search by name or email' });
    await expect.poll(() => rows.count()).toBe(9);
    expect(await search.count()).toBe(0);

    await add('robin@example.com');
    await page.reload();
    await search.fill('TESTER-3@');
    await page.getByRole('status').getByText('1 person found', { exact: true }).waitFor();
    expect(await rows.count()).toBe(1);
    await show('project-testers-searched');
    await rows.getByRole('button', { name: 'Remove: tester-3@people.example' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('status').getByText('No one matches.', { exact: true }).waitFor();
    expect(await page.getByText('No testers yet').count()).toBe(0);

    await page.route(`**/api/v1/projects/${ios}/testers?text=*`, async (route) => {
      const isFirst = !route.request().url().includes('cursor=');
      await (isFirst ? route.fulfill({ json: { items: [], next_cursor: 'MA' } }) : route.continue());
    });
    await search.fill('robin');
    await page.getByRole('status').getByText('1 person found', { exact: true }).waitFor();
    await row('robin@example.com').getByText('Has access').waitFor();
    await search.fill('');
    await expect.poll(() => rows.count()).toBe(9);
  });
});

describe('the testers of an organization', () => {
  it('are linked in the sidebar, and show when they cannot be loaded', async () => {
    const { page, actions, show } = visitor;
    await open('/members');
    await actions.click('Testers', 'link');
    await page.getByRole('heading', { name: 'No testers yet' }).waitFor();
    await page.getByLabel('Email address').fill('kim@example.com');
    await actions.click('Add');
    await row('kim@example.com').getByText('Pending').waitFor();
    await show('organization-testers');
    visitor.expectRefusals(400);
    await page.getByLabel('Email address').fill('kim');
    await actions.click('Add');
    await page.getByText('Enter a valid email address').waitFor();
  });

  it('are hidden from members, in the sidebar and by address', async () => {
    const { page, show } = visitor;
    const member = await createAccount(scenario.fixture, { email: 'member@example.com' });
    join(scenario.fixture, member.developer_id, { organizations: { [inChannel.organization_id]: 'member' } });
    // The page doesn't ask for what it knows to be forbidden.
    await open('/testers', member);
    await page.getByRole('heading', { level: 1, name: "Your role doesn't allow this" }).waitFor();
    await page.getByRole('main').getByText(scenario.fixture.admin.email).waitFor();
    expect(await page.getByRole('heading', { level: 1 }).count()).toBe(1);
    expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
    expect(await page.getByLabel('Email address').count()).toBe(0);
    const links = await page.getByRole('navigation', { name: 'Main navigation' }).getByRole('link').allInnerTexts();
    expect(links).not.toContain('Testers');
    expect(links).not.toContain('Tester groups');
    expect(links).toContain('My apps');
    await show('testers-forbidden');
  });
});

describe('groups', () => {
  it('are created, filled, given a channel, muted, renamed and deleted', async () => {
    const { page, actions, show } = visitor;
    await open('/groups');
    await page.getByRole('heading', { name: 'No groups yet' }).waitFor();
    await show('groups-empty');
    await actions.click('New group');
    await page.getByRole('dialog').getByLabel('Name').fill('QA');
    await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
    const group = page.getByRole('region', { name: 'QA' });
    await group.getByLabel('Email address').fill('robin@example.com');
    await page.keyboard.press('Enter');
    await group.getByRole('listitem').filter({ hasText: 'robin@example.com' }).getByText('Has access').waitFor();
    await group.getByLabel('Project', { exact: true }).selectOption(inChannel.project_id);
    await group.getByLabel('Channel', { exact: true }).selectOption(inChannel.channel_id);
    await actions.click('Grant access');
    await group.getByText('1 person · access to 1 project or channel').waitFor();
    visitor.expectRefusals(409);
    await actions.click('Grant access');
    await group.getByText('Already has access').waitFor();
    await group.getByLabel('Emails about new releases').uncheck();
    await group.getByText('Emails off').waitFor();
    await show('groups');
    await actions.click('Rename');
    await page.getByRole('dialog').getByLabel('Name').fill('Night shift');
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page.getByRole('region', { name: 'Night shift' }).waitFor();
    await actions.click('Delete group');
    await page.getByText('1 person immediately loses access through this group.').waitFor();
    await show('groups-delete');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete group' }).click();
    await page.getByRole('heading', { name: 'No groups yet' }).waitFor();
  });
});

describe('a channel', () => {
  it('invites with a link that is shown once, and revokes it', async () => {
    const { page, actions, show } = visitor;
    await open(`${channel}/testers`);
    await actions.click('Invite by link');
    await actions.click('Create link');
    const dialog = page.getByRole('dialog', { name: 'Invitation created' });
    await dialog.getByText(/\/testers\/invites\/svc_tst_/).waitFor();
    await dialog.getByRole('img', { name: /^QR code of the invitation/ }).waitFor();
    await show('channel-invitation');
    await expect.poll(() => dialog.getByRole('button', { name: 'Done' }).isDisabled()).toBe(true);
    await dialog.getByLabel("I've saved it in a safe place").check();
    await dialog.getByRole('button', { name: 'Done' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await page.getByText('svc_tst_').count()).toBe(0);
    await row('Anyone with the link')
      .getByText(/expires in \d+ minutes/)
      .waitFor();
    await row('Anyone with the link').getByRole('button', { name: 'Revoke' }).click();
    await row('Anyone with the link').waitFor({ state: 'detached' });
  });

  it('is accepted by the invited person, who continues to their apps', async () => {
    const { page, actions } = visitor;
    const guest = await createAccount(scenario.fixture, { email: 'guest@example.com' });
    const made = await scenario.client.post<{ invite_url: string }>(
      '/api/v1/channel-invites',
      { email: guest.email },
      inChannel,
    );
    await page.goto(made.body.invite_url);
    await actions.click('Sign in to accept');
    await signIn(page, guest);
    await actions.click('Accept invitation');
    await actions.click('Show my apps', 'link');
    await page.getByText('No releases yet.').waitFor();
  });

  it('shows the installed build and devices of each tester, and exports a table', async () => {
    const { page, actions, show } = visitor;
    const made = await release('Tides');
    const { client } = await signInByApi(scenario.fixture, tester);
    const link = await client.post<{ download_url: string }>(`/api/v1/testers/me/releases/${made}/install-link`);
    const got = await fetch(link.body.download_url, { headers: { 'user-agent': androidAgent } });
    expect(await got.text()).toBe('a package');
    const phone = { udid: '00008030-001A35E11A88003B', name: 'Phone of Robin', developer_id: tester.developer_id };
    const added = await scenario.client.post('/api/v1/devices', phone, { organization_id: inChannel.organization_id });
    expect(added.status, added.text).toBe(201);
    await open(channel);
    const few = page.getByRole('region', { name: 'Testers' });
    await few.getByText('Phone of Robin').waitFor();
    await few.getByText('has 1.0.0').waitFor();
    await few.getByRole('link', { name: /^All \d testers$/ }).click();
    const robin = page.getByRole('listitem').filter({ hasText: 'robin@example.com' });
    await robin.getByText(/^Has 1\.0\.0 \(1\) · Pixel 7, Android 14/).waitFor();
    await robin.getByText("Can't install", { exact: true }).waitFor();
    await robin.getByText('the build is for another platform').waitFor();
    await row('guest@example.com').getByText('Invited').first().waitFor();
    await show('channel-testers');
    const download = page.waitForEvent('download');
    await actions.click('Download CSV');
    const saved = await download;
    expect(saved.suggestedFilename()).toMatch(/^testers-.*\.csv$/);
    const table = readFileSync(await saved.path(), 'utf8');
    expect(table.split('\r\n')[0]).toMatch(/^email,display_name,/);
    expect(table).toContain('robin@example.com');
    await actions.click('Remove: guest@example.com');
    await page.getByText('guest@example.com loses access to this channel immediately').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByText('guest@example.com removed').waitFor();
  });
});

describe('a tester', () => {
  it('starts with the apps, installs with one tap, and turns off emails', async () => {
    const { page, actions, show, expectRefusals } = visitor;
    await release('Tides and moons\nA quieter harbour');
    await open('/', tester);
    const card = page.getByRole('article').first();
    await card.getByText('A quieter harbour').waitFor();
    await card.getByText('1.0.1 (2)').waitFor();
    await show('my-apps');
    await card.getByLabel(/^Emails about new releases of/).uncheck();
    await expect.poll(() => card.getByLabel(/^Emails about new releases of/).isEnabled()).toBe(true);
    await page.reload();
    await card.getByText('1.0.1 (2)').waitFor();
    await expect.poll(() => card.getByLabel(/^Emails about new releases of/).isChecked()).toBe(false);
    await actions.click('All versions');
    await card.getByRole('listitem').filter({ hasText: '1.0.0 (1)' }).waitFor();
    await show('my-apps-versions');
    const install = card.getByRole('button', { name: / 1\.0\.1 \(2\)$/ }).first();
    setLock('grace');
    expectRefusals(402);
    await install.click();
    await card.getByRole('alert').getByText('Downloads are paused').waitFor();
    expect(await card.textContent()).not.toMatch(/trial|payment/i);
    setLock(null);
    await install.click();
    await page.waitForURL(/\/install\//);
    await page.getByRole('heading').first().waitFor();
  });

  it('cannot install an incompatible app', async () => {
    await release('For Android phones alone');
    await visitor.leave();
    visitor = await openVisitor(scenario.browser, scenario.origin, { userAgent: iphoneAgent });
    await open('/my-apps', tester);
    const card = visitor.page.getByRole('article').first();
    await card.getByText('For Android phones alone').waitFor();
    await card.getByText('For Android', { exact: true }).first().waitFor();
    expect(await card.getByRole('button', { name: /^Install / }).count()).toBe(0);
  });

  it('sees the next step on an empty page, and why a link is rejected', async () => {
    const { page, show } = visitor;
    await open('/my-apps', await createAccount(scenario.fixture, { email: 'nobody@example.com' }));
    await page.getByText(/Ask the app's team to add nobody@example.com as a tester/).waitFor();
    await show('my-apps-empty');
  });

  it('can use the pages in German', async () => {
    await visitor.leave();
    visitor = await openVisitor(scenario.browser, scenario.origin, { locale: 'de-DE' });
    const { page, show } = visitor;
    await page.goto(new URL('/my-apps', scenario.origin).href);
    await page.getByLabel('E-Mail-Adresse').fill(tester.email);
    await page.getByLabel('Passwort', { exact: true }).fill(tester.password);
    await page.getByRole('button', { name: 'Anmelden', exact: true }).click();
    await page.getByRole('heading', { name: 'Meine Apps' }).waitFor();
    await page.getByRole('button', { name: 'Alle Versionen' }).waitFor();
    await show('my-apps-german');
  });
});

describe('a tester with an address that is not verified', () => {
  it('is asked to verify it, by a new link if needed, and then has the access that waited', async () => {
    const { page, actions, show } = visitor;
    const email = 'waits@example.com';
    const path = `/api/v1${project}/testers`;
    expect((await scenario.client.post(path, { email }, inChannel)).status).toBe(201);
    const waiting = await createAccount(scenario.fixture, { email, isVerified: false });
    await open('/', waiting);
    await page.getByRole('heading', { name: 'Verify your email address' }).waitFor();
    await page.getByText('Your invitations and apps then appear here.').waitFor();
    await show('verify-first');
    await actions.click('Create new link');
    await page.getByText("New link created. Ask the server's operator for it.").waitFor();
    const mail = await scenario.fixture.mail.waitFor(email, /verify_email/);
    await page.goto(`${scenario.origin}/my-apps`);
    await page.getByText("This server doesn't send email, so look here for new releases.").waitFor();
    await page.getByText(`Verify ${email} first. The apps that you can test then appear here.`).waitFor();
    await page.goto(/http\S+verify_email\S+/.exec(mail.text)?.[0] ?? '');
    await page.getByRole('button').click();
    await page.goto(scenario.origin);
    await page.getByRole('heading', { name: 'My apps' }).waitFor();
  });

  it('is shown to the team with the command that verifies it, on a server without email', async () => {
    const { page, show } = visitor;
    const hint = page.getByText(/^They can install once an operator .* taxiway developer verify EMAIL$/);
    await open(`${channel}/testers`);
    await row('robin@example.com').first().waitFor();
    expect(await hint.count()).toBe(0);
    const email = 'unverified@example.com';
    await createAccount(scenario.fixture, { email, isVerified: false });
    await open(`${project}/testers`);
    await page.getByLabel('Email address').fill(email);
    await page.keyboard.press('Enter');
    await page.getByText(`${email} gets access after verifying this address`).waitFor();
    await row(email).getByText('Email not verified').hover();
    await page.getByText("Can't install until the email address is verified.").waitFor();
    expect(await row(email).getByText('Has access').count()).toBe(0);
    await open(`${channel}/testers`);
    await row(email).getByText('Email not verified').waitFor();
    await hint.waitFor();
    await show('channel-testers-unverified');
  });
});
