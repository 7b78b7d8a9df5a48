// Changes to sign-in methods in a browser: by recovery code, by a new sign-in through the identity provider, and the review
// after a password reset.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { MINUTE } from '../../../src/lib/clock.ts';
import { attributeIn, encode, makeProvider, messageOf, type Provider, signAnswer } from '../../sso/provider.ts';
import { connect, ssoPath } from '../../sso/scenario.ts';
import { addPasskeyOwner, codeOf, stepUp } from '../../support/factors.ts';
import { api } from '../../support/harness.ts';
import { newestLink } from '../../support/mailbox.ts';
import { openScenario, type Scenario, signIn } from './scenario.ts';
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

describe('an account whose passkey is not available', () => {
  it('removes it with a recovery code', async () => {
    const { page, actions, show } = visitor;
    const { account, client } = await addPasskeyOwner(scenario.fixture);
    const proof = await stepUp(scenario.fixture, client);
    const renewed = await client.post<{ recovery_codes: string[] }>('/api/v1/mfa/recovery-codes', proof);
    const [first = '', second = ''] = renewed.body.recovery_codes;
    await page.addInitScript(
      "navigator.credentials.get = () => Promise.reject(new DOMException('Canceled', 'NotAllowedError'))",
    );
    await open('/sign-in?back=/me');
    await signIn(page, account);
    await actions.click('Use a passkey');
    await page.getByRole('alert').getByText('No passkey was used. Try again.').waitFor();
    await page.getByLabel('Recovery code').fill(first);
    await actions.click('Continue');
    await page.getByRole('heading', { name: 'Your account' }).waitFor();
    await actions.click('Remove');
    const dialog = page.getByRole('dialog');
    await dialog.getByText("We'll also ask for your passkey.").waitFor();
    await dialog.getByLabel('Current password').fill(account.password);
    await dialog.getByRole('button', { name: 'Remove', exact: true }).click();
    await dialog.getByRole('alert').getByText('No passkey was used. Try again.').waitFor();
    await dialog.getByRole('button', { name: 'Use a recovery code instead' }).click();
    await dialog.getByLabel('Current password').fill(account.password);
    await dialog.getByLabel('Recovery code').fill(second);
    await show('step-up-recovery-code');
    await dialog.getByRole('button', { name: 'Remove', exact: true }).click();
    await page.getByText('No passkeys yet.').first().waitFor();
  });
});

describe('a password reset', () => {
  it('lists additions, with a button to remove each', async () => {
    const { page, actions, show } = visitor;
    const { account } = await addPasskeyOwner(scenario.fixture);
    await api(scenario.fixture, null).post('/api/v1/login/password_reset', { email: account.email });
    await page.goto(newestLink(scenario.fixture, account.email, /Reset your password/).href);
    await page.getByLabel('New password').fill('a staple that is new');
    await actions.click('Set password');
    await page.getByRole('heading', { name: 'Your password is set' }).waitFor();
    await page.getByText(/^Passkey “Passkey”, added /).waitFor();
    await show('reset-review');
    await actions.click('Remove “Passkey”');
    await page.getByRole('heading', { name: 'Review complete' }).waitFor();
    await actions.click('Sign in', 'link');
    await signIn(page, { email: account.email, password: 'a staple that is new' });
    await page.getByRole('heading', { name: 'No organization yet' }).waitFor();
  });
});

describe('an account with only single sign-on', () => {
  it('signs in again through its identity provider, and returns to the page', async () => {
    const provider = await makeProvider();
    const { address, forced, close } = await serveProvider(provider);
    onTestFinished(close);
    await connect(scenario.fixture, provider);
    const configured = await scenario.client.put(ssoPath(scenario.fixture.organization_id), {
      entity_id: provider.entityId,
      sso_url: address,
      certificates: [provider.certificate],
    });
    expect(configured.status).toBe(200);
    // The provider is on another origin, so this browser is not watched for staying here.
    const context = await scenario.browser.newContext({ locale: 'en-GB' });
    const page = await context.newPage();
    const login = `${ssoPath(scenario.fixture.organization_id)}/login?relay_state=/me`;
    await page.goto(new URL(login, scenario.origin).href);
    await page.getByRole('heading', { name: 'Your account' }).waitFor();
    // The account has no password.
    const sections = page.getByRole('navigation', { name: 'On this page' }).getByRole('link');
    await expect.poll(() => sections.allTextContents()).not.toContain('Password');
    scenario.fixture.clock.advance(6 * MINUTE);
    await page.reload();
    await page.getByRole('button', { name: 'Set up authenticator app' }).click();
    await page.getByRole('dialog').getByRole('link', { name: 'Sign in again' }).click();
    await page.getByRole('heading', { name: 'Your account' }).waitFor();
    expect([new URL(page.url()).pathname, forced]).toEqual(['/me', [false, true]]);
    await page.getByRole('button', { name: 'Set up authenticator app' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Show QR code' }).click();
    const secret = (await page.locator('.tw-copyable-text').first().textContent()) ?? '';
    await page.getByLabel('Code from the app').fill(codeOf(scenario.fixture, secret));
    await page.getByRole('button', { name: 'Confirm' }).click();
    await page.getByText('see this again').waitFor();
    await context.close();
  });

  /** A provider that signs everybody in at once, and notes of each request whether it asked for the person. */
  async function serveProvider(provider: Provider) {
    const forced: boolean[] = [];
    const server = createServer((request, response) => {
      const { href, searchParams } = new URL(request.url ?? '', 'http://localhost');
      if (!searchParams.has('SAMLRequest')) return response.writeHead(404).end();
      const message = messageOf(href);
      forced.push(message.includes('ForceAuthn="true"'));
      const base = `${scenario.fixture.config.server.base_url}${ssoPath(scenario.fixture.organization_id)}`;
      const requestId = attributeIn(message, 'ID');
      const now = scenario.fixture.clock.now().getTime();
      const target = { acsUrl: `${base}/acs`, audience: `${base}/metadata`, requestId, now };
      const xml = signAnswer(provider, target, { nameId: 'mia', email: 'mia@example.test' });
      const fields = { SAMLResponse: encode(xml), RelayState: searchParams.get('RelayState') ?? '' };
      const inputs = Object.entries(fields).map(([name, value]) => `<input name="${name}" value="${value}">`);
      response.writeHead(200, { 'content-type': 'text/html' });
      const form = `<form method="post" action="${target.acsUrl}">${inputs.join('')}</form>`;
      return response.end(`${form}<script>document.forms[0].submit()</script>`);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    return { address: `http://127.0.0.1:${port}/sso`, forced, close: () => void server.close() };
  }
});
