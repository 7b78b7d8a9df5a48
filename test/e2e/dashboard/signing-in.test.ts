// Sign-in: password, two-factor authentication, passkeys, invitations, and expired sessions.
import type { Route } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { codeOf } from '../../support/factors.ts';
import { createAccount } from '../../support/harness.ts';
import { addAuthenticator } from '../browser.ts';
import { openScenario, openSignedIn, type Scenario, signIn, signOut } from './scenario.ts';
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

const open = (path: string) => visitor.page.goto(new URL(path, scenario.origin).href);
const leave = () => signOut(visitor.page);
const heading = (name: string) => visitor.page.getByRole('heading', { name, exact: true });

describe('signing in by password', () => {
  it('shows errors, and returns to the requested page', async () => {
    const { page, show, expectRefusals } = visitor;
    const path = `/projects/${scenario.fixture.android_project_id}/builds?status=all&sort=version`;
    await open(path);
    await heading('Sign in').waitFor();
    await show('sign-in');
    expectRefusals(401);
    await signIn(page, { ...scenario.fixture.admin, password: 'not the password' });
    await page.getByText('Incorrect email address or password.').waitFor();
    await expect.poll(() => page.getByLabel('Email address').inputValue()).toBe(scenario.fixture.admin.email);
    await show('sign-in-wrong');
    await signIn(page, scenario.fixture.admin);
    await heading('No builds yet').waitFor();
    expect(page.url()).toBe(new URL(path, scenario.origin).href);
  });

  it('stores tokens in cookies that scripts cannot read, and signs out', async () => {
    const { page, context } = visitor;
    await open('/sign-in');
    await signIn(page, scenario.fixture.admin);
    await heading('Home').waitFor();
    const cookies = await context.cookies();
    expect(cookies.map(({ name, httpOnly, path }) => [name, httpOnly, path]).sort()).toEqual([
      ['svc_access', true, '/'],
      ['svc_refresh', true, '/api/v1/login'],
    ]);
    const kept = await page.evaluate<string>('JSON.stringify(localStorage) + document.cookie');
    for (const { value } of cookies) expect(kept).not.toContain(value);
    await leave();
    await heading('Sign in').waitFor();
    expect(await context.cookies()).toEqual([]);
  });

  it('ends in other tabs when one signs out, and continues there when one signs in', async () => {
    const { page, context } = visitor;
    await open('/sign-in');
    await signIn(page, scenario.fixture.admin);
    await heading('Home').waitFor();
    const other = await context.newPage();
    await other.goto(new URL('/members', scenario.origin).href);
    await other.getByRole('heading', { name: 'Members' }).first().waitFor();
    await leave();
    await other.getByRole('heading', { name: 'Sign in', exact: true }).waitFor();
    await heading('Sign in').waitFor();
    await signIn(page, scenario.fixture.admin);
    await heading('Home').waitFor();
    await other.getByRole('heading', { name: 'Members' }).first().waitFor();

    // Nothing of the first person stays visible if another one signs in.
    const { email, password } = await createAccount(scenario.fixture, { organizationName: 'Second Pier' });
    await open('/sign-in?account=other');
    await signIn(page, { email, password });
    await heading('No projects yet').waitFor();
    await other.getByRole('heading', { name: 'No projects yet' }).waitFor();
    expect(new URL(other.url()).pathname).toBe('/');
    await other.getByRole('button', { name: 'Switch organization: Second Pier' }).waitFor();
  });

  it('is skipped on the way back to a page, unless the session has expired', async () => {
    const { page, context, expectRefusals } = visitor;
    await open('/sign-in');
    await signIn(page, scenario.fixture.admin);
    await heading('Home').waitFor();
    await open('/sign-in?back=/members');
    await heading('Members').first().waitFor();
    expect(new URL(page.url()).pathname).toBe('/members');
    await open('/sign-in?back=//example.com');
    await heading('Home').waitFor();
    // Another error isn't the end of the session.
    expectRefusals(401, 500);
    const fail = (route: Route) => route.fulfill({ status: 500, json: { error: 'internal_error', message: 'Failed' } });
    await page.route('**/developers/me', fail);
    await open('/sign-in?back=/members');
    await page.getByRole('button', { name: 'Try again' }).waitFor();
    expect(await page.getByLabel('Email address').count()).toBe(0);
    await page.unroute('**/developers/me', fail);
    await page.getByRole('button', { name: 'Try again' }).click();
    await heading('Members').first().waitFor();
    await context.clearCookies();
    await open('/sign-in?back=/members');
    await signIn(page, scenario.fixture.admin);
    await heading('Members').first().waitFor();
    expect(new URL(page.url()).pathname).toBe('/members');
  });
});

