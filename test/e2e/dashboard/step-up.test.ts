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
import { openStage, type Stage, signIn } from './stage.ts';
import { openVisitor, type Visitor } from './visitor.ts';

let stage: Stage;
let visitor: Visitor;

beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage?.close());
beforeEach(async () => {
  visitor = await openVisitor(stage.browser, stage.origin);
});
afterEach(() => visitor?.leave());

const open = (path: string) => visitor.page.goto(new URL(path, stage.origin).href);

describe('an account whose passkey is not available', () => {
  it('removes it with a recovery code', async () => {
    const { page, actions, show } = visitor;
    const { account, client } = await addPasskeyOwner(stage.fixture);
    const proof = await stepUp(stage.fixture, client);
    const renewed = await client.post<{ recovery_codes: string[] }>('/api/v1/mfa/recovery-codes', proof);
    const [first = '', second = ''] = renewed.body.recovery_codes;
    await open('/sign-in?back=/me');
    await signIn(page, account);
    await page.getByLabel('Recovery code').fill(first);
    await actions.click('Continue');
    await page.getByRole('heading', { name: 'Your account' }).waitFor();
    await actions.click('Remove');
    const dialog = page.getByRole('dialog');
    await dialog.getByText("We'll also ask for your passkey.").waitFor();
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
    const { account } = await addPasskeyOwner(stage.fixture);
    await api(stage.fixture, null).post('/api/v1/login/password_reset', { email: account.email });
    await page.goto(newestLink(stage.fixture, account.email, /Reset your password/).href);
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
    await connect(stage.fixture, provider);
    const configured = await stage.client.put(ssoPath(stage.fixture.organization_id), {
      entity_id: provider.entityId,
      sso_url: address,
      certificates: [provider.certificate],
    });
    expect(configured.status).toBe(200);
    // The account is younger than the configuration.
    stage.fixture.clock.advance(1);
    // The provider is on another origin, so this browser is not watched for staying here.
    const context = await stage.browser.newContext({ locale: 'en-GB' });
    const page = await context.newPage();
    const login = `${ssoPath(stage.fixture.organization_id)}/login?relay_state=/me`;
    await page.goto(new URL(login, stage.origin).href);
    await page.getByRole('heading', { name: 'Your account' }).waitFor();
    stage.fixture.clock.advance(6 * MINUTE);
    await page.reload();
    await page.getByRole('button', { name: 'Set up authenticator app' }).click();
    await page.getByRole('dialog').getByRole('link', { name: 'Sign in again' }).click();
    await page.getByRole('heading', { name: 'Your account' }).waitFor();
    expect([new URL(page.url()).pathname, forced]).toEqual(['/me', [false, true]]);
    await page.getByRole('button', { name: 'Set up authenticator app' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Show QR code' }).click();
    const secret = (await page.locator('.tw-copyable-text').first().textContent()) ?? '';
    await page.getByLabel('Code from the app').fill(codeOf(stage.fixture, secret));
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
      const base = `${stage.fixture.config.server.base_url}${ssoPath(stage.fixture.organization_id)}`;
      const requestId = attributeIn(message, 'ID');
      const now = stage.fixture.clock.now().getTime();
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
