// Install capabilities: they allow installing one release for 15 minutes, and can't be altered.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Capability, mintCapability, readCapability } from '../../src/install/capability.ts';
import { createMovableClock, MINUTE } from '../../src/lib/clock.ts';
import { createIds } from '../../src/runtime/ids.ts';
import { createSecrets } from '../../src/runtime/secrets.ts';
import { signFields } from '../../src/runtime/signing.ts';
import { anyText } from '../support/any-text.ts';

function createSigner(key = 1) {
  const clock = createMovableClock(new Date('2026-03-10T12:00:00Z'));
  const signer = { clock, ids: createIds(clock), secrets: createSecrets(Buffer.alloc(32, key)) };
  return {
    ...signer,
    pass: clock.advance,
  };
}

const uuid = fc.uuid();
const release = fc.record({ releaseId: uuid, channelId: uuid });
const build = fc.record({ buildId: uuid });
const shared = fc.record({ developerId: fc.constant(null), shareLinkId: uuid });
const sdk = fc.record({ developerId: fc.constant(null), sdkAppId: uuid });
/** Every form: a release for anyone, for a developer, a share link or an SDK app, and a build for a developer or a share link. */
const grants = fc
  .oneof(
    fc.tuple(release, fc.oneof(fc.record({ developerId: fc.option(uuid) }), shared, sdk)),
    fc.tuple(build, fc.oneof(fc.record({ developerId: uuid }), shared)),
  )
  .map(([target, holder]) => ({ ...target, ...holder }));

describe('a capability', () => {
  it('contains its grant', () => {
    fc.assert(
      fc.property(grants, (grant) => {
        const signer = createSigner();
        const { token, ...minted } = mintCapability(signer, grant);
        expect(minted).toEqual({
          id: expect.stringMatching(/^[0-9a-f-]{36}$/),
          ...grant,
          expiresAt: Date.UTC(2026, 2, 10, 12, 15),
        });
        expect(readCapability(signer, token)).toEqual(minted);
      }),
    );
  });
  it('fits in a path and a QR code', () => {
    fc.assert(
      fc.property(grants, (grant) => {
        expect(mintCapability(createSigner(), grant).token).toMatch(/^[\w-]{72,95}\.[\w-]{8}\.[\w-]{43}$/);
      }),
    );
  });
  it('differs each time', () => {
    const signer = createSigner();
    const grant = { releaseId: signer.ids.next(), channelId: signer.ids.next(), developerId: null };
    const minted = Array.from({ length: 1000 }, () => mintCapability(signer, grant));
    expect(new Set(minted.map(({ id }) => id)).size).toBe(1000);
    expect(new Set(minted.map(({ token }) => token)).size).toBe(1000);
  });
  it.each([
    [0, true],
    [15 * MINUTE - 1, true],
    [15 * MINUTE, false],
    [24 * 60 * MINUTE, false],
  ])('after %i ms: whether it is valid is %s', (elapsed, isValid) => {
    const signer = createSigner();
    const { token } = mintCapability(signer, {
      releaseId: signer.ids.next(),
      channelId: signer.ids.next(),
      developerId: null,
    });
    signer.pass(elapsed);
    expect(readCapability(signer, token) !== undefined).toBe(isValid);
  });
});

describe('an invalid capability', () => {
  const signer = createSigner();
  const ids = () => ({ releaseId: signer.ids.next(), channelId: signer.ids.next() });
  const tokens = [
    mintCapability(signer, { ...ids(), developerId: null }).token,
    mintCapability(signer, { ...ids(), developerId: signer.ids.next() }).token,
    mintCapability(signer, { ...ids(), developerId: null, shareLinkId: signer.ids.next() }).token,
    mintCapability(signer, { ...ids(), developerId: null, sdkAppId: signer.ids.next() }).token,
    mintCapability(signer, { buildId: signer.ids.next(), developerId: null, shareLinkId: signer.ids.next() }).token,
    mintCapability(signer, { buildId: signer.ids.next(), developerId: signer.ids.next() }).token,
  ];
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.=+/%~ é\u0000';

  it('has any character replaced', () => {
    for (const token of tokens) {
      for (let at = 0; at < token.length; at += 1) {
        for (const character of alphabet) {
          if (character === token[at]) continue;
          const altered = token.slice(0, at) + character + token.slice(at + 1);
          if (readCapability(signer, altered) !== undefined) expect.fail(`accepted with ${character} at ${at}`);
        }
      }
    }
  });
  it('has a character less or more anywhere', () => {
    for (const token of tokens) {
      for (let at = 0; at <= token.length; at += 1) {
        if (at < token.length) expect(readCapability(signer, token.slice(0, at) + token.slice(at + 1))).toBeUndefined();
        for (const character of 'A.=') {
          expect(readCapability(signer, token.slice(0, at) + character + token.slice(at))).toBeUndefined();
        }
      }
    }
  });
  it('has the payload of one and the signature of another', () => {
    const [first = '', second = '', third = '', fourth = '', fifth = '', sixth = ''] = tokens;
    const other = mintCapability(signer, { ...ids(), developerId: null }).token;
    const join = (payload: string, signed: string) => payload.split('.')[0] + signed.slice(signed.indexOf('.'));
    for (const [payload, signed] of [
      [first, second],
      [second, first],
      [first, other],
      [other, first],
      [second, third],
      [third, second],
      [third, fourth],
      [fourth, third],
      [fifth, sixth],
      [sixth, fifth],
    ] as const) {
      expect(readCapability(signer, join(payload, signed))).toBeUndefined();
    }
  });
  it('was signed by another key, or for another purpose', () => {
    const [token = ''] = tokens;
    expect(readCapability(createSigner(2), token)).toBeUndefined();
    const target = ids();
    const grant: Capability = mintCapability(signer, { ...target, developerId: null });
    const fields = [grant.id, target.releaseId, target.channelId, '', String(grant.expiresAt)];
    const payload = grant.token.split('.')[0];
    const { keyring } = signer.secrets;
    expect(readCapability(signer, `${payload}.${signFields(keyring, 'install', fields)}`)).toBeDefined();
    expect(readCapability(signer, `${payload}.${signFields(keyring, 'storage', fields)}`)).toBeUndefined();
  });
  it('is any other text', () => {
    const [token = ''] = tokens;
    for (const text of ['', '.', '..', token.repeat(2), `${token} `, ` ${token}`, 'a'.repeat(1_000_000)]) {
      expect(readCapability(signer, text)).toBeUndefined();
    }
    fc.assert(
      fc.property(anyText({ maxLength: 300 }), (text) => {
        expect(readCapability(signer, text)).toBeUndefined();
      }),
    );
  });
});
