// Accounts without a password: how they confirm changes, and when they are offered a passkey.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { downloads } from '../../src/data/tables/tables.ts';
import { MINUTE, SECOND } from '../../src/lib/clock.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import { openEmailBrowser, otherCode, readCode, SENDS_MAIL } from '../support/email-sign-in.ts';
import { addOwner, addPasskeyOwner, stepUp, type Tokens } from '../support/factors.ts';
import { api, auditMark, auditRows, type Client, expectInvalid, expectRefusal, signIn } from '../support/harness.ts';
import { mailKinds, newestToken } from '../support/mailbox.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture({ config: { mail: SENDS_MAIL } });
});
afterAll(() => fixture?.stop());

interface Passwordless {
  id: string;
  email: string;
  client: Client;
}

/** A tester who has signed in by email for the first time. */
async function addTester(): Promise<Passwordless> {
  const email = `${fixture.app.ids.next()}@example.com`;
  const { client: admin } = await signIn(fixture);
  await admin.post(`/api/v1/projects/${fixture.android_project_id}/testers`, { email });
  const signedIn = await signInByEmail(email);
  const me = await signedIn.get<{ identifier: string }>('/api/v1/developers/me');
  return { id: me.body.identifier, email, client: signedIn };
}

async function signInByEmail(email: string): Promise<Client> {
  const browser = openEmailBrowser(fixture);
  await browser.request(email);
  const { code } = await readCode(fixture, email);
  const { body } = await browser.confirm<Tokens>({ code });
  return api(fixture, body.access_token);
}

const codePath = (id: string) => `/api/v1/developers/${id}/step_up_code`;
const remove = ({ id, client }: Passwordless, body: object) =>
  client.send('DELETE', `/api/v1/developers/${id}`, { body });

