// Passkeys in a real browser: Chromium's virtual authenticator creates and uses them on a page of the product, with the options
// of the API.
import type { Browser, CDPSession, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import { addOwner, beginLogin, beginPasskeyLogin, finishPasskeyLogin, type Owner } from '../support/factors.ts';
import { api, expectRefusal, type Json } from '../support/harness.ts';
import { addAuthenticator, closeContexts, openBrowser } from './browser.ts';

interface Begun {
  challenge_id: string;
  options: Json;
}
interface Device {
  page: Page;
  cdp: CDPSession;
  authenticatorId: string;
  close(): Promise<void>;
}

let fixture: Fixture;
let browser: Browser;
beforeAll(async () => {
  [fixture, browser] = [await startFixture(), await openBrowser()];
});
afterAll(async () => {
  await closeContexts(browser);
  await fixture?.stop();
});

/** A browser profile with an authenticator of its own, on a page of the product. */
async function openDevice(base = fixture.config.server.base_url): Promise<Device> {
  const context = await browser.newContext();
  const page = await context.newPage();
  const { cdp, authenticatorId } = await addAuthenticator(page);
  await page.goto(new URL('/api/docs', base).href);
  return { page, cdp, authenticatorId, close: () => context.close() };
}

/** What the browser answers to options of the API, or the name of its error. */
function ask({ page }: Device, ceremony: 'create' | 'get', options: Json): Promise<Json | string> {
  const parse = ceremony === 'create' ? 'parseCreationOptionsFromJSON' : 'parseRequestOptionsFromJSON';
  return page.evaluate<Json | string>(`(async () => {
    try {
      const publicKey = PublicKeyCredential.${parse}(${JSON.stringify(options)});
      const credential = await navigator.credentials.${ceremony}({ publicKey });
      return credential.toJSON();
    } catch (error) {
      return error.name;
    }
  })()`);
}

/** The step-up of an account with a password and perhaps a passkey of this device. */
async function stepUp(device: Device, { client, account }: Owner): Promise<Json> {
  const { body } = await client.get<{ passkey_count: number }>('/api/v1/mfa');
  const password = { current_password: account.password };
  if (body.passkey_count === 0) return password;
  const begun = await client.post<Begun>(`/api/v1/developers/${account.developer_id}/change_email/passkey/begin`);
  const assertion = await ask(device, 'get', begun.body.options);
  return { ...password, passkey_challenge_id: begun.body.challenge_id, passkey_assertion: assertion };
}

async function register(device: Device, owner: Owner, name: string) {
  const { client } = owner;
  const begun = await client.post<Begun>('/api/v1/passkeys/register/begin', await stepUp(device, owner));
  const credential = await ask(device, 'create', begun.body.options);
  const { challenge_id } = begun.body;
  return {
    credential,
    finish: () => client.post<Json>('/api/v1/passkeys/register/finish', { challenge_id, credential, name }),
  };
}

describe('a browser with an authenticator', () => {
  it('registers a passkey and signs in with it, without a password and as two-factor authentication', async () => {
    const device = await openDevice();
    try {
      const owner = await addOwner(fixture);
      const { finish } = await register(device, owner, 'This computer');
      const registered = await finish();
      expect(registered.status).toBe(201);
      expect(registered.body).toMatchObject({ name: 'This computer', transports: ['internal'] });

      const alone = await beginPasskeyLogin(fixture);
      const signedIn = await finishPasskeyLogin(fixture, alone.challenge_id, await ask(device, 'get', alone.options));
      expect(signedIn.status).toBe(200);
      const me = await api(fixture, signedIn.body.access_token).get<Json>('/api/v1/developers/me');
      expect(me.body.identifier).toBe(owner.account.developer_id);

      const mfa_token = await beginLogin(fixture, owner.account);
      const second = await api(fixture, null).post<Begun>('/api/v1/login/mfa/passkey/begin', { mfa_token });
      const credential = await ask(device, 'get', second.body.options);
      const { challenge_id } = second.body;
      const body = { challenge_id, credential };
      expect((await api(fixture, null).post('/api/v1/login/mfa/passkey/finish', body)).status).toBe(200);
      expectRefusal(await api(fixture, null).post('/api/v1/login/mfa/passkey/finish', body), 401, 'unauthorized');

      // The browser knows that it has one of this account already.
      expect((await register(device, owner, 'again')).credential).toBe('InvalidStateError');
    } finally {
      await device.close();
    }
  });

  it('creates and uses none without user verification', async () => {
    const device = await openDevice();
    try {
      const owner = await addOwner(fixture);
      const { authenticatorId, cdp } = device;
      expect((await (await register(device, owner, 'Phone')).finish()).status).toBe(201);
      await cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false });
      expect((await register(device, await addOwner(fixture), 'Phone')).credential).toBe('NotAllowedError');
      const { options } = await beginPasskeyLogin(fixture);
      expect(await ask(device, 'get', options)).toBe('NotAllowedError');
    } finally {
      await device.close();
    }
  });

  it('is rejected if it is an outdated copy', async () => {
    const [original, copy] = [await openDevice(), await openDevice()];
    try {
      const owner = await addOwner(fixture);
      expect((await (await register(original, owner, 'Key')).finish()).status).toBe(201);
      const { credentials } = await original.cdp.send('WebAuthn.getCredentials', {
        authenticatorId: original.authenticatorId,
      });
      for (const credential of credentials) {
        await copy.cdp.send('WebAuthn.addCredential', { authenticatorId: copy.authenticatorId, credential });
      }
      const attempt = async (device: Device) => {
        const { challenge_id, options } = await beginPasskeyLogin(fixture);
        return (await finishPasskeyLogin(fixture, challenge_id, await ask(device, 'get', options))).status;
      };
      expect(await attempt(original)).toBe(200);
      expect(await attempt(original)).toBe(200);
      expect(await attempt(copy)).toBe(401);
      expect(await attempt(original)).toBe(200);
    } finally {
      await Promise.all([original.close(), copy.close()]);
    }
  });

  it('creates nothing for another site: the host of the options differs', async () => {
    await using elsewhere = await startFixture({ config: { server: { host: '127.0.0.1' } } });
    const address = elsewhere.url.replace('localhost', '127.0.0.1');
    const device = await openDevice(address);
    try {
      const { options } = await beginPasskeyLogin(fixture);
      expect(await ask(device, 'get', options)).toBe('SecurityError');
    } finally {
      await device.close();
    }
  });
});