describe('an expired session', () => {
  it('asks to sign in on top of the page, and keeps the input', async () => {
    const { page, actions, show, expectRefusals } = visitor;
    await open('/sign-in');
    await signIn(page, scenario.fixture.admin);
    await heading('Home').waitFor();
    await actions.click('New project');
    await page.getByLabel('Name', { exact: true }).fill('Not lost');
    await scenario.client.delete('/api/v1/sessions');
    const { email, password } = scenario.fixture.admin;
    const login = await scenario.client.post<{ access_token: string }>('/api/v1/login', { email, password });
    scenario.client = scenario.client.as(login.body.access_token);
    expectRefusals(401);
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByText('Session expired').waitFor();
    await show('session-ended');
    const dialog = page.getByRole('dialog').filter({ hasText: 'Session expired' });
    await page.keyboard.press('Escape');
    await dialog.getByLabel('Password', { exact: true }).fill(scenario.fixture.admin.password);
    await dialog.getByRole('button', { name: 'Sign in', exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    await expect.poll(() => page.getByLabel('Name', { exact: true }).inputValue()).toBe('Not lost');
    expect(await page.getByText("You're signed out").count()).toBe(0);
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await heading('No channels yet').waitFor();

    // The dialog of a page that was opened since isn't above the next question.
    await actions.click('New channel');
    await page.getByLabel('Name', { exact: true }).fill('Not lost again');
    await page.context().clearCookies();
    await page.keyboard.press('Enter');
    await dialog.getByRole('button', { name: 'Sign in', exact: true }).click({ trial: true });
    await page.keyboard.press('Escape');
    await dialog.getByLabel('Password', { exact: true }).fill(scenario.fixture.admin.password);
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Not lost again');
  });

  it('asks in every tab, and continues in all of them when the same person signs in again in one', async () => {
    const { page, context, actions, expectRefusals } = visitor;
    await open('/sign-in');
    await signIn(page, scenario.fixture.admin);
    await heading('Home').waitFor();
    const other = await context.newPage();
    await other.goto(new URL('/', scenario.origin).href);
    await other.getByRole('button', { name: 'New project' }).click();
    await other.getByLabel('Name', { exact: true }).fill('Not lost either');
    expectRefusals(401);
    await context.clearCookies();
    await actions.click('Devices', 'link');
    const dialogOf = (tab: typeof page) => tab.getByRole('dialog').filter({ hasText: 'Session expired' });
    await dialogOf(page).waitFor();
    await dialogOf(other).waitFor();

    await signIn(page, scenario.fixture.admin);
    await dialogOf(page).waitFor({ state: 'detached' });
    await heading('No devices yet').waitFor();
    await dialogOf(other).waitFor({ state: 'detached' });
    const name = other.getByLabel('Name', { exact: true });
    await expect.poll(() => name.inputValue()).toBe('Not lost either');
    // The focus is where it was.
    await other.keyboard.press('!');
    await expect.poll(() => name.inputValue()).toBe('Not lost either!');
  });

  it('of an account with single sign-on is renewed in a new tab, and the page keeps its input', async () => {
    const { page, context, actions, expectRefusals } = visitor;
    await open('/sign-in');
    await signIn(page, scenario.fixture.admin);
    await heading('Home').waitFor();
    await actions.click('New project');
    const name = page.getByLabel('Name', { exact: true });
    await name.fill('Not lost');
    const provider = `${scenario.origin}/provider`;
    await context.route('**/provider?**', (route) => route.fulfill({ contentType: 'text/html', body: 'Provider' }));
    await page.route('**/login/sso/discover', (route) => route.fulfill({ json: { sso: true, login_url: provider } }));
    expectRefusals(401);
    await context.clearCookies();
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    const dialog = page.getByRole('dialog').filter({ hasText: 'Session expired' });
    await dialog.getByText(/opens in a new tab; this page continues/).waitFor();
    const opened = context.waitForEvent('page');
    await dialog.getByRole('button', { name: 'Continue to your identity provider' }).click();
    const tab = await opened;
    await tab.getByText('Provider').waitFor();
    expect(new URL(tab.url()).searchParams.get('relay_state')).toBe('/');
    // What the identity provider brings about: cookies that scripts can't read, and the page that was asked for.
    await openSignedIn(scenario, { page: tab, context }, '/');
    await dialog.waitFor({ state: 'detached' });
    expect(await name.inputValue()).toBe('Not lost');
  });

  it('of another person than the next one loads the home page, and requests nothing of the previous one', async () => {
    const { page, context, actions, expectRefusals } = visitor;
    const { email, password } = await createAccount(scenario.fixture, { organizationName: 'Third Pier' });
    await open('/sign-in?back=/members');
    await signIn(page, scenario.fixture.admin);
    await heading('Members').first().waitFor();
    expectRefusals(401);
    await context.clearCookies();
    await actions.click('Devices', 'link');
    await page.getByRole('dialog').filter({ hasText: 'Session expired' }).waitFor();
    await visitor.settle();
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await signIn(page, { email, password });
    await heading('No projects yet').waitFor();
    await page.getByRole('button', { name: 'Switch organization: Third Pier' }).waitFor();
    expect(asked.filter((url) => url.includes(scenario.fixture.organization_id))).toEqual([]);
  });
});

describe('an expired session of a server with a path', () => {
  let other: Scenario;
  beforeAll(async () => {
    other = await openScenario({ config: { server: { base_url: 'http://localhost:0/taxiway' } } });
  });
  afterAll(() => other?.close());

  it('is renewed by an identity provider that returns to the path', async () => {
    const person = await openVisitor(other.browser, other.origin);
    const { page, context, actions, expectRefusals } = person;
    await openSignedIn(other, person, '/taxiway/members');
    await page.getByRole('heading', { name: 'Members' }).first().waitFor();
    const login_url = `${other.origin}/taxiway/provider`;
    await context.route('**/provider?**', (route) => route.fulfill({ contentType: 'text/html', body: 'Provider' }));
    await page.route('**/login/sso/discover', (route) => route.fulfill({ json: { sso: true, login_url } }));
    expectRefusals(401);
    await context.clearCookies();
    await actions.click('Devices', 'link');
    const opened = context.waitForEvent('page');
    await page.getByRole('dialog').getByRole('button', { name: 'Continue to your identity provider' }).click();
    const tab = await opened;
    await tab.getByText('Provider').waitFor();
    expect(new URL(tab.url()).searchParams.get('relay_state')).toBe('/taxiway/devices');
    await person.leave();
  });
});

describe('two-factor authentication', () => {
  it('is set up, required, and turned off', async () => {
    const { page, actions, show, expectRefusals } = visitor;
    await open('/sign-in?back=/me');
    await signIn(page, scenario.fixture.admin);
    await heading('Your account').waitFor();
    await show('me');
    await actions.click('Set up authenticator app');
    const enrolling = page.getByRole('dialog');
    await enrolling.getByLabel('Current password').fill('not the password');
    expectRefusals(403);
    await enrolling.getByRole('button', { name: 'Show QR code' }).click();
    await enrolling.getByText('Incorrect. Try again.').waitFor();
    await show('totp-step-up');
    await enrolling.getByLabel('Current password').fill(scenario.fixture.admin.password);
    await enrolling.getByRole('button', { name: 'Show QR code' }).click();
    await page.getByRole('img', { name: 'QR code for the authenticator app' }).waitFor();
    const secret = (await page.locator('.tw-copyable-text').first().textContent()) ?? '';
    await show('totp');
    await page.getByLabel('Code from the app').fill(codeOf(scenario.fixture, secret));
    await actions.click('Confirm');
    await page.getByText('see this again').waitFor();
    await show('recovery-codes');
    const codes = (await page.locator('.tw-command pre').textContent())?.split('\n');
    expect(codes?.length).toBeGreaterThan(5);
    await page.getByLabel("I've saved it in a safe place").check();
    await actions.click('Done');

    await leave();
    await signIn(page, scenario.fixture.admin);
    await page.getByLabel('Code from your authenticator app').waitFor();
    await show('second-step');
    expectRefusals(401);
    await page.getByLabel('Code from your authenticator app').fill('000000');
    await actions.click('Continue');
    await page.getByText('Incorrect code, or already used.').waitFor();
    await actions.click('Use a recovery code');
    await page.getByLabel('Recovery code').fill(codes?.[0] ?? '');
    await actions.click('Continue');
    await heading('Home').waitFor();

    await open('/me');
    await actions.click('Turn off');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Current password').fill(scenario.fixture.admin.password);
    await dialog.getByLabel('Code from your authenticator app, or a recovery code').fill(codes?.[1] ?? '');
    await dialog.getByRole('button', { name: 'Turn off' }).click();
    await page.getByRole('button', { name: 'Set up authenticator app' }).waitFor();
  });

  it('accepts passkeys, which also sign in without an address', async () => {
    const { page, actions, show } = visitor;
    await addAuthenticator(page);
    await open('/sign-in?back=/me');
    await signIn(page, scenario.fixture.admin);
    await actions.click('Add passkey');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Current password').fill(scenario.fixture.admin.password);
    await show('passkey-step-up');
    await dialog.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('button', { name: 'Rename' }).waitFor();
    await show('me-passkey');
    await actions.click('Rename');
    await dialog.getByLabel('Name').fill('Desk');
    await dialog.getByLabel('Current password').fill(scenario.fixture.admin.password);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Desk', { exact: true }).waitFor();
    // The form offers it by itself, and this device says yes. A form that was replaced before it asked doesn't.
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    await leave();
    await heading('Home').waitFor();
    expect(asked.filter((path) => path.endsWith('/login/passkey/begin'))).toHaveLength(1);
    // A browser that offers none by itself has the button.
    await page.addInitScript('PublicKeyCredential.isConditionalMediationAvailable = async () => false');
    await open('/members');
    await heading('Members').first().waitFor();
    await leave();
    await actions.click('Sign in with a passkey');
    await heading('Home').waitFor();
    await open('/me');
    await actions.click('Remove');
    await dialog.getByLabel('Current password').fill(scenario.fixture.admin.password);
    await dialog.getByRole('button', { name: 'Remove' }).click();
    await page.getByText('No passkeys yet.').first().waitFor();
  });
});

describe('an invitation', () => {
  it('waits on the first page of a person who signs up without its link', async () => {
    const { page, actions, show, expectRefusals } = visitor;
    const path = `/api/v1/organizations/${scenario.fixture.organization_id}/invites`;
    await scenario.client.post(path, { email: 'bo@example.com', role: 'manager' });
    const mail = await scenario.fixture.mail.waitFor('bo@example.com');
    const link = /http\S+\/invite\/\S+/.exec(mail.text)?.[0] ?? '';
    await open('/sign-up');
    await page.getByLabel('Your name').fill('Bo Berth');
    await page.getByLabel('Email address').fill('bo@example.com');
    await page.getByLabel('New password').fill('harbour lights at nine');
    await show('sign-up');
    await actions.click('Create account');
    await heading('Verify your email address').waitFor();
    await show('verify');
    const proof = await scenario.fixture.mail.waitFor('bo@example.com', /verify_email/);
    await page.goto(/http\S+verify_email\S+/.exec(proof.text)?.[0] ?? '');
    await page.getByRole('button').click();
    await page.getByRole('link', { name: 'Sign in' }).click();
    await signIn(page, { email: 'bo@example.com', password: 'harbour lights at nine' });
    await heading('No organization yet').waitFor();
    await actions.click('Accept the invitation to Fixture Organization');
    await heading('Home').waitFor();
    expectRefusals(404);
    await page.goto(link);
    await heading('This invitation no longer works').waitFor();
    await show('invitation-dead');
  });
});

describe('a forgotten password', () => {
  it('is reset with a link', async () => {
    const { page, actions, show } = visitor;
    await open('/sign-in');
    await actions.click('Forgot your password?', 'link');
    await heading('Reset password').waitFor();
    await show('reset');
    await page.getByLabel('Email address').fill('bo@example.com');
    await actions.click('Create link');
    await heading('Ask the operator').waitFor();
    const mail = await scenario.fixture.mail.waitFor('bo@example.com', /password_reset/);
    await page.goto(/http\S+password_reset\S+/.exec(mail.text)?.[0] ?? '');
    await page.getByLabel('New password').fill('a wholly new berth');
    await page.getByRole('button').click();
    await page.getByRole('link', { name: 'Sign in' }).click();
    await signIn(page, { email: 'bo@example.com', password: 'a wholly new berth' });
    await heading('Home').waitFor();
  });
});

describe('the language', () => {
  it('follows the browser, can be changed, and is saved', async () => {
    const german = await openVisitor(scenario.browser, scenario.origin, { locale: 'de-AT' });
    await german.page.goto(new URL('/sign-in', scenario.origin).href);
    await german.page.getByRole('heading', { name: 'Anmelden' }).waitFor();
    expect(await german.page.evaluate('document.documentElement.lang')).toBe('de');
    expect(await german.page.getByRole('button', { name: 'Passwort anzeigen' }).getAttribute('aria-pressed')).toBe(
      'false',
    );
    await german.show('sign-in-german');
    await german.page.getByLabel('Sprache').selectOption('en');
    await german.page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(await german.page.getByRole('button', { name: 'Show password' }).count()).toBe(1);
    await german.page.reload();
    await german.page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await german.leave();
  });
});
