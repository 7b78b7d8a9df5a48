// Sign-up with the copied link of an invitation, which proves no address.
import { describe, expect, it } from 'vitest';
import { accessRequests } from '../../src/data/tables/tables.ts';
import { MINUTE } from '../../src/lib/clock.ts';
import { startFixture } from '../../src/testing/fixture.ts';
import { makeProvider } from '../sso/provider.ts';
import { connect } from '../sso/scenario.ts';
import { api, auditMark, auditRows, comparable, expectRefusal, type Json } from '../support/harness.ts';
import { addPerson, addTeam, join, type Person, signInPerson } from '../support/people.ts';
import { accountOf, type Invitation, invite, mailedToken, scene, tokenOf } from './scenario.ts';
import {
  logIn,
  PASSWORD,
  preview,
  sending,
  signedUp,
  signUp,
  silent,
  startAccount,
  useServers,
} from './sign-up-scenario.ts';

useServers();

describe('the copied link', () => {
  it('creates no account on a server that sends email, and reveals no address', async () => {
    const { email, invitation } = await scene(sending);
    const shown = await preview(sending, invitation.copied);
    expect(shown.body.sign_up).toBeNull();
    expect(shown.text).not.toContain(email);
    expect(expectRefusal(await signUp(sending, invitation.copied), 400, 'operation_not_allowed')).toEqual({
      reason: 'mailed_link_required',
    });
    expect(accountOf(sending, email)).toBeUndefined();
    // The same for an address that has an account.
    const team = await addTeam(sending);
    const known = await invite(sending, team.admin, team.organizationPath, {
      email: team.outsider.email,
      role: 'member',
    });
    expect(comparable(await signUp(sending, known.copied))).toEqual(
      comparable(await signUp(sending, invitation.copied)),
    );
    await signedUp(sending, invitation.mailed);
  });

  it('never becomes the emailed one, nor does any response contain that', async () => {
    const { admin, organizationPath, email, invitation } = await scene(sending);
    sending.clock.advance(6 * MINUTE);
    const boss = api(sending, await signInPerson(sending, admin));
    const again = await boss.post<Invitation>(`${organizationPath}/invites/${invitation.identifier}/resend`);
    const mailed = mailedToken(sending, email);
    const list = await boss.get(`${organizationPath}/invites`, { include: 'ended' });
    for (const token of [mailed, invitation.mailed]) {
      expect(again.text).not.toContain(token);
      expect(list.text).not.toContain(token);
    }
    for (const dead of [invitation.mailed, invitation.copied]) {
      expectRefusal(await signUp(sending, dead), 404, 'not_found');
      expectRefusal(await preview(sending, dead), 404, 'not_found');
    }
    expectRefusal(await signUp(sending, tokenOf(again.body.accept_url)), 400, 'operation_not_allowed');
    await signedUp(sending, mailed);
  });

  it('is accepted by the person with the invited, verified address on every server', async () => {
    for (const fixture of [sending, silent]) {
      const team = await addTeam(fixture);
      const { email, client } = team.outsider;
      const { copied } = await invite(fixture, team.admin, team.organizationPath, { email, role: 'member' });
      const stranger = await addPerson(fixture);
      const accept = (who: Person['client']) =>
        who.post('/api/v1/invites/organization/accept', { invite_token: copied });
      expectRefusal(await accept(stranger.client), 404, 'not_found');
      expect((await accept(client)).status).toBe(200);
    }
  });

  it('creates an account on a server without email that can work in the project but is not verified', async () => {
    const { email, invitation, projectPath, organizationPath } = await scene(silent);
    expect((await preview(silent, invitation.copied)).body.sign_up).toEqual({
      email,
      account: null,
      is_open: true,
      also: [],
      sso_login_url: null,
    });
    const after = auditMark(silent);
    const client = await signedUp(silent, invitation.copied);
    expect((await client.get('/api/v1/developers/me')).body).toMatchObject({
      email,
      email_verified: false,
      vouched: true,
    });
    expect((await client.get(projectPath)).body).toMatchObject({ role: 'maintainer' });
    expect((await client.get(organizationPath)).status).toBe(200);
    expect(
      (await client.patch(`/api/v1/developers/${accountOf(silent, email)?.id}`, { display_name: 'Nia N.' })).status,
    ).toBe(200);
    expect(auditRows(silent, { after })[0]).toMatchObject({
      event: 'created',
      type: 'developer',
      details: { email, email_verified: false, vouched: true },
    });
    // Signing in again keeps it.
    const again = await logIn(silent, email);
    expect((await api(silent, again.body.access_token).get(projectPath)).status).toBe(200);
  });

  it('grants nothing that other inviters granted to the address', async () => {
    const { email, invitation } = await scene(silent);
    const other = await addTeam(silent);
    const elsewhere = await invite(silent, other.admin, other.organizationPath, { email, role: 'admin' });
    const granted = await other.admin.client.post(`${other.projectPath}/testers`, { email });
    expect(granted.body).toMatchObject({ status: 'pending' });
    const client = await signedUp(silent, invitation.copied);
    const later = await other.admin.client.post(`${other.organizationPath}/testers`, { email });
    expect(later.body).toMatchObject({ status: 'pending' });
    expect((await client.get(other.projectPath)).status).toBe(404);
    expect((await client.get('/api/v1/developers/me/invitations')).body).toEqual({ items: [], next_cursor: null });
    const own = `/api/v1/developers/me/invitations/${elsewhere.identifier}`;
    expectRefusal(await client.post(`${own}/accept`), 404, 'not_found');
    expectRefusal(await client.post(`${own}/decline`), 404, 'not_found');
    // With the link that the other inviter passes on, it works.
    const answer = await client.post('/api/v1/invites/organization/accept', { invite_token: elsewhere.copied });
    expect(answer.status).toBe(200);
  });

  it('replaces no account, verified or vouched for', async () => {
    const team = await addTeam(silent);
    const known = await invite(silent, team.admin, team.organizationPath, {
      email: team.outsider.email,
      role: 'member',
    });
    expect((await preview(silent, known.copied)).body.sign_up).toMatchObject({ account: null, also: [] });
    expectRefusal(await signUp(silent, known.copied), 409, 'already_exists');
    const { email, invitation } = await scene(silent);
    await signedUp(silent, invitation.copied);
    const second = await invite(silent, team.admin, team.organizationPath, { email, role: 'admin' });
    expectRefusal(await signUp(silent, second.copied, { password: 'the password of a thief' }), 409, 'already_exists');
    expect((await logIn(silent, email)).status).toBe(200);
  });

  it('replaces no account that was vouched for while its owner can cancel the deletion, nor does a sign-up', async () => {
    const { email, invitation, projectPath } = await scene(silent);
    const client = await signedUp(silent, invitation.copied);
    const path = `/api/v1/developers/${accountOf(silent, email)?.id}`;
    const deletion = await client.send('DELETE', path, { body: { current_password: PASSWORD } });
    expect(deletion.status).toBe(204);
    const mail = silent.mail.messages.findLast(({ to }) => to === email);
    const token = /token=([\w-]+)/.exec(mail?.text ?? '')?.[1];

    const after = auditMark(silent);
    expect((await startAccount(silent, email)).status).toBe(202);
    expect(auditRows(silent, { after }).map(({ event, type }) => `${event} ${type}`)).toEqual([
      'redundant_action developer',
    ]);
    const team = await addTeam(silent);
    const second = await invite(silent, team.admin, team.organizationPath, { email, role: 'admin' });
    expectRefusal(await signUp(silent, second.copied, { password: 'the password of a thief' }), 409, 'already_exists');

    const anyone = api(silent, null);
    expect((await anyone.post('/api/v1/developers/cancel_deletion', { token })).body).toEqual({ status: 'active' });
    const again = await logIn(silent, email);
    expect((await api(silent, again.body.access_token).get(projectPath)).body).toMatchObject({ role: 'maintainer' });
    expectRefusal(await logIn(silent, email, 'an early bird password'), 401, 'unauthorized');
  });

  it('replaces an unverified account that nobody could use, and its access becomes pending again', async () => {
    const { email, invitation, projectPath } = await scene(silent);
    expect((await startAccount(silent, email)).status).toBe(202);
    const early = await logIn(silent, email, 'an early bird password');
    // Of another organization, whose admin knows that nobody can use the access before the address is verified.
    const other = await addTeam(silent);
    const granted = await other.admin.client.post<Json>(`${other.organizationPath}/testers`, { email });
    expect(granted.body).toMatchObject({ status: 'active' });
    const client = await signedUp(silent, invitation.copied);
    expect((await client.get(projectPath)).status).toBe(200);
    const testers = await other.admin.client.get(`${other.organizationPath}/testers`);
    expect(testers.body).toMatchObject({ items: [{ email, status: 'pending' }] });
    expect((await client.get('/api/v1/testers/me/organizations')).body).toMatchObject({ items: [] });
    expectRefusal(await api(silent, early.body.access_token).get('/api/v1/developers/me'), 401, 'unauthorized');
    expect(accountOf(silent, email)).toMatchObject({ isContested: true, emailVerifiedAt: null });
  });

  it('replaces no account that is a member somewhere', async () => {
    const { email, invitation } = await scene(silent);
    expect((await startAccount(silent, email)).status).toBe(202);
    const { organizationId } = await addTeam(silent);
    join(silent, accountOf(silent, email)?.id ?? '', { organizations: { [organizationId]: 'admin' } });
    expectRefusal(await signUp(silent, invitation.copied), 409, 'already_exists');
  });

  it('lets nobody ask for access with an address that was only vouched for', async () => {
    const { invitation } = await scene(silent);
    const { body } = await signUp(silent, invitation.copied);
    const cookie = `svc_access=${body.access_token}`;
    const { origin } = new URL(silent.config.server.base_url);
    const page = `/install/channels/${silent.app.ids.next()}`;
    const shown = await api(silent, null).send('GET', page, { headers: { cookie } });
    expect(shown.text).toContain('erify');
    expect(shown.text).not.toContain('access-request');
    const asked = await api(silent, null).send('POST', `${page}/access-request`, { headers: { cookie, origin } });
    expect(asked.status).not.toBe(303);
    expect(silent.app.db.select().from(accessRequests).all()).toEqual([]);
  });

  it('creates no account in a domain that another organization verified', async () => {
    await using own = await startFixture();
    await connect(own, await makeProvider(), { domains: ['example.test'] });
    const team = await addTeam(own);
    const asked = { email: 'boss@example.test', role: 'member' };
    const { copied } = await invite(own, team.admin, team.organizationPath, asked);
    expect(expectRefusal(await signUp(own, copied), 400, 'operation_not_allowed')).toEqual({
      reason: 'domain_of_others',
    });
    const inside = await invite(own, { client: api(own) }, `/api/v1/organizations/${own.organization_id}`, asked);
    await signedUp(own, inside.copied);
  });

  it('leaves the account to the owner of the address when it is verified', async () => {
    const { email, invitation, projectPath, organizationPath } = await scene(silent);
    const first = await signedUp(silent, invitation.copied);
    const organization = { organization_id: organizationPath.split('/').at(-1) ?? '' };
    const made = await first.post<{ identifier: string; token: string }>(
      '/api/v1/pats',
      { name: 'left behind', scopes: '1' },
      organization,
    );
    expect(made.status, made.text).toBe(201);
    const withToken = api(silent, made.body.token);
    expect((await withToken.get(organizationPath)).status).toBe(200);
    const team = await addTeam(silent);
    const { mailed } = await invite(silent, team.admin, team.organizationPath, { email, role: 'member' });
    expect((await preview(silent, mailed)).body.sign_up).toMatchObject({ account: 'new' });
    const answer = await signUp(silent, mailed, { password: 'the password of the owner' });
    const client = api(silent, answer.body.access_token);
    expect((await client.get('/api/v1/developers/me')).body).toMatchObject({ email_verified: true, vouched: false });
    expect((await client.get(projectPath)).status).toBe(200);
    expectRefusal(await logIn(silent, email), 401, 'unauthorized');
    expectRefusal(await withToken.get(organizationPath), 401, 'unauthorized');
    expect(auditRows(silent, { identifier: made.body.identifier }).map(({ event }) => event)).toEqual([
      'created',
      'revoked',
    ]);
  });
});
