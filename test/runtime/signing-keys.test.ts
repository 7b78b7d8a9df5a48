// Access tokens and their signing keys: rotation every 90 days, previous keys valid until their tokens expire.
import { decodeProtectedHeader, SignJWT } from 'jose';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sessions, signingKeys } from '../../src/data/tables/tables.ts';
import { DAY, MINUTE, SECOND } from '../../src/lib/clock.ts';
import { createAccessTokens } from '../../src/runtime/access-token.ts';
import { currentSigningKey } from '../../src/runtime/signing-keys.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import { api, signIn } from '../support/harness.ts';

let fixture: Fixture;
beforeEach(async () => {
  fixture = await startFixture();
});
afterEach(() => fixture.stop());

const keyOf = (token: string) => decodeProtectedHeader(token).kid;
const keys = () => fixture.app.db.select().from(signingKeys).all();
const read = async (token: string) => (await api(fixture, token).get('/api/v1/organizations')).status;

describe('the signing key', () => {
  it('is replaced after 90 days; tokens of the previous one stay valid until they expire', async () => {
    const first = await signIn(fixture);
    fixture.clock.advance(90 * DAY - MINUTE);
    const last = await signIn(fixture);
    expect(keyOf(last.access_token)).toBe(keyOf(first.access_token));
    fixture.clock.advance(MINUTE);
    const next = await signIn(fixture);
    expect(keyOf(next.access_token)).not.toBe(keyOf(first.access_token));
    expect(keys().map(({ id, retiredAt }) => [id, retiredAt === null])).toEqual([
      [keyOf(first.access_token), false],
      [keyOf(next.access_token), true],
    ]);
    expect([await read(last.access_token), await read(next.access_token)]).toEqual([200, 200]);

    fixture.clock.advance(9 * MINUTE + 5 * SECOND);
    expect([await read(last.access_token), await read(next.access_token)]).toEqual([401, 200]);
  });

  it('is deleted by the cleanup job when all its tokens have expired', async () => {
    await signIn(fixture);
    fixture.clock.advance(91 * DAY);
    const { access_token } = await signIn(fixture);
    await fixture.sweep('sessions');
    expect(keys().length).toBe(2);
    fixture.clock.advance(10 * MINUTE);
    await fixture.sweep('sessions');
    expect(keys().map(({ id }) => id)).toEqual([keyOf(access_token)]);
    expect((await signIn(fixture)).access_token).toMatch(/^eyJ/);
  });

  it('signs nothing valid after the tokens of its time have expired', async () => {
    const { app, clock, admin } = fixture;
    const stolen = currentSigningKey(app);
    const { session_id } = await signIn(fixture);
    const forge = () => {
      const now = Math.floor(clock.now().getTime() / 1000);
      return new SignJWT({ email: admin.email, sid: session_id })
        .setProtectedHeader({ alg: 'EdDSA', kid: stolen.id })
        .setSubject(admin.developer_id)
        .setIssuer(app.config.server.base_url)
        .setAudience('taxiway')
        .setIssuedAt(now)
        .setExpirationTime(now + 600)
        .sign(stolen.privateKey);
    };
    const live = (expiresAt: number) => app.db.update(sessions).set({ expiresAt }).run();
    live(clock.now().getTime() + 365 * DAY);
    expect(await read(await forge())).toBe(200);
    clock.advance(90 * DAY);
    await signIn(fixture);
    expect(await read(await forge())).toBe(200);
    clock.advance(10 * MINUTE);
    expect(await read(await forge())).toBe(401);
  });

  it('is shared by all servers of a database, also after one replaces it', async () => {
    const { app } = fixture;
    const claims = { developerId: fixture.admin.developer_id, email: fixture.admin.email, sessionId: app.ids.next() };
    const other = createAccessTokens({ ...app, issuer: app.config.server.base_url });
    fixture.clock.advance(91 * DAY);
    const theirs = await other.issue(claims);
    const ours = await app.accessTokens.issue(claims);
    expect(keyOf(ours)).toBe(keyOf(theirs));
    expect(await other.verify(ours)).toEqual(claims);
    expect(await app.accessTokens.verify(theirs)).toEqual(claims);
  });
});
