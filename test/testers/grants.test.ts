// Tester access to organizations and projects: immediate, or pending until the address is verified.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deleteAccount } from '../../src/accounts/deletion.ts';
import { markAddressVerified } from '../../src/accounts/email-verification.ts';
import { reachesChannel } from '../../src/channels/audience.ts';
import { systemContext } from '../../src/core/transact.ts';
import { findDeveloper, loadDeveloper, updateDeveloper } from '../../src/developers/store.ts';
import { MINUTE } from '../../src/lib/clock.ts';
import { attachPendingGrants } from '../../src/testers/pending-access.ts';
import { ABSENT, auditMark, auditRows, expectInvalid, expectRefusal, walkPages } from '../support/harness.ts';
import { mailKinds, mailsTo } from '../support/mailbox.ts';
import { type Channel, startTesterFixture, type TesterFixture } from './scenario.ts';

interface Grant {
  identifier: string;
  status: string;
  developer_id: string | null;
  email: string;
  notified_at: string;
}

let setup: TesterFixture;
let channel: Channel;
let counter = 0;

beforeAll(async () => {
  setup = await startTesterFixture();
  channel = await setup.makeChannel();
});
afterAll(() => setup?.fixture.stop());

const newAddress = () => {
  counter += 1;
  return `tester-${counter}@elsewhere.example`;
};

const places = [
  { place: 'an organization', type: 'org_tester_grant', path: () => `${setup.organizationPath}/testers` },
  { place: 'a project', type: 'project_tester_grant', path: () => `${setup.projectPath}/testers` },
] as const;

