// Invitations from both sides: colleagues who come from the email or from a copied link, and the team that invites them.
import { eq } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { organizations } from '../../../src/data/tables/tables.ts';
import { makeProvider } from '../../sso/provider.ts';
import { connect, ssoPath } from '../../sso/scenario.ts';
import { type Account, createAccount } from '../../support/harness.ts';
import { type MailServer, startMailServer } from '../../support/mail-server.ts';
import { addAuthenticator } from '../browser.ts';
import { openScenario, openSignedIn, type Scenario, signIn, signOut } from './scenario.ts';
import { openVisitor, type Visitor } from './visitor.ts';

const PASSWORD = 'harbour lights at nine';

let visitor: Visitor;
afterEach(() => visitor?.leave());

const heading = (name: string | RegExp) => visitor.page.getByRole('heading', { name });

/** Waits for a page of the Android project. */
async function inProject(): Promise<void> {
  await visitor.page.waitForURL(/\/projects\//);
  await visitor.page.getByRole('main').getByText('Fixture Android').first().waitFor();
}

/** Counts the different pages that the visitor sees one after the other. */
function watchScreens(): () => string[] {
  const screens: string[] = [];
  const { page } = visitor;
  page.on('framenavigated', () => screens.push(new URL(page.url()).pathname));
  return () => screens.filter((path, at) => path !== screens[at - 1] && path !== 'blank');
}

describe('on a server that sends email', () => {
  let scenario: Scenario;
  let mails: MailServer;
  beforeAll(async () => {
    mails = await startMailServer();
    const smtp = { host: 'localhost', port: mails.port, security: 'none' } as const;
    const mail = { transport: 'smtp', from: 'Taxiway <builds@taxiway.example>', smtp } as const;
    scenario = await openScenario({ config: { mail } });
  });
  afterAll(async () => {
    await scenario?.close();
    await mails?.stop();
  });
  beforeEach(async () => {
    visitor = await openVisitor(scenario.browser, scenario.origin);
  });

  /** The link in the email that the mail server received. */
  async function mailedLink(address: string): Promise<string> {
    await scenario.fixture.drain();
    const mail = mails.received.findLast(({ to }) => to.includes(address));
    const text = (mail?.source ?? '').replaceAll('=\r\n', '').replaceAll('=3D', '=');
    const link = /http\S+\/invite\/\w+\/svc_inv_[\w-]+/.exec(text)?.[0];
    if (link === undefined) throw new Error(`No invitation reached ${address}`);
    return link;
  }

  it('two colleagues are invited with four actions, and each joins with three on two screens', async () => {
    await openSignedIn(scenario, visitor, '/members');
    await heading('Members').first().waitFor();
    const { actions, page } = visitor;
    await actions.click('Invite');
    await page.getByRole('dialog', { name: 'Invite people' }).waitFor();
    await actions.fill(page.getByLabel('Email addresses'), 'Cy Quay <cy.quay@example.com>, di@example.com');
    await actions.click(page.getByLabel('Fixture Android'));
    await visitor.show('invite-many');
    await actions.click('Send 2 invitations');
    expect(actions.count()).toBe(4);
    await page.getByText('2 of 2 people invited.').waitFor();
    await visitor.show('invite-many-results');
    await actions.click('Done');
    await visitor.leave();

    const received = mails.received.length;
    for (const [address, name] of [
      ['cy.quay@example.com', 'Cy Quay'],
      ['di@example.com', 'Di'],
    ] as const) {
      visitor = await openVisitor(scenario.browser, scenario.origin);
      const screens = watchScreens();
      const link = await mailedLink(address);
      await visitor.actions.open(link);
      await heading('Join Fixture').waitFor();
      const email = visitor.page.getByLabel('Email address');
      expect([await email.inputValue(), await email.getAttribute('readonly')]).toEqual([address, '']);
      await expect.poll(() => visitor.page.getByLabel('Your name').inputValue()).toBe(name);
      if (address === 'di@example.com') await visitor.show('invitation-join');
      await visitor.actions.fill(visitor.page.getByLabel('New password'), PASSWORD);
      await visitor.actions.click('Join');
      await inProject();
      expect(visitor.actions.count()).toBe(3);
      expect(screens()).toHaveLength(2);
      expect(screens()[1]).toBe(`/projects/${scenario.fixture.android_project_id}`);
      if (address === 'cy.quay@example.com') await visitor.leave();
    }
    // The two invitations are the only emails.
    expect(mails.received.length - received).toBeLessThanOrEqual(2);
    expect(mails.received.filter(({ to }) => to.includes('di@example.com'))).toHaveLength(1);
  });

  /** Gives the browser an authenticator of its own. Returns a function that decides whether it verifies its owner. */
  async function addOwnAuthenticator() {
    const { cdp, authenticatorId } = await addAuthenticator(visitor.page);
    return (isUserVerified: boolean) => cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified });
  }

  async function inviteToProject(email: string): Promise<string> {
    const invites = `/api/v1/projects/${scenario.fixture.android_project_id}/invites`;
    expect((await scenario.client.post(invites, { email, role: 'read' })).status).toBe(201);
    return mailedLink(email);
  }

  it('an interrupted list shows who was not invited, and invites the rest with the same role and projects', async () => {
    await openSignedIn(scenario, visitor, '/members');
    await heading('Members').first().waitFor();
    const { page, expectRefusals } = visitor;
    expectRefusals(0);
    const dialog = page.getByRole('dialog', { name: 'Invite people' });
    await page.getByRole('button', { name: 'Invite' }).first().click();
    await dialog.getByLabel('Email addresses').fill('nia@example.com, ono@example.com, pia@example.com');
    await dialog.getByLabel('Fixture Android').check();
    let sent = 0;
    await page.route(/\/invites$/, async (route) => {
      if (route.request().method() === 'POST') sent += 1;
      if (sent === 2) await route.abort('internetdisconnected');
      else await route.continue();
    });
    await dialog.getByRole('button', { name: 'Send 3 invitations' }).click();
    await dialog.getByText('1 of 3 people invited.').waitFor();
    expect(sent).toBe(2);
    expect(await dialog.getByRole('listitem').allInnerTexts()).toEqual([
      'nia@example.com\nInvited',
      "ono@example.com\nCan't reach the server\nNot invited",
      'pia@example.com\nNot invited',
    ]);
    await page.unroute(/\/invites$/);
    await dialog.getByRole('button', { name: 'Try again' }).click();
    expect(await dialog.getByLabel('Email addresses').inputValue()).toBe('ono@example.com, pia@example.com');
    expect(await dialog.getByRole('checkbox', { name: 'Fixture Android' }).isChecked()).toBe(true);
    await dialog.getByRole('button', { name: 'Send 2 invitations' }).click();
    await dialog.getByText('2 of 2 people invited.').waitFor();
    expect(await dialog.getByRole('button', { name: 'Try again' }).count()).toBe(0);
  });

  it('a colleague joins with a passkey, with two actions on two screens, and signs in with it', async () => {
    const link = await inviteToProject('ivo@example.com');
    await addOwnAuthenticator();
    const { page, actions } = visitor;
    const screens = watchScreens();
    await actions.open(link);
    await page.locator('button:focus', { hasText: 'Create passkey' }).waitFor();
    await visitor.show('invitation-join-passkey');
    await actions.click('Create passkey');
    await inProject();
    expect([actions.count(), screens()]).toEqual([
      2,
      [expect.any(String), `/projects/${scenario.fixture.android_project_id}`],
    ]);
    // The sign-in page then offers none by itself, so the button is used.
    await page.addInitScript('PublicKeyCredential.isConditionalMediationAvailable = async () => false');
    await page.goto(`${scenario.origin}/me`);
    await page
      .getByText(/^Passkey from /)
      .first()
      .waitFor();
    await signOut(page);
    await actions.click('Sign in with a passkey');
    await page.getByText('Fixture Android').first().waitFor();
  });

  it('a colleague who cancels the passkey uses a password on the same page', async () => {
    const link = await inviteToProject('jan@example.com');
    const verify = await addOwnAuthenticator();
    await verify(false);
    const { page, actions } = visitor;
    await page.goto(link);
    await actions.click('Create passkey');
    await page.getByRole('alert').getByText('No passkey was created.').waitFor();
    await page.locator('button:focus', { hasText: 'Create passkey' }).waitFor();
    await visitor.show('invitation-join-passkey-canceled');
    await expect.poll(() => page.getByLabel('Your name').inputValue()).toBe('Jan');
    await page.getByLabel('Your name').fill('');
    visitor.expectRefusals(400);
    await actions.click('Create passkey');
    await page.locator('input[name="display_name"]:focus').waitFor();
    await page.getByLabel('Your name').fill('Jan');
    await actions.fill(page.getByLabel('New password'), PASSWORD);
    await actions.click('Join');
    await inProject();
  });

  it('a colleague joins in a browser with an expired session of another person', async () => {
    const link = await inviteToProject('kim@example.com');
    await openSignedIn(scenario, visitor, '/members');
    await heading('Members').first().waitFor();
    await visitor.context.clearCookies();
    visitor.expectRefusals(401);
    await visitor.page.goto(link);
    await visitor.actions.fill(visitor.page.getByLabel('New password'), PASSWORD);
    await visitor.actions.click('Join');
    await visitor.page.waitForURL(/\/projects\//);
    await heading('Channels').waitFor();
  });

  it('a person with an account signs in with the fixed address, and reaches the project on four screens', async () => {
    const account = await createAccount(scenario.fixture, { email: 'eve@example.com' });
    const invites = `/api/v1/projects/${scenario.fixture.android_project_id}/invites`;
    expect((await scenario.client.post(invites, { email: account.email, role: 'read' })).status).toBe(201);
    const screens = watchScreens();
    await visitor.page.goto(await mailedLink(account.email));
    await visitor.page.getByText('eve@example.com already has an account. Sign in to accept.').waitFor();
    await visitor.actions.click('Sign in to accept');
    const email = visitor.page.getByLabel('Email address');
    expect([await email.inputValue(), await email.getAttribute('readonly')]).toEqual([account.email, '']);
    await visitor.page.getByLabel('Password', { exact: true }).fill(account.password);
    await visitor.page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await visitor.actions.click('Accept invitation');
    await inProject();
    expect(screens()).toHaveLength(4);
    visitor.expectRefusals(404);
    await visitor.page.goto(await mailedLink(account.email));
    await heading('This invitation no longer works').waitFor();
    await visitor.actions.click('Go to home page', 'link');
    await heading('Home').waitFor();
  });

  it('an invitation that is for someone else, or is revoked while its page is open, says so and leads on', async () => {
    const { page, actions, expectRefusals } = visitor;
    const { app, organization_id, android_project_id: project_id, channel_id } = scenario.fixture;
    const setLock = (lockReason: 'grace' | null) =>
      app.db.update(organizations).set({ lockReason }).where(eq(organizations.id, organization_id)).run();
    const other = await createAccount(scenario.fixture, { email: 'someone.else@example.com' });
    const invites = `/api/v1/organizations/${organization_id}/invites`;
    const { body } = await scenario.client.post(invites, { email: 'una@example.com', role: 'member' });
    const link = await mailedLink('una@example.com');
    await openSignedIn(scenario, visitor, new URL(link).pathname, other);
    await page.getByText('The invitation is for una@example.com.').waitFor();
    expect(await page.getByRole('button', { name: 'Accept invitation' }).count()).toBe(0);
    await actions.click('Use another account');
    await actions.fill(page.getByLabel('New password'), PASSWORD);
    expectRefusals(402, 404);
    setLock('grace');
    await actions.click('Join');
    await page.getByRole('alert').getByText("You can't join right now").waitFor();
    expect(await page.getByRole('main').textContent()).not.toMatch(/trial|payment/i);
    setLock(null);
    expect((await scenario.client.delete(`${invites}/${body.identifier}`)).status).toBe(204);
    await actions.click('Join');
    await page.getByRole('alert').getByText('This invitation no longer works').waitFor();
    await page.goto(link);
    await page.getByRole('link', { name: 'Sign in', exact: true }).waitFor();
    const forTester = await scenario.client.post<{ invite_url: string }>(
      '/api/v1/channel-invites',
      { email: 'una@example.com' },
      { organization_id, project_id, channel_id },
    );
    await openSignedIn(scenario, visitor, new URL(forTester.body.invite_url).pathname, other);
    await actions.click('Accept invitation');
    await page.getByRole('alert').getByText("You can't accept this invitation").waitFor();
  });

  it('a signed-in person finds pending invitations on the first page, and accepts or declines with one click', async () => {
    const account: Account = await createAccount(scenario.fixture, { email: 'flo@example.com' });
    const { organization_id: organization, android_project_id: project } = scenario.fixture;
    const projects = [{ project_id: project, role: 'read' }];
    const body = { email: account.email, role: 'member' };
    expect(
      (await scenario.client.post(`/api/v1/organizations/${organization}/invites`, { ...body, projects })).status,
    ).toBe(201);
    const ios = `/api/v1/projects/${scenario.fixture.ios_project_id}/invites`;
    expect((await scenario.client.post(ios, { ...body, role: 'read' })).status).toBe(201);
    await visitor.page.route('**/me/invitations?**', (route) =>
      route.continue({ url: route.request().url().replace('limit=20', 'limit=1') }),
    );
    await openSignedIn(scenario, visitor, '/', account);
    await heading(/^Pending invitation/).waitFor();
    await visitor.actions.click('Load more');
    await heading('Pending invitations').waitFor();
    await visitor.show('pending-invitations');
    const declined = visitor.page.getByRole('button', { name: 'Decline the invitation to Fixture iOS' });
    await declined.press('Enter');
    await declined.waitFor({ state: 'detached' });
    await expect.poll(() => visitor.page.locator('li:focus').textContent()).toMatch(/Fixture Organization/);
    await visitor.actions.click(/^Accept the invitation to /);
    await inProject();
    await visitor.leave();

    visitor = await openVisitor(scenario.browser, scenario.origin);
    await openSignedIn(scenario, visitor, `/projects/${scenario.fixture.ios_project_id}/settings`);
    const row = visitor.page.getByRole('listitem').filter({ hasText: account.email });
    await row.getByText('Declined').waitFor();
  });

  it('a signed-in person is led to the identity provider that the organization requires', async () => {
    visitor.expectRefusals(403);
    const { page, actions } = visitor;
    const { organization_id: organization } = scenario.fixture;
    const account = await createAccount(scenario.fixture, { email: 'hedy@corporate.example' });
    await connect(scenario.fixture, await makeProvider(), { domains: ['corporate.example'] });
    const require = (required: boolean) => scenario.client.put(`${ssoPath(organization)}/require`, { required });
    expect((await require(true)).status).toBe(200);
    const body = { email: account.email, role: 'member' };
    const made = await scenario.client.post<{ accept_url: string }>(
      `/api/v1/organizations/${organization}/invites`,
      body,
    );
    const target = (here: string) =>
      `${scenario.fixture.config.server.base_url}${ssoPath(organization)}/login?relay_state=${encodeURIComponent(here)}`;
    const toProvider = () => page.getByRole('link', { name: 'Continue to your identity provider' });
    await openSignedIn(scenario, visitor, '/', account);
    await actions.click(/^Accept the invitation to /);
    await toProvider().waitFor();
    await expect.poll(() => toProvider().getAttribute('href')).toBe(target('/'));
    await visitor.show('invitation-sso');
    const { pathname } = new URL(made.body.accept_url);
    await actions.open(scenario.origin + pathname);
    await actions.click('Accept invitation');
    await toProvider().waitFor();
    await expect.poll(() => toProvider().getAttribute('href')).toBe(target(pathname));
    await require(false);
  });

  it('an email that fails is shown, and the copied link asks for a sign-in or leads back after a sign-up', async () => {
    mails.refusal = { at: 'recipient', code: 550 };
    const invites = `/api/v1/organizations/${scenario.fixture.organization_id}/invites`;
    const made = await scenario.client.post<{ accept_url: string }>(invites, {
      email: 'gus@example.com',
      role: 'member',
    });
    await scenario.fixture.drain();
    mails.refusal = undefined;
    await openSignedIn(scenario, visitor, '/members');
    const row = visitor.page.getByRole('listitem').filter({ hasText: 'gus@example.com' });
    await row.getByText('Email failed').waitFor();
    await visitor.show('invitation-email-failed');
    await visitor.leave();
    visitor = await openVisitor(scenario.browser, scenario.origin);
    await visitor.page.goto(made.body.accept_url);
    await visitor.page.getByRole('button', { name: 'Sign in to accept' }).waitFor();
    expect(await visitor.page.getByLabel('New password').count()).toBe(0);
    expect(await visitor.page.getByText('gus@example.com').count()).toBe(0);
    const { page, actions } = visitor;
    await actions.click('Sign up to accept');
    await page.getByLabel('Your name').fill('Gus');
    await page.getByLabel('Email address').fill('gus@example.com');
    await page.getByLabel('New password').fill(PASSWORD);
    await actions.click('Create account');
    await page.getByText('gus@example.com').waitFor();
    await scenario.fixture.drain();
    const mail = mails.received.findLast(({ to }) => to.includes('gus@example.com'));
    const text = (mail?.source ?? '').replaceAll('=\r\n', '').replaceAll('=3D', '=');
    const token = /token=([\w-]+)/.exec(text)?.[1];
    expect((await scenario.client.as(null).post('/api/v1/developers/verify_email', { token })).status).toBe(200);
    await actions.click('Back to sign-in', 'link');
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await actions.click('Sign in');
    await actions.click('Accept invitation');
    await page.getByText('Invitation accepted').waitFor();
  });
});

