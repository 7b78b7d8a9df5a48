// Account deletion: locked immediately, cancelable with one link, deleted when due, and rejected for the only admin of an
// organization.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { developers, organizationMemberships } from '../../src/data/tables/tables.ts';
import { DAY } from '../../src/lib/clock.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import {
  api,
  auditMark,
  auditRows,
  createAccount,
  expectInvalid,
  expectRefusal,
  type Json,
  signIn,
} from '../support/harness.ts';
import { join } from '../support/people.ts';

const CANCEL = '/api/v1/developers/cancel_deletion';
let fixture: Fixture;
let person: { email: string; password: string; id: string };

beforeEach(async () => {
  fixture = await startFixture();
  const { email, password, developer_id: id } = await createAccount(fixture, { email: 'leaver@example.test' });
  person = { email, password, id };
});
afterEach(() => fixture.stop());

async function requestDeletion(body: object = { current_password: person.password }) {
  const { client } = await signIn(fixture, person);
  const answer = await client.send('DELETE', `/api/v1/developers/${person.id}`, { body });
  return { answer, client };
}

async function cancelToken(): Promise<string> {
  const mail = await fixture.mail.waitFor(person.email, /will be deleted/);
  return /token=([\w-]+)/.exec(mail.text)?.[1] ?? '';
}

const cancel = (token: string) => api(fixture, null).post(CANCEL, { token });
const isThere = () =>
  fixture.app.db
    .select()
    .from(developers)
    .all()
    .some((row) => row.id === person.id);

describe('requesting the deletion of an account', () => {
  it('locks the account immediately and emails a link to cancel', async () => {
    const mark = auditMark(fixture);
    const { answer, client } = await requestDeletion();
    expect([answer.status, answer.text]).toEqual([204, '']);
    // A browser is signed out with it.
    expect(answer.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^svc_access=; Path=\/; Max-Age=0; HttpOnly/),
      expect.stringMatching(/^svc_refresh=; Path=\/api\/v1\/login; Max-Age=0; HttpOnly/),
    ]);
    expectRefusal(await client.get('/api/v1/developers/me'), 401, 'unauthorized');
    const again = await api(fixture, null).post('/api/v1/login', { email: person.email, password: person.password });
    expectRefusal(again, 401, 'unauthorized');
    expect(await cancelToken()).toMatch(/^[\w-]{43}$/);
    expect(auditRows(fixture, { after: mark, identifier: person.id }).map((row) => row.event)).toEqual([
      'login_succeeded',
      'account_deletion_requested',
      'all_sessions_revoked',
      'login_failed',
    ]);
  });
  it('requires the correct password', async () => {
    expectInvalid((await requestDeletion({})).answer, 'body.current_password: missing');
    expectRefusal((await requestDeletion({ current_password: 'wrong' })).answer, 403, 'permission_denied');
    expect((await signIn(fixture, person)).access_token).toBeTruthy();
  });
  it('is only possible for the own account', async () => {
    const { client } = await signIn(fixture, person);
    const body = { current_password: person.password };
    expectRefusal(
      await client.send('DELETE', `/api/v1/developers/${fixture.admin.developer_id}`, { body }),
      404,
      'not_found',
    );
  });
  it('is rejected for the only admin of an organization, and allowed when there is another', async () => {
    const { client } = await signIn(fixture);
    const path = `/api/v1/developers/${fixture.admin.developer_id}`;
    const body = { current_password: fixture.admin.password };
    const details = expectRefusal(await client.send('DELETE', path, { body }), 400, 'operation_not_allowed');
    expect(details).toEqual({ organization_ids: [fixture.organization_id] });
    fixture.app.db
      .insert(organizationMemberships)
      .values({ organizationId: fixture.organization_id, developerId: person.id, role: 'admin', createdAt: 0 })
      .run();
    expect((await client.send('DELETE', path, { body })).status).toBe(204);
    // Who is left is the only one that counts now.
    expectRefusal((await requestDeletion()).answer, 400, 'operation_not_allowed');
  });
});