describe.each(places)('a tester of $place', ({ type, path }) => {
  it('has access at once when an account holds the address, verified or not', async () => {
    for (const isVerified of [true, false]) {
      const person = await setup.person({ name: 'Quinn', isVerified });
      const mark = auditMark(setup.fixture);
      const { status, body } = await setup.admin.post<Grant>(path(), { email: person.email.toUpperCase() });
      expect(status).toBe(201);
      expect(body).toEqual({
        identifier: expect.any(String),
        organization_id: setup.fixture.organization_id,
        project_id: type === 'org_tester_grant' ? null : setup.fixture.android_project_id,
        email: person.email,
        status: 'active',
        developer_id: person.id,
        display_name: 'Quinn',
        granted_by_developer_id: setup.fixture.admin.developer_id,
        created_at: expect.any(String),
        attached_at: expect.any(String),
        notified_at: expect.any(String),
      });
      expect(reachesChannel(setup.fixture.app, person.id, channel.id)).toBe(true);
      expect(mailKinds(setup.fixture, person.email)).toEqual(['tester_grant']);
      expect(auditRows(setup.fixture, { after: mark })).toMatchObject([
        {
          event: 'created',
          type,
          identifier: body.identifier,
          details: { email: person.email, developer_id: person.id },
        },
      ]);
      expect((await setup.admin.get(`${path()}/${body.identifier}`)).body).toEqual(body);
    }
  });

  it('waits without an end for an account that proves the address, and is told how', async () => {
    const email = newAddress();
    const { body } = await setup.admin.post<Grant>(path(), { email });
    expect(body).toMatchObject({ email, status: 'pending', developer_id: null, display_name: null, attached_at: null });
    const [mail] = mailsTo(setup.fixture, email);
    expect(mail?.subject).toContain('You can test');
    expect(mail?.text).toContain('Create an account with this email address');
    expect(await setup.fixture.sweep('invitations')).toBe(0);

    const person = await setup.person({ isVerified: false });
    const { app } = setup.fixture;
    const mark = auditMark(setup.fixture);
    systemContext(app).transact((tx) => {
      const developer = updateDeveloper(tx, person.id, { email });
      expect(reachesChannel(tx, person.id, channel.id)).toBe(false);
      markAddressVerified(tx, developer, 'verification_link');
    });
    expect(reachesChannel(app, person.id, channel.id)).toBe(true);
    expect(auditRows(setup.fixture, { after: mark, identifier: body.identifier })).toMatchObject([
      { event: 'accepted', type, developerId: person.id, organizationId: setup.fixture.organization_id },
    ]);
    const { body: after } = await setup.admin.get<Grant>(`${path()}/${body.identifier}`);
    expect(after).toMatchObject({ status: 'active', developer_id: person.id, email });
  });

  it('is there once only, pending or not', async () => {
    const person = await setup.person();
    const email = newAddress();
    for (const address of [person.email, email]) {
      expect((await setup.admin.post(path(), { email: address })).status).toBe(201);
      expectRefusal(await setup.admin.post(path(), { email: address }), 409, 'already_exists');
    }
  });

  it('is written to again with a pause, while pending only', async () => {
    const email = newAddress();
    const { body: grant } = await setup.admin.post<Grant>(path(), { email });
    const again = `${path()}/${grant.identifier}/notify`;
    const refused = await setup.admin.post(again);
    expect(expectRefusal(refused, 429, 'rate_limit_exceeded')).toEqual({ retry_after_seconds: 300 });
    expect(refused.headers.get('retry-after')).toBe('300');
    setup.fixture.clock.advance(4 * MINUTE);
    expectRefusal(await setup.admin.post(again), 429, 'rate_limit_exceeded');
    setup.fixture.clock.advance(MINUTE);
    const mark = auditMark(setup.fixture);
    const answers = await Promise.all(Array.from({ length: 50 }, () => setup.admin.post<Grant>(again)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(49);
    expect(mailKinds(setup.fixture, email)).toEqual(['tester_grant', 'tester_grant']);
    expect(auditRows(setup.fixture, { after: mark })).toMatchObject([{ event: 'reinvited', type }]);

    const person = await setup.person();
    const { body: active } = await setup.admin.post<Grant>(path(), { email: person.email });
    expectRefusal(await setup.admin.post(`${path()}/${active.identifier}/notify`), 404, 'not_found');
    expectRefusal(await setup.admin.post(`${path()}/${ABSENT}/notify`), 404, 'not_found');
  });

  it('loses access with the grant, and giving it again sends no second mail at once', async () => {
    const person = await setup.person();
    const { body: grant } = await setup.admin.post<Grant>(path(), { email: person.email });
    const mark = auditMark(setup.fixture);
    expect((await setup.admin.delete(`${path()}/${grant.identifier}`)).status).toBe(204);
    expect(reachesChannel(setup.fixture.app, person.id, channel.id)).toBe(false);
    expect(auditRows(setup.fixture, { after: mark })).toMatchObject([{ event: 'deleted', type }]);
    expectRefusal(await setup.admin.delete(`${path()}/${grant.identifier}`), 404, 'not_found');
    expect((await setup.admin.post(path(), { email: person.email })).status).toBe(201);
    expect(mailKinds(setup.fixture, person.email)).toEqual(['tester_grant']);
  });

  it('is listed newest first, page by page', async () => {
    const pages = await walkPages<Grant>(setup.admin, path(), { limit: 2 });
    const ids = pages.flat().map(({ identifier }) => identifier);
    expect(ids.length).toBeGreaterThan(4);
    expect(ids).toEqual([...ids].sort().reverse());
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('needs an address', async () => {
    expectInvalid(await setup.admin.post(path(), {}), 'body.email: missing');
    expectInvalid(await setup.admin.post(path(), { email: 'nobody' }), 'body.email: string_pattern_mismatch');
  });
});

describe('access that was given to an address', () => {
  it('waits for its owner again when an account ends that never proved it', async () => {
    const squatter = await setup.person({ isVerified: false });
    await setup.grant(squatter, 'project');
    const group = await setup.group(squatter, { channel_id: channel.id });
    const context = systemContext(setup.fixture.app);
    context.transact((tx) => deleteAccount(tx, loadDeveloper(tx, squatter.id)));
    const owner = await setup.person({ isVerified: false });
    context.transact((tx) => {
      markAddressVerified(tx, updateDeveloper(tx, owner.id, { email: squatter.email }), 'verification_link');
    });
    const { body } = await setup.admin.get<{ items: Grant[] }>(`${setup.projectPath}/testers`);
    expect(body.items[0]).toMatchObject({ email: squatter.email, developer_id: owner.id, status: 'active' });
    const members = await setup.admin.get<{ items: Grant[] }>(`${group}/members`);
    expect(members.body.items).toMatchObject([{ developer_id: owner.id, status: 'active' }]);
  });

  it('is one when an account that has it proves a second address that waited for the same', async () => {
    const email = newAddress();
    const person = await setup.person();
    const kept = await setup.grant(person, 'project');
    const waiting = await setup.grant({ email }, 'project');
    const mark = auditMark(setup.fixture);
    systemContext(setup.fixture.app).transact((tx) =>
      attachPendingGrants(tx, updateDeveloper(tx, person.id, { email })),
    );
    expect(auditRows(setup.fixture, { after: mark })).toMatchObject([{ event: 'deleted', identifier: waiting }]);
    expect((await setup.admin.get(`${setup.projectPath}/testers/${kept}`)).body).toMatchObject({
      email,
      status: 'active',
    });
    expectRefusal(await setup.admin.get(`${setup.projectPath}/testers/${waiting}`), 404, 'not_found');
  });

  it('ends with the account of whoever proved it', async () => {
    const person = await setup.person();
    const id = await setup.grant(person, 'project');
    const context = systemContext(setup.fixture.app);
    context.transact((tx) => deleteAccount(tx, loadDeveloper(tx, person.id)));
    expectRefusal(await setup.admin.get(`${setup.projectPath}/testers/${id}`), 404, 'not_found');
  });

  it('waits when the account that holds it waits to be deleted and never proved it', async () => {
    const person = await setup.person({ isVerified: false });
    const { app } = setup.fixture;
    systemContext(app).transact((tx) => void updateDeveloper(tx, person.id, { deletionDueAt: tx.now + 1 }), {
      bookkeeping: true,
    });
    const { body } = await setup.admin.post<Grant>(`${setup.projectPath}/testers`, { email: person.email });
    expect(body).toMatchObject({ status: 'pending', developer_id: null });
  });

  it('is left once when it was given again while the account waited to be deleted', async () => {
    const { app } = setup.fixture;
    const squatter = await setup.person({ isVerified: false });
    const next = await setup.person();
    await setup.grant(squatter, 'project');
    const group = await setup.group(squatter, { channel_id: channel.id });
    systemContext(app).transact(
      (tx) => {
        for (const { id } of [squatter, next]) updateDeveloper(tx, id, { deletionDueAt: tx.now, lockedAt: tx.now });
      },
      { bookkeeping: true },
    );
    const again = await setup.grant(squatter, 'project');
    const member = await setup.admin.post<Grant>(`${group}/members`, { email: squatter.email });
    await setup.fixture.sweep('account-deletions');
    for (const { id } of [squatter, next]) expect(findDeveloper(app, id)).toBeUndefined();
    const given = await setup.admin.get<{ items: Grant[] }>(`${setup.projectPath}/testers`);
    const members = await setup.admin.get<{ items: Grant[] }>(`${group}/members`);
    for (const [items, identifier] of [
      [given.body.items, again],
      [members.body.items, member.body.identifier],
    ] as const) {
      expect(items.filter(({ email }) => email === squatter.email)).toMatchObject([{ identifier, status: 'pending' }]);
    }
  });

  it('lets its owner sign up where sign-up is by invitation', async () => {
    await using closed = await startTesterFixture({ config: { accounts: { signup: 'invited' } } });
    const signUp = (email: string) =>
      closed.admin.as(null).post('/api/v1/developers', { email, password: 'a fine long password', display_name: 'N' });
    await closed.grant({ email: 'awaited@elsewhere.example' }, 'project');
    await signUp('awaited@elsewhere.example');
    await signUp('stranger@elsewhere.example');
    expect(mailKinds(closed.fixture, 'awaited@elsewhere.example')).toEqual(['tester_grant', 'verify_email']);
    expect(mailKinds(closed.fixture, 'stranger@elsewhere.example')).toEqual([]);
  });
});
