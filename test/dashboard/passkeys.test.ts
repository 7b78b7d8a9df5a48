// Whether the web app offers passkeys, by the host of the server and what the browser says about the device, and how it takes refusals.
import { afterEach, describe, expect, it, vi } from 'vitest';
import { PasskeyExistsError } from '../../src/dashboard/api/errors.ts';
import { createPasskey, createsPasskeys, hasPasskeys, requestPasskey } from '../../src/dashboard/api/passkeys.ts';

afterEach(() => {
  vi.unstubAllGlobals();
});

function openOn(hostname: string, isUserVerifyingPlatformAuthenticatorAvailable = async () => true): void {
  vi.stubGlobal('location', { hostname });
  vi.stubGlobal('navigator', { credentials: {} });
  vi.stubGlobal('PublicKeyCredential', { isUserVerifyingPlatformAuthenticatorAvailable });
}

describe('passkeys are offered', () => {
  it.each([
    ['builds.example.com', true],
    ['localhost', true],
    ['10.example', true],
    ['192.168.1.20', false],
    ['[fd00::20]', false],
  ])('on %s: %s', async (hostname, isOffered) => {
    openOn(hostname);
    expect([hasPasskeys(), await createsPasskeys()]).toEqual([isOffered, isOffered]);
  });

  it('but not first on a device that creates none, or whose browser does not say', async () => {
    for (const answer of [async () => false, () => Promise.reject(new Error('unknown'))]) {
      openOn('builds.example.com', answer);
      expect([hasPasskeys(), await createsPasskeys()]).toEqual([true, false]);
    }
  });

  it('not without a secure context', async () => {
    openOn('builds.example.com');
    vi.stubGlobal('navigator', {});
    expect([hasPasskeys(), await createsPasskeys()]).toEqual([false, false]);
  });
});

describe('a browser that refuses', () => {
  const create = () => createPasskey({ challenge: '', user: { id: '' } });
  const request = () => requestPasskey({ challenge: '' });

  function refuse(name: string): void {
    const refusal = async () => {
      throw new DOMException('refused', name);
    };
    vi.stubGlobal('PublicKeyCredential', class {});
    vi.stubGlobal('navigator', { credentials: { create: refusal, get: refusal } });
  }

  it.each(['NotAllowedError', 'AbortError'])('with %s was canceled', async (name) => {
    refuse(name);
    expect([await create(), await request()]).toEqual([undefined, undefined]);
  });

  it('because the device has a passkey of the account says so', async () => {
    refuse('InvalidStateError');
    await expect(create()).rejects.toThrow(PasskeyExistsError);
  });

  it('for any other reason failed', async () => {
    refuse('SecurityError');
    await expect(create()).rejects.toThrow('refused');
    await expect(request()).rejects.toThrow('refused');
  });
});
