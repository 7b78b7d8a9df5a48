// Join links, from the side of the people who join and from the team's.
import { eq } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { joinLinks } from '../../../src/data/tables/tables.ts';
import { type Account, createAccount } from '../../support/harness.ts';
import { newestLink } from '../../support/mailbox.ts';
import { openScenario, openSignedIn, releasePrivately, type Scenario, signIn } from './scenario.ts';
import { androidAgent, openVisitor, type Visitor } from './visitor.ts';

let scenario: Scenario;
let visitor: Visitor;
let channelPath: string;
let installPath: string;
let testersPage: string;

beforeAll(async () => {
  scenario = await openScenario();
  const { inChannel } = await releasePrivately(scenario);
  channelPath = `/api/v1/channels/${inChannel.channel_id}`;
  installPath = `/install/channels/${inChannel.channel_id}`;
  testersPage = `/projects/${inChannel.project_id}/channels/${inChannel.channel_id}/testers`;
});
afterAll(() => scenario?.close());
beforeEach(async () => {
  visitor = await openVisitor(scenario.browser, scenario.origin, { userAgent: androidAgent });
});
afterEach(() => visitor?.leave());

async function makeLink(body: object = {}): Promise<string> {
  const made = await scenario.client.post<{ join_url: string }>(`${channelPath}/join-links`, body);
  expect(made.status, made.text).toBe(201);
  return new URL(made.body.join_url).pathname;
}

const newTester = (name: string): Promise<Account> => createAccount(scenario.fixture, { email: `${name}@example.com` });
const heading = (name: string) => visitor.page.getByRole('heading', { name });
const download = () => visitor.page.getByRole('link', { name: 'Download and install' });
const row = (name: string) => visitor.page.getByRole('listitem').filter({ hasText: name });

/** Records the paths of the pages that the visitor sees, each once in a row. */
function watchScreens(): () => string[] {
  const screens: string[] = [];
  visitor.page.on('framenavigated', () => screens.push(new URL(visitor.page.url()).pathname));
  return () => screens.filter((path, at) => path !== screens[at - 1]);
}

describe('a join link', () => {
  it('takes a person with an account over the sign-in to the install page: four screens', async () => {
    const { page, actions, show } = visitor;
    const [link, tester] = [await makeLink(), await newTester('robin')];
    const screens = watchScreens();
    await actions.open(scenario.origin + link);
    await heading('Test Fixture Android').waitFor();
    await show('join-link-signed-out');
    await actions.click('Sign in', 'link');
    await signIn(page, tester);
    await page.getByText(`You’re signed in as ${tester.email}.`).waitFor();
    await show('join-link-signed-in');
    await actions.click('Join');
    await download().waitFor();
    expect(screens()).toEqual([link, '/sign-in', link, installPath]);
    await actions.open(scenario.origin + link);
    await download().waitFor();
  });

  it('takes a signed-in person to the install page with one click: two screens', async () => {
    const { actions } = visitor;
    const [link, tester] = [await makeLink(), await newTester('kim')];
    await openSignedIn(scenario, visitor, '/my-apps', tester);
    await heading('My apps').waitFor();
    const screens = watchScreens();
    actions.count();
    await actions.open(scenario.origin + link);
    await actions.click('Join');
    await download().waitFor();
    expect([screens(), actions.count()]).toEqual([[link, installPath], 2]);
  });

  it('takes a person without an account over the sign-up to the install page', async () => {
    const { page, actions } = visitor;
    const link = await makeLink({ email_domain: 'newcomers.example' });
    const email = 'sam@newcomers.example';
    const password = 'a staple of horses';
    await actions.open(scenario.origin + link);
    await actions.click('Create account', 'link');
    await page.getByLabel('Your name').fill('Sam');
    await page.getByLabel('Email address').fill(email);
    await page.getByLabel('New password').fill(password);
    await actions.click('Create account');
    await page.getByText(email).waitFor();
    const token = newestLink(scenario.fixture, email, /Confirm your email/).searchParams.get('token');
    expect((await scenario.client.as(null).post('/api/v1/developers/verify_email', { token })).status).toBe(200);
    await actions.click('Back to sign-in', 'link');
    await signIn(page, { email, password });
    await download().waitFor();
    expect(new URL(page.url()).pathname).toBe(installPath);
  });

  it('shows people who can’t join the reason', async () => {
    const { actions } = visitor;
    visitor.expectRefusals(403, 404);
    const [link, tester] = [await makeLink({ email_domain: 'example.org' }), await newTester('alex')];
    await openSignedIn(scenario, visitor, link, tester);
    await heading('Use another email address').waitFor();
    await visitor.show('join-link-wrong-domain');
    await actions.open(`${scenario.origin}/join/unknown`);
    await heading('This link no longer works').waitFor();
    await visitor.show('join-link-dead');
  });
});

describe('the testers of a channel', () => {
  beforeEach(async () => {
    await visitor.leave();
    visitor = await openVisitor(scenario.browser, scenario.origin);
  });

  it('get a join link, which is shown once with a code to print, listed and revoked', async () => {
    const { page, actions, show } = visitor;
    visitor.expectRefusals(400);
    await openSignedIn(scenario, visitor, testersPage);
    await actions.click('Create join link');
    const form = page.getByRole('dialog', { name: /^Join link for / });
    await actions.fill(form.getByLabel(/^Label/), 'Meetup');
    await form.getByLabel(/^Maximum number of people/).fill('many');
    await form.getByText('Enter a whole number').waitFor();
    await actions.click('Create link');
    await form.getByLabel(/^Maximum number of people/).fill('2');
    await form.getByLabel(/^Email domain/).fill('example.com');
    await show('join-link-form');
    await actions.click('Create link');
    const dialog = page.getByRole('dialog', { name: 'Join link created' });
    const shown = dialog.getByText(/\/join\/svc_join_/);
    const address = new URL((await shown.textContent()) ?? '').pathname;
    await dialog.getByRole('img', { name: /^QR code of the join link/ }).waitFor();
    await dialog.getByRole('button', { name: 'Print QR code' }).waitFor();
    await show('join-link-created');
    await dialog.getByLabel("I've saved it in a safe place").check();
    await dialog.getByRole('button', { name: 'Done' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await page.getByText('svc_join_').count()).toBe(0);
    const made = scenario.fixture.app.db.select().from(joinLinks).where(eq(joinLinks.label, 'Meetup')).all();
    expect(made).toMatchObject([{ maxPeople: 2, emailDomain: 'example.com', joined: 0 }]);
    await row('0 of 2 joined · only addresses at example.com').getByText('Open').waitFor();

    const tester = await newTester('charlie');
    const other = await openVisitor(scenario.browser, scenario.origin, { userAgent: androidAgent });
    await openSignedIn(scenario, other, address, tester);
    await other.actions.click('Join');
    await other.page.getByRole('link', { name: 'Download and install' }).waitFor();
    await other.leave();

    await page.reload();
    await row(tester.email).getByText('Join link Meetup').waitFor();
    await show('join-links');
    await row('1 of 2 joined').getByRole('button', { name: 'Revoke: Meetup' }).click();
    await page.getByText(/The person who joined keeps access\.$/).waitFor();
    await actions.click('Revoke');
    await row('1 of 2 joined').getByText('Revoked').waitFor();
  });
});