describe('on a server that sends no email', () => {
  let scenario: Scenario;
  beforeAll(async () => {
    scenario = await openScenario();
  });
  afterAll(() => scenario?.close());
  beforeEach(async () => {
    visitor = await openVisitor(scenario.browser, scenario.origin);
  });

  it('the team passes on links and QR codes, each result is listed, and a colleague joins with a link', async () => {
    await createAccount(scenario.fixture, { email: 'known@example.com' });
    const invites = `/api/v1/organizations/${scenario.fixture.organization_id}/invites`;
    expect((await scenario.client.post(invites, { email: 'waits@example.com', role: 'member' })).status).toBe(201);
    await openSignedIn(scenario, visitor, '/members');
    const { page, actions } = visitor;
    await actions.click('Invite');
    const field = page.getByLabel('Email addresses');
    await actions.fill(field, 'Name,Email\nHal,hal@example.com\nOops,not an address');
    await actions.click('Create invitation');
    await page.getByText('Not an email address: not an address').waitFor();
    visitor.expectRefusals(409);
    await actions.fill(field, `hal@example.com\nwaits@example.com\n${scenario.fixture.admin.email}\nHAL@example.com`);
    await actions.click(page.getByLabel('Fixture Android'));
    await actions.click('Create 3 invitations');
    const row = (email: string) => page.getByRole('dialog').getByRole('listitem').filter({ hasText: email });
    await row('waits@example.com').getByText('Already invited').waitFor();
    await row(scenario.fixture.admin.email).getByText('Already a member').waitFor();
    await row('hal@example.com').getByText('Link created').waitFor();
    await actions.click('Show QR code: hal@example.com');
    await page.getByRole('img', { name: 'QR code: invitation link for hal@example.com' }).waitFor();
    await visitor.show('invite-many-links');
    // The links are shown once, so the dialog doesn't close by accident.
    await page.keyboard.press('Escape');
    await page.mouse.click(4, 4);
    expect(await page.getByRole('dialog').getByRole('button', { name: 'Close', exact: true }).count()).toBe(0);
    await row('hal@example.com').getByText('Link created').waitFor();
    const link =
      (await row('hal@example.com')
        .getByText(/\/invite\/organization\//)
        .textContent()) ?? '';
    await actions.click('Done');
    await visitor.leave();

    visitor = await openVisitor(scenario.browser, scenario.origin);
    const screens = watchScreens();
    await visitor.actions.open(link);
    // This browser creates no passkeys itself.
    await visitor.page.locator('input[autocomplete="new-password"]:focus').waitFor();
    await visitor.page.getByRole('button', { name: 'Create passkey' }).waitFor();
    await visitor.actions.fill(visitor.page.getByLabel('New password'), PASSWORD);
    await visitor.actions.click('Join');
    await inProject();
    expect([visitor.actions.count(), screens()]).toEqual([
      3,
      [expect.any(String), expect.stringMatching(/^\/projects\//)],
    ]);
    // The account can write although its address isn't verified.
    expect(await visitor.page.getByText('read-only access').count()).toBe(0);
    await visitor.page.goto(`${scenario.origin}/me`);
    await visitor.page.getByLabel('Your name').waitFor();
    await visitor.leave();

    visitor = await openVisitor(scenario.browser, scenario.origin);
    await visitor.page.goto(`${scenario.origin}/sign-in`);
    await signIn(visitor.page, { email: 'hal@example.com', password: PASSWORD });
    await visitor.page.getByText('Fixture Android').first().waitFor();
  });
});
