// A tester without a password: from the link of a private channel to the build, and what the account can do then.
import { eq } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { developers } from '../../../src/data/tables/tables.ts';
import { otherCode, readCode, SENDS_MAIL } from '../../support/email-sign-in.ts';
import { addAuthenticator } from '../browser.ts';
import { openScenario, openSignedIn, releasePrivately, type Scenario } from './scenario.ts';
import { androidAgent, openVisitor, type Visitor } from './visitor.ts';

let scenario: Scenario;
let visitor: Visitor;
let link: string;
let testersPath: string;

beforeAll(async () => {
  scenario = await openScenario({ config: { mail: SENDS_MAIL } });
  const { inChannel } = await releasePrivately(scenario);
  link = `/install/channels/${inChannel.channel_id}`;
  testersPath = `/api/v1/projects/${inChannel.project_id}/testers`;
});
afterAll(() => scenario?.close());
beforeEach(async () => {
  visitor = await openVisitor(scenario.browser, scenario.origin, { userAgent: androidAgent });
});
afterEach(() => visitor?.leave());

const heading = (name: string) => visitor.page.getByRole('heading', { name });
const download = () => visitor.page.getByRole('link', { name: 'Download and install' });
const addressField = () => visitor.page.getByLabel('Email address');
const codeField = () => visitor.page.getByLabel('Code from the email');

/** Invites an address that has no account. */
async function invite(email: string): Promise<void> {
  expect((await scenario.client.post(testersPath, { email })).status).toBe(201);
}

/** From the link to the field for the code. */
async function requestCode(email: string): Promise<void> {
  const { actions } = visitor;
  await actions.open(scenario.origin + link);
  await actions.click('Sign in', 'link');
  await actions.fill(addressField(), email);
  await actions.click('Email me a code');
  await codeField().waitFor();
}

describe('a tester without a password', () => {
  it('installs in four screens and six actions, from an invitation without an account', async () => {
    const { page, actions, show } = visitor;
    visitor.expectRefusals(404);
    await invite('robin@example.com');
    const screens: string[] = [];
    page.on('framenavigated', () => screens.push(new URL(page.url()).pathname));
    await requestCode('robin@example.com');
    await heading('Check your email').waitFor();
    await show('email-sign-in-code');
    const { code } = await readCode(scenario.fixture, 'robin@example.com');
    await actions.fill(codeField(), code);
    await actions.click('Sign in');
    await download().waitFor();
    // The field for the code is a fourth screen at the same address.
    expect(screens.filter((path, at) => path !== screens[at - 1])).toEqual([link, '/sign-in', link]);
    expect(actions.count()).toBe(6);
  });

  it('uses the link of the email in another tab, and both tabs continue on the install page', async () => {
    const { page, context } = visitor;
    visitor.expectRefusals(404);
    await invite('kim@example.com');
    await requestCode('kim@example.com');
    // Phones reload pages that were left for the mail program.
    await page.reload();
    await codeField().waitFor();
    const { token } = await readCode(scenario.fixture, 'kim@example.com');
    const tab = await context.newPage();
    await tab.goto(`${scenario.origin}/sign-in/email?token=${token}`);
    await tab.getByRole('button', { name: 'Sign in' }).click();
    await tab.getByRole('link', { name: 'Download and install' }).waitFor();
    await download().waitFor();
    await tab.close();
  });

  it('keeps a join link that the account was created with, when a code comes before the verification link', async () => {
    const { page, actions } = visitor;
    const email = 'jo@example.com';
    const channelPath = `/api/v1/channels/${scenario.fixture.channel_id}`;
    const made = await scenario.client.post<{ join_url: string }>(`${channelPath}/join-links`, {});
    const { pathname } = new URL(made.body.join_url);
    await actions.open(scenario.origin + pathname);
    await actions.click('Create account', 'link');
    await page.getByLabel('Your name').fill('Jo');
    await addressField().fill(email);
    await page.getByLabel('New password').fill('a staple of horses');
    await actions.click('Create account');
    await page.getByText(email).waitFor();
    await actions.click('Back to sign-in', 'link');
    await actions.fill(addressField(), email);
    await actions.click('Email me a code');
    await codeField().waitFor();
    await actions.fill(codeField(), (await readCode(scenario.fixture, email)).code);
    await actions.click('Sign in');
    await actions.click('Join');
    await download().waitFor();
    expect(new URL(page.url()).pathname).toBe(link);
  });

  it('learns in another browser where the link works, and what is wrong with a code', async () => {
    visitor.expectRefusals(401, 404);
    await invite('sam@example.com');
    await requestCode('sam@example.com');
    const { code, token } = await readCode(scenario.fixture, 'sam@example.com');
    await visitor.actions.fill(codeField(), otherCode(code));
    await visitor.actions.click('Sign in');
    await visitor.page.getByText('Incorrect code.').waitFor();
    await visitor.leave();

    visitor = await openVisitor(scenario.browser, scenario.origin, { userAgent: androidAgent });
    visitor.expectRefusals(401);
    await visitor.page.goto(`${scenario.origin}/sign-in/email?token=${token}`);
    await visitor.actions.click('Sign in');
    await visitor.page.getByText('This link works in the browser where you asked for it.').waitFor();
    await visitor.show('email-sign-in-other-browser');
    expect(scenario.fixture.app.db.select().from(developers).where(eq(developers.email, 'sam@example.com')).get()).toBe(
      undefined,
    );
  });

  it('is offered a passkey after the first install, declines once, and deletes the account with a code', async () => {
    const { page, actions, show } = visitor;
    visitor.expectRefusals(404);
    await invite('alex@example.com');
    await requestCode('alex@example.com');
    await actions.fill(codeField(), (await readCode(scenario.fixture, 'alex@example.com')).code);
    await actions.click('Sign in');
    await download().waitFor();
    const offer = page.getByRole('link', { name: 'Add a passkey' });
    expect(await offer.count()).toBe(0);
    const [file] = await Promise.all([page.waitForEvent('download'), download().click()]);
    await file.cancel();
    await page.reload();
    await show('install-passkey-offer');
    await offer.click();
    await heading('Sign in faster next time').waitFor();
    await show('passkey-offer');
    await actions.click('Not now');
    await download().waitFor();
    expect(await offer.count()).toBe(0);

    await page.goto(`${scenario.origin}/me`);
    await page.getByRole('button', { name: 'Set password' }).waitFor();
    await actions.click('Delete my account');
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Email me a code' }).click();
    await dialog.getByText(/^We sent a code to alex@example\.com/).waitFor();
    await show('step-up-by-email');
    await dialog.getByLabel('Code from the email').fill((await readCode(scenario.fixture, 'alex@example.com')).code);
    await dialog.getByRole('button', { name: 'Delete my account' }).click();
    await page.getByText('Your account is locked and will be deleted.').waitFor();
  });
});