describe('an account without any method', () => {
  it('needs a code for changes; the sign-in by email is not enough', async () => {
    const tester = await addTester();
    const status = await tester.client.get('/api/v1/mfa');
    expect(status.body).toMatchObject({
      step_up: { current_password: false, mfa_code: false, passkey: false, email_code: true, single_sign_on: null },
    });
    expectInvalid(await remove(tester, {}), 'body.email_code: missing');
    const mark = auditMark(fixture);
    const refused = await remove(tester, { email_code: '123456' });
    expect(expectRefusal(refused, 403, 'permission_denied')).toEqual({ field: 'email_code' });
    expect(auditRows(fixture, { after: mark })).toMatchObject([
      { event: 'login_failed', identifier: tester.id, details: { reason: 'step_up_wrong_email_code' } },
    ]);
  });

  it('deletes itself with a code from an email, which works once', async () => {
    const tester = await addTester();
    const asked = await tester.client.post(codePath(tester.id));
    expect(asked).toMatchObject({ status: 202, body: { status: 'code_pending' } });
    const { code } = await readCode(fixture, tester.email);
    expectRefusal(await remove(tester, { email_code: otherCode(code) }), 403, 'permission_denied');
    const begun = await tester.client.post('/api/v1/passkeys/register/begin', { email_code: code });
    expect(begun.status).toBe(200);
    expectRefusal(await remove(tester, { email_code: code }), 403, 'permission_denied');
    fixture.clock.advance(6 * MINUTE);
    await tester.client.post(codePath(tester.id));
    const next = await readCode(fixture, tester.email);
    expect((await remove(tester, { email_code: next.code })).status).toBe(204);
    expect(mailKinds(fixture, tester.email)).toEqual([
      'tester_grant',
      'sign_in_code',
      'confirmation_code',
      'confirmation_code',
      'deletion_requested',
    ]);
  });

  it('gets one email within the cooldown', async () => {
    const tester = await addTester();
    await tester.client.post(codePath(tester.id));
    const { code } = await readCode(fixture, tester.email);
    expect((await tester.client.post(codePath(tester.id))).status).toBe(202);
    expect(mailKinds(fixture, tester.email).filter((kind) => kind === 'confirmation_code')).toHaveLength(1);
    expect((await tester.client.post('/api/v1/mfa/totp/begin', { email_code: code })).status).toBe(200);
  });

  it('gets another email after a clock that was ahead is corrected', async () => {
    const tester = await addTester();
    const sent = () => mailKinds(fixture, tester.email).filter((kind) => kind === 'confirmation_code').length;
    fixture.clock.jump(50 * SECOND);
    expect((await tester.client.post(codePath(tester.id))).status).toBe(202);
    fixture.clock.jump(-50 * SECOND);
    expect((await tester.client.post(codePath(tester.id))).status).toBe(202);
    expect(sent()).toBe(2);
  });

  it('gets a code although others requested as many sign-ins for the address as are allowed', async () => {
    const tester = await addTester();
    for (let time = 0; time < 6; time += 1) await openEmailBrowser(fixture).request(tester.email);
    await fixture.app.jobs.drain();
    expect((await tester.client.post(codePath(tester.id))).status).toBe(202);
    await fixture.app.jobs.drain();
    expect(mailKinds(fixture, tester.email).at(-1)).toBe('confirmation_code');
  });

  it('gets no code for other accounts, and none that works in another session', async () => {
    const tester = await addTester();
    const other = await addTester();
    expectRefusal(await tester.client.post(codePath(other.id)), 404, 'not_found');
    fixture.clock.advance(MINUTE);
    const elsewhere = await signInByEmail(tester.email);
    await tester.client.post(codePath(tester.id));
    const { code } = await readCode(fixture, tester.email);
    const stolen = await elsewhere.send('DELETE', `/api/v1/developers/${tester.id}`, { body: { email_code: code } });
    expectRefusal(stolen, 403, 'permission_denied');
    expect((await remove(tester, { email_code: code })).status).toBe(204);
  });

  it('cannot sign in with the code of a step-up, nor step up with the code of a sign-in', async () => {
    const tester = await addTester();
    const browser = openEmailBrowser(fixture);
    await browser.request(tester.email);
    const signInCode = await readCode(fixture, tester.email);
    expectRefusal(await remove(tester, { email_code: signInCode.code }), 403, 'permission_denied');
    await tester.client.post(codePath(tester.id));
    const stepUpCode = await readCode(fixture, tester.email);
    if (stepUpCode.code !== signInCode.code) {
      expectRefusal(await browser.confirm({ code: stepUpCode.code }), 401, 'unauthorized');
    }
    expect((await browser.confirm({ code: signInCode.code })).status).toBe(200);
  });

  it('sets a password with a reset, and then confirms with that', async () => {
    const tester = await addTester();
    await api(fixture, null).post('/api/v1/login/password_reset', { email: tester.email });
    await fixture.app.jobs.drain();
    const token = newestToken(fixture, tester.email, /Reset/);
    const new_password = 'a completely different phrase';
    const reset = await api(fixture, null).post('/api/v1/login/password_reset/confirm', { token, new_password });
    expect(reset.status).toBe(200);
    const { client } = await signIn(fixture, { email: tester.email, password: new_password });
    expect((await client.get('/api/v1/mfa')).body).toMatchObject({
      step_up: { current_password: true, email_code: false },
    });
    expectRefusal(await client.post(codePath(tester.id)), 400, 'operation_not_allowed');
  });
});

describe('the offer of a passkey', () => {
  const offers = async (client: Client) => (await client.get('/api/v1/mfa')).body.offers_passkey;
  /** A download of a build, as a phone leaves it. */
  const install = (developerId: string) =>
    fixture.app.db
      .insert(downloads)
      .values({
        id: fixture.app.ids.next(),
        organizationId: fixture.organization_id,
        projectId: fixture.android_project_id,
        buildId: fixture.app.ids.next(),
        developerId,
        createdAt: fixture.clock.now().getTime(),
      })
      .run();

  it('comes after the first install, not before, until it is closed', async () => {
    const tester = await addTester();
    const other = await addTester();
    expect(await offers(tester.client)).toBe(false);
    install(tester.id);
    expect(await offers(tester.client)).toBe(true);
    expect(await offers(other.client)).toBe(false);
    expect((await tester.client.post('/api/v1/passkeys/offer/close')).status).toBe(204);
    install(tester.id);
    expect(await offers(tester.client)).toBe(false);
  });

  it('is not for people who have a passkey', async () => {
    fixture.clock.advance(20 * MINUTE);
    const owner = await addPasskeyOwner(fixture, await addOwner(fixture));
    install(owner.account.developer_id);
    expect(await offers(owner.client)).toBe(false);
    expect(await stepUp(fixture, owner.client)).toMatchObject({ passkey_challenge_id: expect.any(String) });
  });
});