describe('canceling the deletion', () => {
  it('works once with JSON, and restores the account', async () => {
    await requestDeletion();
    const token = await cancelToken();
    const mark = auditMark(fixture);
    const answers = await Promise.all(Array.from({ length: 20 }, () => cancel(token)));
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(1);
    for (const answer of answers.filter((row) => row.status !== 200)) expectRefusal(answer, 400, 'invalid_input');
    expect(answers.find((answer) => answer.status === 200)?.body).toEqual({ status: 'active' });
    expect((await signIn(fixture, person)).access_token).toBeTruthy();
    expect(auditRows(fixture, { after: mark }).map((row) => row.event)).toEqual([
      'account_deletion_cancelled',
      'login_succeeded',
    ]);
    fixture.clock.advance(20 * DAY);
    expect(await fixture.sweep('account-deletions')).toBe(0);
  });
  it('works on the page of the email, which does not consume the link', async () => {
    await requestDeletion();
    const token = await cancelToken();
    const page = await api(fixture, null).get(CANCEL, { token });
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(page.text).toContain('Keep account');
    const rawBody = new URLSearchParams({ token });
    const done = await api(fixture, null).send('POST', CANCEL, { rawBody });
    expect(done.text).toContain('Deletion canceled');
    expect((await api(fixture, null).get(CANCEL, { token })).status).toBe(400);
  });
  it('is rejected after the grace period, and with a wrong or missing token', async () => {
    await requestDeletion();
    const token = await cancelToken();
    expectRefusal(await cancel(`${token}x`), 400, 'invalid_input');
    expectInvalid(await api(fixture, null).post(CANCEL, {}), 'body.token: missing');
    fixture.clock.advance(14 * DAY);
    expectRefusal(await cancel(token), 400, 'invalid_input');
  });
});

describe('a due deletion', () => {
  it('runs after the grace period and deletes all personal data', async () => {
    await requestDeletion();
    fixture.clock.advance(14 * DAY - 1000);
    expect(await fixture.sweep('account-deletions')).toBe(0);
    expect(isThere()).toBe(true);
    fixture.clock.advance(1001);
    const mark = auditMark(fixture);
    expect(await fixture.sweep('account-deletions')).toBe(1);
    expect(await fixture.sweep('account-deletions')).toBe(0);
    expect(isThere()).toBe(false);
    expect(fixture.mail.messages.filter((message) => message.to === person.email)).toEqual([]);
    expect(auditRows(fixture, { after: mark })).toMatchObject([
      { event: 'deleted', type: 'developer', identifier: person.id, actorKind: 'system', developerId: null },
    ]);
    expect(auditRows(fixture).filter((row) => row.developerId === person.id)).toEqual([]);
  });

  it('is recorded in the trail of each organization as the end of the membership', async () => {
    const { organization_id: organizationId, android_project_id: projectId } = fixture;
    join(fixture, person.id, {
      organizations: { [organizationId]: 'manager' },
      projects: { [projectId]: 'maintainer' },
    });
    await requestDeletion();
    fixture.clock.advance(14 * DAY);
    const mark = auditMark(fixture);
    await fixture.sweep('account-deletions');
    expect(auditRows(fixture, { after: mark }).filter((row) => row.organizationId === organizationId)).toMatchObject([
      {
        event: 'deleted',
        type: 'org_membership',
        identifier: person.id,
        actorKind: 'system',
        developerId: null,
        details: {
          developer_id: person.id,
          role: 'manager',
          project_ids: [projectId],
          reason: 'account_deleted',
        },
      },
    ]);
    const { client } = await signIn(fixture);
    const members = await client.get<Json>(`/api/v1/organizations/${organizationId}/members`);
    expect((members.body.items as Json[]).map((member) => member.developer_id)).toEqual([fixture.admin.developer_id]);
  });
});