describe('the passkey that is offered', () => {
  it('is added with a code from an email, and asked for after the next one', async () => {
    const { page, context, actions } = visitor;
    visitor.expectRefusals(404);
    await addAuthenticator(page);
    await invite('max@example.com');
    await requestCode('max@example.com');
    await actions.fill(codeField(), (await readCode(scenario.fixture, 'max@example.com')).code);
    await actions.click('Sign in');
    await download().waitFor();
    const [file] = await Promise.all([page.waitForEvent('download'), download().click()]);
    await file.cancel();
    await page.reload();
    await page.getByRole('link', { name: 'Add a passkey' }).click();
    await actions.click('Email me a code');
    await page.getByText(/^We sent a code to max@example\.com/).waitFor();
    await actions.fill(codeField(), (await readCode(scenario.fixture, 'max@example.com')).code);
    await actions.click(page.getByRole('button', { name: 'Continue' }));
    await download().waitFor();
    expect(await page.getByRole('link', { name: 'Add a passkey' }).count()).toBe(0);

    // Otherwise the passkey signs in as soon as the form appears.
    await page.addInitScript('PublicKeyCredential.isConditionalMediationAvailable = async () => false');
    await context.clearCookies();
    await page.evaluate('localStorage.clear()');
    await requestCode('max@example.com');
    await actions.fill(codeField(), (await readCode(scenario.fixture, 'max@example.com')).code);
    await actions.click('Sign in');
    await actions.click('Use a passkey');
    await download().waitFor();
  });
});

describe('an admin', () => {
  it('turns signing in by email off for the organization', async () => {
    visitor.expectRefusals(404, 403);
    await invite('lou@example.com');
    await requestCode('lou@example.com');
    await visitor.actions.fill(codeField(), (await readCode(scenario.fixture, 'lou@example.com')).code);
    await visitor.actions.click('Sign in');
    await download().waitFor();

    const admin = await openVisitor(scenario.browser, scenario.origin);
    await openSignedIn(scenario, admin, '/settings/security');
    const toggle = admin.page.getByRole('switch', { name: 'Allow signing in by email' });
    await toggle.waitFor();
    await admin.show('security-email-sign-in');
    await toggle.click();
    await expect
      .poll(
        async () =>
          (await scenario.client.get(`/api/v1/organizations/${scenario.fixture.organization_id}`)).body
            .email_sign_in_allowed,
      )
      .toBe(false);
    await admin.leave();

    await visitor.page.reload();
    await heading('Sign in another way').waitFor();
    await visitor.show('install-sign-in-otherwise');
  });
});
