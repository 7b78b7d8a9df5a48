// Required single sign-on: who must use it, who need not, and how an operator turns it off.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { organizationMemberships } from '../../src/data/tables/tables.ts';
import { ALL_SCOPES } from '../../src/permissions.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import { openWorkshop, type Workshop } from '../commands/test-host.ts';
import { usePasskey } from '../support/authenticator.ts';
import {
  beginPasskeyLogin,
  finishPasskeyLogin,
  originOf,
  register,
  rememberProofs,
  removePasskey,
} from '../support/factors.ts';
import { type Account, api, auditMark, auditRows, createAccount, expectRefusal, signIn } from '../support/harness.ts';
import { newestToken } from '../support/mailbox.ts';
import { personalTokenClient } from '../support/people.ts';
import { makeProvider, type Provider, signAnswer } from './provider.ts';
import { begin, connect, cookiesOf, deliver, ssoPath } from './scenario.ts';

let fixture: Fixture;
let provider: Provider;
let workshop: Workshop;
let member: Account;
let guest: Account;
let outsider: Account;

beforeAll(async () => {
  fixture = await startFixture();
  workshop = openWorkshop({
    TAXIWAY_SERVER__DATA_DIR: fixture.config.server.data_dir,
    TAXIWAY_SERVER__BASE_URL: fixture.config.server.base_url,
    TAXIWAY_LOG__LEVEL: 'silent',
  });
  provider = await makeProvider();
  await connect(fixture, provider, { domains: [] });
  member = await createAccount(fixture, { email: 'member@example.test' });
  guest = await createAccount(fixture, { email: 'guest@partner.test' });
  outsider = await createAccount(fixture, { email: 'outsider@example.test' });
  for (const { developer_id: developerId } of [member, guest]) {
    fixture.app.db
      .insert(organizationMemberships)
      .values({ organizationId: fixture.organization_id, developerId, role: 'member', createdAt: 0 })
      .run();
  }
});
afterAll(async () => {
  workshop?.[Symbol.dispose]();
  await fixture?.stop();
});

const login = ({ email, password }: Account) => api(fixture, null).post('/api/v1/login', { email, password });
const verifyWords = (...more: string[]) => ['sso-domain', 'verify', '--organization', fixture.organization_id, ...more];

describe('taxiway sso-domain verify', () => {
  it('verifies a domain without DNS, claimed or not', async () => {
    const { code, stdout } = await workshop.run(verifyWords('--domain', 'Example.test'));
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'example.test verified\n' });
    const again = await workshop.run(verifyWords('--domain', 'example.test', '--json'));
    const domain = JSON.parse(again.stdout) as { identifier: string };
    expect(domain).toMatchObject({ domain: 'example.test', verified: true, organization_id: fixture.organization_id });
    expect(auditRows(fixture, { identifier: domain.identifier })).toMatchObject([
      { event: 'created', actorKind: 'system' },
      { event: 'org_sso_domain_verification_changed', actorKind: 'system', details: { by: 'operator' } },
    ]);
    // The command recorded with the system's time, which has gone on; the server's clock must not be behind it.
    fixture.clock.set(new Date());
  });

  it('rejects unknown organizations and invalid domains', async () => {
    const other = await api(fixture).post('/api/v1/organizations', { name: 'Other' });
    const held = await workshop.run(['sso-domain', 'verify', '--organization', other.text, '--domain', 'example.test']);
    expect([held.code, held.stderr]).toEqual([
      1,
      'taxiway: Another organization has already verified this domain and must remove it first (already_exists)\n',
    ]);
    const unknown = await workshop.run([
      'sso-domain',
      'verify',
      '--organization',
      fixture.app.ids.next(),
      '--domain',
      'a.test',
    ]);
    expect([unknown.code, unknown.stderr]).toEqual([1, 'taxiway: There is no organization with this ID (not_found)\n']);
    const wrong = await workshop.run(verifyWords('--domain', 'nothing'));
    expect([wrong.code, wrong.stderr]).toEqual([
      1,
      'taxiway: Input should be a domain such as example.com (validation_error)\n',
    ]);
    expect((await workshop.run(['sso-domain', 'verify'])).code).toBe(2);
  });
});

