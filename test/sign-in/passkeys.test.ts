// Signing in without a password, with a passkey of a software authenticator that can send invalid data.
import { generateKeyPairSync } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { challenges, developers } from '../../src/data/tables/tables.ts';
import { MINUTE } from '../../src/lib/clock.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import { type Deviation, usePasskey } from '../support/authenticator.ts';
import { addPasskeyOwner, addTotp, beginPasskeyLogin, finishPasskeyLogin, originOf } from '../support/factors.ts';
import {
  api,
  auditMark,
  auditRows,
  type Client,
  comparable,
  expectInvalid,
  expectRefusal,
  type Json,
  type Page,
} from '../support/harness.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture.stop());

type PasskeyPage = Page<{ identifier: string; name: string; last_used_at: string | null }>;
const list = (client: Client, query = {}) => client.get<PasskeyPage>('/api/v1/passkeys', query);
const otherKey = () => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;

describe('signing in with a passkey alone', () => {
  async function attempt(credential: Parameters<typeof usePasskey>[1], deviation: Deviation = {}) {
    const { challenge_id, options } = await beginPasskeyLogin(fixture);
    const assertion = usePasskey(originOf(fixture), credential, options, deviation);
    return finishPasskeyLogin(fixture, challenge_id, assertion);
  }

  it('reveals no account beforehand', async () => {
    const { options } = await beginPasskeyLogin(fixture);
    expect(options).toEqual({
      rpId: 'localhost',
      challenge: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/),
      timeout: 300_000,
      userVerification: 'required',
    });
  });

  it('returns tokens, requires no other method, and is recorded', async () => {
    const owner = await addPasskeyOwner(fixture);
    await addTotp(fixture, owner);
    const { account, client, credential, passkeyId } = owner;
    const mark = auditMark(fixture);
    const answer = await attempt(credential);
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ token_type: 'Bearer', expires_in: 600 });
    expect(auditRows(fixture, { after: mark })).toMatchObject([
      {
        event: 'passkey_login_succeeded',
        type: 'developer',
        identifier: account.developer_id,
        actorKind: 'developer',
        actorId: account.developer_id,
        details: { session_id: answer.body.session_id, passkey_id: passkeyId },
      },
    ]);
    const me = await api(fixture, answer.body.access_token).get<Json>('/api/v1/developers/me');
    expect(me.body.identifier).toBe(account.developer_id);
    expect((await list(client)).body.items[0]?.last_used_at).toMatch(/Z$/);
    expect((await attempt(credential)).status).toBe(200);
  });

  it('sets its tokens as cookies if the first request asked for them', async () => {
    const { credential } = await addPasskeyOwner(fixture);
    const { challenge_id, options } = await beginPasskeyLogin(fixture, { cookies: true });
    const answer = await finishPasskeyLogin(fixture, challenge_id, usePasskey(originOf(fixture), credential, options));
    expect(answer.body).toMatchObject({ access_token: null, refresh_token: null });
    expect(answer.headers.getSetCookie()).toHaveLength(2);
    const foreign = await api(fixture, null).send('POST', '/api/v1/login/passkey/begin', {
      body: { cookies: true },
      headers: { origin: 'https://evil.example' },
    });
    expectRefusal(foreign, 403, 'permission_denied');
  });

  const falsities: [string, () => Deviation][] = [
    ['of another origin', () => ({ origin: 'https://evil.example' })],
    ['for another host', () => ({ rpId: 'evil.example' })],
    ['with another challenge', () => ({ challenge: 'A'.repeat(43) })],
    ['of another ceremony', () => ({ type: 'webauthn.create' })],
    ['that verified nobody', () => ({ isUnverified: true })],
    ['with nobody present', () => ({ isAbsent: true })],
    ['made in a frame of another page', () => ({ crossOrigin: true })],
    ['made in a frame of a named page', () => ({ crossOrigin: true, topOrigin: 'https://evil.example' })],
    ['signed by another key', () => ({ key: otherKey() })],
    ['without its user', () => ({ userHandle: null })],
    ['of another user', () => ({ userHandle: 'A'.repeat(43) })],
    ['of an unknown credential', () => ({ id: 'A'.repeat(43) })],
    ['whose counter went back', () => ({ counter: 1 })],
    ['whose counter stood still', () => ({ counter: 2 })],
    ['whose counter was reset', () => ({ counter: 0 })],
  ];
  it.each(falsities)('rejects one %s with the same error, and a valid one still works', async (_what, deviate) => {
    const owner = await addPasskeyOwner(fixture);
    await attempt(owner.credential);
    expect((await attempt(owner.credential)).status).toBe(200);
    const unknown = await attempt({ ...owner.credential, id: 'B'.repeat(43), key: otherKey() });
    const refused = await attempt(owner.credential, deviate());
    expectRefusal(refused, 401, 'unauthorized');
    expect(comparable(refused)).toEqual(comparable(unknown));
    expect((await attempt(owner.credential)).status).toBe(200);
  });

  it('accepts each challenge once, within five minutes', async () => {
    const { credential } = await addPasskeyOwner(fixture);
    const used = await beginPasskeyLogin(fixture);
    const assertion = usePasskey(originOf(fixture), credential, used.options);
    expect((await finishPasskeyLogin(fixture, used.challenge_id, assertion)).status).toBe(200);
    expectRefusal(await finishPasskeyLogin(fixture, used.challenge_id, assertion), 401, 'unauthorized');
    // A replay under a challenge of its own.
    const other = await beginPasskeyLogin(fixture);
    expectRefusal(await finishPasskeyLogin(fixture, other.challenge_id, assertion), 401, 'unauthorized');
    const late = await beginPasskeyLogin(fixture);
    fixture.clock.advance(5 * MINUTE);
    const tooLate = usePasskey(originOf(fixture), credential, late.options);
    expectRefusal(await finishPasskeyLogin(fixture, late.challenge_id, tooLate), 401, 'unauthorized');
    expectRefusal(await finishPasskeyLogin(fixture, fixture.app.ids.next(), tooLate), 401, 'unauthorized');
  });

  it('succeeds once for fifty simultaneous responses to one challenge', async () => {
    const { credential } = await addPasskeyOwner(fixture);
    const { challenge_id, options } = await beginPasskeyLogin(fixture);
    const assertion = usePasskey(originOf(fixture), credential, options);
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => finishPasskeyLogin(fixture, challenge_id, assertion)),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(49);
  });

  it('emails the owner about a copied authenticator', async () => {
    const { account, credential } = await addPasskeyOwner(fixture);
    const copy = { ...credential };
    expect((await attempt(credential)).status).toBe(200);
    const mark = auditMark(fixture);
    expectRefusal(await attempt(copy), 401, 'unauthorized');
    expect(auditRows(fixture, { after: mark })).toMatchObject([
      {
        event: 'login_failed',
        identifier: account.developer_id,
        developerId: account.developer_id,
        actorKind: 'anonymous',
        details: { reason: 'passkey_counter_did_not_grow' },
      },
    ]);
  });

  it('accepts authenticators without a counter', async () => {
    const { credential } = await addPasskeyOwner(fixture);
    for (let i = 0; i < 3; i += 1) expect((await attempt(credential, { counter: 0 })).status).toBe(200);
  });

  it('is rejected for a locked account, with the same response', async () => {
    const { account, credential } = await addPasskeyOwner(fixture);
    const { developer_id: id } = account;
    const setLock = (lockedAt: number | null) =>
      fixture.app.db.update(developers).set({ lockedAt }).where(eq(developers.id, id)).run();
    const unknown = await attempt({ ...credential, id: 'C'.repeat(43) });
    setLock(fixture.clock.now().getTime());
    expect(comparable(await attempt(credential))).toEqual(comparable(unknown));
    setLock(null);
    expect((await attempt(credential)).status).toBe(200);
  });

  it('rejects an invalid credential with the name of the field', async () => {
    const { challenge_id } = await beginPasskeyLogin(fixture);
    expectInvalid(
      await finishPasskeyLogin(fixture, challenge_id, {}),
      'body.credential.id: missing',
      'body.credential.rawId: missing',
      'body.credential.type: missing',
      'body.credential.response: missing',
    );
  });

  it('leaves nothing behind: the cleanup job deletes expired challenges', async () => {
    fixture.clock.advance(5 * MINUTE);
    const open = await beginPasskeyLogin(fixture);
    await fixture.sweep('sessions');
    const left = fixture.app.db.select({ id: challenges.id }).from(challenges).all();
    expect(left).toEqual([{ id: open.challenge_id }]);
  });
});
