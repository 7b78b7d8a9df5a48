// Arbitrary text as an access token is rejected as unauthorized and never causes a server error.
import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { currentSigningKey } from '../../src/runtime/signing-keys.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import { ABSENT, api, expectRefusal, signIn } from '../support/harness.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture?.stop());

const encode = (value: unknown) => Buffer.from(JSON.stringify(value) ?? '').toString('base64url');
const part = fc.oneof(fc.base64String({ maxLength: 40 }), fc.constantFrom('', '.', '%', 'e30'));
const anything = fc.jsonValue({ maxDepth: 2 });
const known = (...values: unknown[]) => fc.oneof(fc.constantFrom(...values), anything);

async function verify(token: string): Promise<unknown> {
  return await fixture.app.accessTokens.verify(token);
}

describe('an access token', () => {
  it('with any header and any claims is rejected, and changes nothing', async () => {
    const header = fc.record(
      {
        alg: known('EdDSA', 'none', 'HS256', 'ES256', 'Ed25519'),
        kid: known('', currentSigningKey(fixture.app).id, { id: 1 }, ['a'], 7, null, true),
        typ: known('JWT', 'at+jwt'),
        crit: known(['exp'], ['b64'], []),
        b64: known(false, true),
        jwk: known({ kty: 'OKP', crv: 'Ed25519', x: 'AA' }),
        jku: anything,
        x5c: anything,
        zip: known('DEF'),
        enc: known('A256GCM'),
      },
      { requiredKeys: [] },
    );
    const claims = fc.record(
      { sub: anything, email: anything, sid: anything, iss: anything, aud: anything, iat: anything, exp: anything },
      { requiredKeys: [] },
    );
    const signature = fc
      .uint8Array({ minLength: 0, maxLength: 66 })
      .map((bytes) => Buffer.from(bytes).toString('base64url'));
    await fc.assert(
      fc.asyncProperty(fc.oneof(header, anything), fc.oneof(claims, anything), signature, async (head, body, sign) => {
        expect(await verify(`${encode(head)}.${encode(body)}.${sign}`)).toBeUndefined();
      }),
      { numRuns: 2_000 },
    );
  });

  it('of any other form is rejected', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(part, { maxLength: 6 }), async (parts) => {
        expect(await verify(parts.join('.'))).toBeUndefined();
      }),
      { numRuns: 1_000 },
    );
  });

  it.each<unknown>([
    { kid: {} },
    { kid: [] },
    { kid: 1 },
    { kid: null },
    { alg: 'EdDSA', kid: { toString: 'x' } },
    { alg: 'EdDSA', crit: 'exp' },
    { alg: {}, kid: 'x' },
    [],
    null,
    'text',
  ])('with the header %j returns 401', async (header) => {
    const token = `${encode(header)}.${encode({})}.${randomBytes(64).toString('base64url')}`;
    expectRefusal(await api(fixture, token).get('/api/v1/organizations'), 401, 'unauthorized');
  });

  it('with a valid signature must have the right types of header and claims', async () => {
    const { access_token } = await signIn(fixture);
    const [, payload = ''] = access_token.split('.');
    const good = JSON.parse(Buffer.from(payload, 'base64url').toString());
    const { id: kid, privateKey } = currentSigningKey(fixture.app);
    const forge = (header: object, claims: object) =>
      new SignJWT(claims as Record<string, never>)
        .setProtectedHeader({ alg: 'EdDSA', kid, ...header })
        .sign(privateKey);
    expect(await verify(await forge({}, good))).toMatchObject({ sessionId: good.sid });
    const wrong = [1, {}, [], null, true];
    for (const value of wrong) {
      expect(await verify(await forge({ kid: value }, good)), `kid ${value}`).toBeUndefined();
      for (const claim of ['sub', 'email', 'sid', 'iss', 'aud']) {
        expect(await verify(await forge({}, { ...good, [claim]: value })), `${claim} ${value}`).toBeUndefined();
      }
      for (const claim of ['iat', 'exp']) {
        if (value === 1) continue;
        expect(await verify(await forge({}, { ...good, [claim]: value })), `${claim} ${value}`).toBeUndefined();
      }
    }
    for (const claim of ['sub', 'email', 'sid', 'iss', 'aud', 'iat', 'exp']) {
      const { [claim]: _, ...rest } = good;
      expect(await verify(await forge({}, rest)), `no ${claim}`).toBeUndefined();
    }
  });

  it('with the signature of a token that was verified before must have its claims too', async () => {
    const { access_token } = await signIn(fixture);
    expect(await verify(access_token)).toMatchObject({ email: fixture.admin.email });
    const [header = '', payload = '', signature = ''] = access_token.split('.');
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString());
    const forged = `${header}.${encode({ ...claims, sub: ABSENT })}.${signature}`;
    expect(await verify(forged)).toBeUndefined();
    expect(await verify(access_token)).toMatchObject({ email: fixture.admin.email });
  });

  it('that was issued in the future is rejected beyond a minute of leeway', async () => {
    const { access_token } = await signIn(fixture);
    const [, payload = ''] = access_token.split('.');
    const good = JSON.parse(Buffer.from(payload, 'base64url').toString());
    const { id: kid, privateKey } = currentSigningKey(fixture.app);
    const now = Math.floor(fixture.clock.now().getTime() / 1000);
    const issued = (iat: number) =>
      new SignJWT({ ...good, iat, exp: now + 600 }).setProtectedHeader({ alg: 'EdDSA', kid }).sign(privateKey);
    expect(await verify(await issued(now + 50))).toMatchObject({ sessionId: good.sid });
    for (const ahead of [70, 3_600, 1e300]) {
      expect(await verify(await issued(now + ahead)), String(ahead)).toBeUndefined();
    }
  });
});