describe('an organization that requires its identity provider', () => {
  beforeAll(async () => {
    const answer = await api(fixture).put(`${ssoPath(fixture.organization_id)}/require`, { required: true });
    expect(answer.status).toBe(200);
  });

  it('redirects a member with an address in its domain after a correct password', async () => {
    const details = expectRefusal(await login(member), 403, 'permission_denied');
    expect(details).toEqual({
      reason: 'sso_required',
      login_url: `${fixture.config.server.base_url}${ssoPath(fixture.organization_id)}/login`,
    });
    expect(auditRows(fixture, { identifier: member.developer_id }).at(-1)).toMatchObject({
      event: 'login_failed',
      details: { reason: 'sso_required' },
    });
  });

  it('redirects a member with a passkey too, alone or as two-factor authentication', async () => {
    const require = (required: boolean) =>
      api(fixture).put(`${ssoPath(fixture.organization_id)}/require`, { required });
    await require(false);
    const { client } = await signIn(fixture, member);
    rememberProofs(client, { account: member });
    const { credential, answer: registered } = await register(fixture, client);
    expect(registered.status).toBe(201);
    await require(true);
    const { challenge_id, options } = await beginPasskeyLogin(fixture);
    const assertion = usePasskey(originOf(fixture), credential, options);
    const mark = auditMark(fixture);
    const answer = await finishPasskeyLogin(fixture, challenge_id, assertion);
    expect(expectRefusal(answer, 403, 'permission_denied')).toMatchObject({ reason: 'sso_required' });
    expect(auditRows(fixture, { after: mark })).toMatchObject([
      { event: 'login_failed', identifier: member.developer_id, details: { reason: 'sso_required' } },
    ]);
    expectRefusal(await login(member), 403, 'permission_denied');
    expect((await removePasskey(fixture, client, registered.body.identifier)).status).toBe(204);
  });

  it('reveals nothing after an incorrect password', async () => {
    const wrong = await login({ ...member, password: 'not the right one' });
    const nobody = await login({ ...member, email: 'nobody@example.test' });
    expectRefusal(wrong, 401, 'unauthorized');
    expect(wrong.body).toEqual(nobody.body);
  });

  it('does not affect guests, and accounts that are not members', async () => {
    expect((await login(guest)).status).toBe(200);
    expect((await login(outsider)).status).toBe(200);
  });

  it('does not affect tokens', async () => {
    const client = personalTokenClient(fixture, {
      organizationId: fixture.organization_id,
      developerId: member.developer_id,
      scopes: ALL_SCOPES,
    });
    expect((await client.get(`/api/v1/organizations/${fixture.organization_id}`)).status).toBe(200);
    const query = `organization_id=${fixture.organization_id}&project_id=${fixture.android_project_id}`;
    expect((await api(fixture, fixture.project_access_token).get(`/api/v1/builds?${query}`)).status).toBe(200);
  });

  it('prevents members from changing their address', async () => {
    const started = await begin(fixture);
    const answer = { nameId: 'member-1', email: member.email };
    const response = await deliver(fixture, signAnswer(provider, started.target, answer), { cookie: started.cookie });
    const refused = await api(fixture, null).send('POST', `/api/v1/developers/${member.developer_id}/change_email`, {
      headers: { cookie: cookiesOf(response.headers), origin: fixture.config.server.base_url },
      body: { new_email: 'member@elsewhere.test', current_password: member.password },
    });
    expect(expectRefusal(refused, 403, 'permission_denied')).toMatchObject({ reason: 'sso_required' });
  });

  it('lets members sign in through the identity provider', async () => {
    const started = await begin(fixture);
    const answer = { nameId: 'member-1', email: member.email };
    const response = await deliver(fixture, signAnswer(provider, started.target, answer), { cookie: started.cookie });
    const me = await fetch(`${fixture.url}/api/v1/developers/me`, { headers: { cookie: cookiesOf(response.headers) } });
    expect(await me.json()).toMatchObject({ identifier: member.developer_id });
  });

  it('applies to people who join: only a session of the identity provider accepts an invitation', async () => {
    const joiner = await createAccount(fixture, { email: 'joiner@example.test' });
    const { organization_id: organizationId } = fixture;
    const path = `/api/v1/organizations/${organizationId}`;
    const loginUrl = `${fixture.config.server.base_url}${ssoPath(organizationId)}/login`;
    const created = await api(fixture).post<{ identifier: string; accept_url: string }>(`${path}/invites`, {
      email: joiner.email,
      role: 'manager',
    });
    const token = created.body.accept_url.split('/').at(-1) ?? '';
    const { client } = await signIn(fixture, joiner);
    const elsewhere = (await signIn(fixture, joiner)).client;
    const mark = auditMark(fixture);
    for (const answer of [
      await client.post('/api/v1/invites/organization/accept', { invite_token: token }),
      await client.post(`/api/v1/developers/me/invitations/${created.body.identifier}/accept`),
    ]) {
      expect(expectRefusal(answer, 403, 'permission_denied')).toEqual({ reason: 'sso_required', login_url: loginUrl });
    }
    expect(auditRows(fixture, { after: mark })).toEqual([]);
    expect((await client.get(path)).status).toBe(404);

    const started = await begin(fixture);
    const answer = { nameId: 'joiner-1', email: joiner.email };
    const response = await deliver(fixture, signAnswer(provider, started.target, answer), { cookie: started.cookie });
    // The sign-in makes the person a member, so sessions that began in other ways end.
    for (const old of [client, elsewhere]) expectRefusal(await old.get('/api/v1/developers/me'), 401, 'unauthorized');
    expect(auditRows(fixture, { after: mark }).map(({ event, details }) => [event, details])).toEqual([
      ['created', { developer_id: joiner.developer_id, role: 'member', by: 'sso' }],
      ['all_sessions_revoked', { count: 2, reason: 'sso_required' }],
      ['sso_login_succeeded', { session_id: expect.any(String) }],
    ]);
    const accepted = await api(fixture, null).send('POST', '/api/v1/invites/organization/accept', {
      headers: { cookie: cookiesOf(response.headers), origin: fixture.config.server.base_url },
      body: { invite_token: token },
    });
    expect([accepted.status, accepted.body]).toEqual([200, expect.objectContaining({ role: 'manager' })]);
    const me = await fetch(`${fixture.url}${path}`, { headers: { cookie: cookiesOf(response.headers) } });
    expect(await me.json()).toMatchObject({ role: 'manager' });
    expectRefusal(await login(joiner), 403, 'permission_denied');
  });

  it('prevents a change of address that was requested before', async () => {
    const joiner = await createAccount(fixture, { email: 'early@example.test' });
    const { client } = await signIn(fixture, joiner);
    const asked = { new_email: 'early@elsewhere.test', current_password: joiner.password };
    expect((await client.post(`/api/v1/developers/${joiner.developer_id}/change_email`, asked)).status).toBe(202);
    const row = { organizationId: fixture.organization_id, developerId: joiner.developer_id, createdAt: 0 };
    fixture.app.db
      .insert(organizationMemberships)
      .values({ ...row, role: 'member' })
      .run();
    const token = newestToken(fixture, 'early@elsewhere.test');
    const answer = await api(fixture, null).post('/api/v1/developers/change_email/confirm', { token });
    expectRefusal(answer, 400, 'invalid_input');
    expect((await login(joiner)).status).toBe(403);
  });

  it('does not apply to invited guests', async () => {
    const visitor = await createAccount(fixture, { email: 'visitor@partner.test' });
    const created = await api(fixture).post<{ accept_url: string }>(
      `/api/v1/organizations/${fixture.organization_id}/invites`,
      { email: visitor.email, role: 'member' },
    );
    const { client } = await signIn(fixture, visitor);
    const invite_token = created.body.accept_url.split('/').at(-1);
    expect((await client.post('/api/v1/invites/organization/accept', { invite_token })).status).toBe(200);
  });

  it('stops when the domain is removed', async () => {
    const path = `${ssoPath(fixture.organization_id)}/domains`;
    const domains = await api(fixture).get<{ items: { identifier: string }[] }>(path);
    for (const { identifier } of domains.body.items) await api(fixture).delete(`${path}/${identifier}`);
    expect((await login(member)).status).toBe(200);
    await workshop.run(verifyWords('--domain', 'example.test'));
    expect((await login(member)).status).toBe(403);
  });
});

describe('taxiway organization disable-sso', () => {
  it('lets everyone sign in with a password again', async () => {
    expect((await login(member)).status).toBe(403);
    const { code, stdout } = await workshop.run(['organization', 'disable-sso', fixture.organization_id]);
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: `single sign-on of ${fixture.organization_id} is disabled\n`,
    });
    expect((await login(member)).status).toBe(200);
    const row = auditRows(fixture, { identifier: fixture.organization_id }).at(-1);
    expect(row).toMatchObject({
      event: 'org_sso_config_changed',
      actorKind: 'system',
      details: { action: 'disabled' },
    });
    const configuration = await (await signIn(fixture)).client.get(ssoPath(fixture.organization_id));
    expect(configuration.body).toMatchObject({ enabled: false, required: false, entity_id: provider.entityId });
  });

  it('reports that there is nothing to disable', async () => {
    const { code, stderr } = await workshop.run(['organization', 'disable-sso', fixture.app.ids.next()]);
    expect([code, stderr]).toEqual([
      1,
      'taxiway: There is no organization with this ID, or it has no single sign-on (not_found)\n',
    ]);
  });
});
