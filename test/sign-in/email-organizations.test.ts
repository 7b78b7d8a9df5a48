// Signing in by email where an organization requires single sign-on or does not allow it.
import { eq } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { developers } from '../../src/data/tables/tables.ts';
import { startFixture } from '../../src/testing/fixture.ts';
import { makeProvider } from '../sso/provider.ts';
import { connect } from '../sso/scenario.ts';
import { openEmailBrowser, readCode, SENDS_MAIL } from '../support/email-sign-in.ts';
import type { Tokens } from '../support/factors.ts';
import { api, auditMark, auditRows, createAccount, expectRefusal, signIn } from '../support/harness.ts';
import { mailKinds, mailsTo } from '../support/mailbox.ts';
import {
  account,
  administrator,
  browser,
  fixture,
  inviteTester,
  reasonOf,
  requested,
  useEmailServer,
} from './email-scenario.ts';

useEmailServer();

describe('required single sign-on', () => {
  it('is where the email sends its members, and no code works', async () => {
    await using own = await startFixture({ config: { mail: SENDS_MAIL } });
    const admin = api(own);
    const member = await createAccount(own, { email: 'member@example.test' });
    own.app.db.run(
      `INSERT INTO organization_memberships (organization_id, developer_id, role, created_at) VALUES ('${own.organization_id}', '${member.developer_id}', 'member', 0)`,
    );
    await connect(own, await makeProvider(), { domains: ['example.test'] });
    const early = openEmailBrowser(own);
    await early.request(member.email);
    const { code } = await readCode(own, member.email);
    const required = await admin.put(`/api/v1/organizations/${own.organization_id}/sso/require`, { required: true });
    expect(required.status).toBe(200);

    const refused = await early.confirm({ code });
    expect(expectRefusal(refused, 403, 'permission_denied').reason).toBe('sso_required');
    expect(auditRows(own, { identifier: member.developer_id }).at(-1)).toMatchObject({
      event: 'login_failed',
      details: { reason: 'sso_required' },
    });

    const late = openEmailBrowser(own);
    expect((await late.request(member.email)).status).toBe(202);
    await own.app.jobs.drain();
    expect(mailKinds(own, member.email)).toEqual(['sign_in_code', 'sign_in_elsewhere']);
    expect(mailsTo(own, member.email).at(-1)?.text).toContain(`/organizations/${own.organization_id}/sso/login`);
    expect(reasonOf(await late.confirm({ code: '000000' }))).toBe('wrong_code');
  });

  it('is also where it sends invited people without an account, and no code creates one', async () => {
    await using own = await startFixture({ config: { mail: SENDS_MAIL } });
    const admin = api(own);
    const organization = `/api/v1/organizations/${own.organization_id}`;
    await connect(own, await makeProvider(), { domains: ['example.test'] });
    const email = 'newcomer@example.test';
    expect((await admin.post(`${organization}/invites`, { email, role: 'member' })).status).toBe(201);
    const early = openEmailBrowser(own);
    await early.request(email);
    const { code } = await readCode(own, email);
    expect((await admin.put(`${organization}/sso/require`, { required: true })).status).toBe(200);
    expect(reasonOf(await early.confirm({ code }))).toBe('unusable_code');

    await openEmailBrowser(own).request(email);
    await own.app.jobs.drain();
    expect(mailKinds(own, email)).toEqual(['organization_invitation', 'sign_in_code', 'sign_in_elsewhere']);
    expect(mailsTo(own, email).at(-1)?.text).toContain(`/organizations/${own.organization_id}/sso/login`);
    expect(own.app.db.select().from(developers).where(eq(developers.email, email)).all()).toEqual([]);
  });
});

describe('an organization that does not allow it', () => {
  const path = () => `/api/v1/organizations/${fixture.organization_id}`;
  const allow = async (isAllowed: boolean) =>
    (await administrator()).patch(path(), { email_sign_in_allowed: isAllowed });

  it('changes its policy with an audit row', async () => {
    expect((await (await administrator()).get(path())).body).toMatchObject({ email_sign_in_allowed: true });
    const mark = auditMark(fixture);
    expect((await allow(false)).body).toMatchObject({ email_sign_in_allowed: false });
    expect((await allow(false)).status).toBe(200);
    expect(auditRows(fixture, { after: mark, identifier: fixture.organization_id })).toMatchObject([
      {
        event: 'edited',
        type: 'organization',
        details: { changed: { email_sign_in_allowed: { from: true, to: false } } },
      },
    ]);
    await allow(true);
  });

  it('rejects sessions that began with an email, of testers and members', async () => {
    const member = await createAccount(fixture);
    fixture.app.db.run(
      `INSERT INTO organization_memberships (organization_id, developer_id, role, created_at) VALUES ('${fixture.organization_id}', '${member.developer_id}', 'admin', 0)`,
    );
    await inviteTester(account.email);
    const channels = {
      organization_id: fixture.organization_id,
      project_id: fixture.android_project_id,
    };
    const tester = await browser.confirm<Tokens>({ code: (await requested()).code });
    const admin = openEmailBrowser(fixture);
    const adminTokens = await admin.confirm<Tokens>({ code: (await requested(member.email, admin)).code });
    const asTester = api(fixture, tester.body.access_token);
    const asAdmin = api(fixture, adminTokens.body.access_token);
    expect((await asTester.get('/api/v1/testers/me/channels', channels)).status).toBe(200);
    expect((await asAdmin.get(path())).status).toBe(200);
    expectRefusal(await asAdmin.patch(path(), { email_sign_in_allowed: false }), 400, 'operation_not_allowed');

    await allow(false);
    for (const answer of [
      await asTester.get('/api/v1/testers/me/channels', channels),
      await asTester.get('/api/v1/testers/me/projects', channels),
      await asAdmin.get(path()),
      await asAdmin.get('/api/v1/projects', { organization_id: fixture.organization_id }),
      await asAdmin.get('/api/v1/builds', channels),
      await asTester.post('/api/v1/testers/me/devices/enrollments', {}, { organization_id: fixture.organization_id }),
    ]) {
      expect(expectRefusal(answer, 403, 'permission_denied').reason).toBe('email_sign_in_not_allowed');
    }
    const otherwise = await signIn(fixture, account);
    expect((await otherwise.client.get('/api/v1/testers/me/channels', channels)).status).toBe(200);
    const outsider = await createAccount(fixture);
    const stranger = openEmailBrowser(fixture);
    const session = await stranger.confirm<Tokens>({ code: (await requested(outsider.email, stranger)).code });
    const hidden = await api(fixture, session.body.access_token).get('/api/v1/testers/me/channels', channels);
    expectRefusal(hidden, 404, 'not_found');
    await allow(true);
    expect((await asTester.get('/api/v1/testers/me/channels', channels)).status).toBe(200);
  });
});
