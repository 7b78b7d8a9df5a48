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
import { type Channel, startTesterScenario, type TesterScenario } from './scenario.ts';

interface Grant {
  identifier: string;
  status: string;
  developer_id: string | null;
  email: string;
  notified_at: string;
}

let scenario: TesterScenario;
let channel: Channel;
let counter = 0;

beforeAll(async () => {
  scenario = await startTesterScenario();
  channel = await scenario.makeChannel();
});
afterAll(() => scenario?.fixture.stop());

const newAddress = () => {
  counter += 1;
  return `tester-${counter}@elsewhere.example`;
};

const places = [
  { place: 'an organization', type: 'org_tester_grant', path: () => `${scenario.organizationPath}/testers` },
  { place: 'a project', type: 'project_tester_grant', path: () => `${scenario.projectPath}/testers` },
] as const;

describe.each(places)('a tester of $place', ({ type, path }) => {
  it('gets access immediately if an account has the address, verified or not', async () => {
    for (const isVerified of [true, false]) {
      const person = await scenario.person({ name: 'Quinn', isVerified });
      const mark = auditMark(scenario.fixture);
      const { status, body } = await scenario.admin.post<Grant>(path(), { email: person.email.toUpperCase() });
      expect(status).toBe(201);
      expect(body).toEqual({
        identifier: expect.any(String),
        organization_id: scenario.fixture.organization_id,
        project_id: type === 'org_tester_grant' ? null : scenario.fixture.android_project_id,
        email: person.email,
        status: 'active',
        is_verified: isVerified,
        developer_id: person.id,
        display_name: 'Quinn',
        granted_by_developer_id: scenario.fixture.admin.developer_id,
        created_at: expect.any(String),
        attached_at: expect.any(String),
        notified_at: expect.any(String),
      });
      expect(reachesChannel(scenario.fixture.app, person.id, channel.id)).toBe(true);
      expect(mailKinds(scenario.fixture, person.email)).toEqual(['tester_grant']);
      const [mail] = mailsTo(scenario.fixture, person.email);
      expect(mail?.text).toContain(`Open Taxiway:\n${scenario.fixture.config.server.base_url}\n`);
      expect(auditRows(scenario.fixture, { after: mark })).toMatchObject([
        {
          event: 'created',
          type,
          identifier: body.identifier,
          details: { email: person.email, developer_id: person.id },
        },
      ]);
      expect((await scenario.admin.get(`${path()}/${body.identifier}`)).body).toEqual(body);
    }
  });

  it('is pending until an account verifies the address, and is emailed', async () => {
    const email = newAddress();
    const { body } = await scenario.admin.post<Grant>(path(), { email });
    expect(body).toMatchObject({
      email,
      status: 'pending',
      is_verified: false,
      developer_id: null,
      display_name: null,
      attached_at: null,
    });
    const [mail] = mailsTo(scenario.fixture, email);
    expect(mail?.subject).toContain('You can test');
    expect(mail?.text).toContain('Create an account with this email address');
    expect(await scenario.fixture.sweep('invitations')).toBe(0);

    const person = await scenario.person({ isVerified: false });
    const { app } = scenario.fixture;
    const mark = auditMark(scenario.fixture);
    systemContext(app).transact((tx) => {
      const developer = updateDeveloper(tx, person.id, { email });
      expect(reachesChannel(tx, person.id, channel.id)).toBe(false);
      markAddressVerified(tx, developer, 'verification_link');
    });
    expect(reachesChannel(app, person.id, channel.id)).toBe(true);
    expect(auditRows(scenario.fixture, { after: mark, identifier: body.identifier })).toMatchObject([
      { event: 'accepted', type, developerId: person.id, organizationId: scenario.fixture.organization_id },
    ]);
    const { body: after } = await scenario.admin.get<Grant>(`${path()}/${body.identifier}`);
    expect(after).toMatchObject({ status: 'active', developer_id: person.id, email });
  });

  it('exists only once, pending or not', async () => {
    const person = await scenario.person();
    const email = newAddress();
    for (const address of [person.email, email]) {
      expect((await scenario.admin.post(path(), { email: address })).status).toBe(201);
      expectRefusal(await scenario.admin.post(path(), { email: address }), 409, 'already_exists');
      const place = type === 'org_tester_grant' ? scenario.projectPath : scenario.organizationPath;
      expect((await scenario.admin.post(`${place}/testers`, { email: address })).status).toBe(201);
    }
  });

  it('is not emailed when access is removed and granted again, and keeps the time of the email that was sent', async () => {
    const email = newAddress();
    const { body: first } = await scenario.admin.post<Grant>(path(), { email });
    scenario.fixture.clock.advance(4 * MINUTE);
    expect((await scenario.admin.delete(`${path()}/${first.identifier}`)).status).toBe(204);
    const { body: second } = await scenario.admin.post<Grant>(path(), { email });
    expect(second.notified_at).toBe(first.notified_at);
    expect(mailKinds(scenario.fixture, email)).toEqual(['tester_grant']);
    const again = `${path()}/${second.identifier}/notify`;
    expect(expectRefusal(await scenario.admin.post(again), 429, 'rate_limit_exceeded')).toEqual({
      retry_after_seconds: 60,
    });
    scenario.fixture.clock.advance(MINUTE);
    expect((await scenario.admin.post(again)).status).toBe(200);
    expect(mailKinds(scenario.fixture, email)).toEqual(['tester_grant', 'tester_grant']);
  });

  it('keeps the time of an email that was sent again within the pause of other emails', async () => {
    const { app } = scenario.fixture;
    const { config } = app;
    app.config = { ...config, limits: { ...config.limits, tester_notification_resend_minutes: 1 } };
    try {
      const email = newAddress();
      const { body: first } = await scenario.admin.post<Grant>(path(), { email });
      scenario.fixture.clock.advance(MINUTE);
      const { body: again } = await scenario.admin.post<Grant>(`${path()}/${first.identifier}/notify`);
      await scenario.admin.delete(`${path()}/${first.identifier}`);
      const { body: second } = await scenario.admin.post<Grant>(path(), { email });
      expect(second.notified_at).toBe(again.notified_at);
      expect(again.notified_at).not.toBe(first.notified_at);
    } finally {
      app.config = config;
    }
  });

  it('is emailed again after a pause, while pending', async () => {
    const email = newAddress();
    const { body: grant } = await scenario.admin.post<Grant>(path(), { email });
    const again = `${path()}/${grant.identifier}/notify`;
    const refused = await scenario.admin.post(again);
    expect(expectRefusal(refused, 429, 'rate_limit_exceeded')).toEqual({ retry_after_seconds: 300 });
    expect(refused.headers.get('retry-after')).toBe('300');
    scenario.fixture.clock.advance(4 * MINUTE);
    expectRefusal(await scenario.admin.post(again), 429, 'rate_limit_exceeded');
    scenario.fixture.clock.advance(MINUTE);
    const mark = auditMark(scenario.fixture);
    const answers = await Promise.all(Array.from({ length: 50 }, () => scenario.admin.post<Grant>(again)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(49);
    expect(mailKinds(scenario.fixture, email)).toEqual(['tester_grant', 'tester_grant']);
    expect(auditRows(scenario.fixture, { after: mark })).toMatchObject([{ event: 'reinvited', type }]);

    const person = await scenario.person();
    const { body: active } = await scenario.admin.post<Grant>(path(), { email: person.email });
    expectRefusal(await scenario.admin.post(`${path()}/${active.identifier}/notify`), 404, 'not_found');
    expectRefusal(await scenario.admin.post(`${path()}/${ABSENT}/notify`), 404, 'not_found');
  });

  it('loses access with the grant, and granting it again sends no second email immediately', async () => {
    const person = await scenario.person();
    const { body: grant } = await scenario.admin.post<Grant>(path(), { email: person.email });
    const mark = auditMark(scenario.fixture);
    expect((await scenario.admin.delete(`${path()}/${grant.identifier}`)).status).toBe(204);
    expect(reachesChannel(scenario.fixture.app, person.id, channel.id)).toBe(false);
    expect(auditRows(scenario.fixture, { after: mark })).toMatchObject([{ event: 'deleted', type }]);
    expectRefusal(await scenario.admin.delete(`${path()}/${grant.identifier}`), 404, 'not_found');
    expect((await scenario.admin.post(path(), { email: person.email })).status).toBe(201);
    expect(mailKinds(scenario.fixture, person.email)).toEqual(['tester_grant']);
  });

  it('is listed newest first, page by page', async () => {
    const pages = await walkPages<Grant>(scenario.admin, path(), { limit: 2 });
    const ids = pages.flat().map(({ identifier }) => identifier);
    expect(ids.length).toBeGreaterThan(4);
    expect(ids).toEqual([...ids].sort().reverse());
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('requires an address', async () => {
    expectInvalid(await scenario.admin.post(path(), {}), 'body.email: missing');
    expectInvalid(await scenario.admin.post(path(), { email: 'nobody' }), 'body.email: string_pattern_mismatch');
  });
});

describe('access that was granted to an address', () => {
  it('is pending again when an account is deleted that never verified it', async () => {
    const squatter = await scenario.person({ isVerified: false });
    await scenario.grant(squatter, 'project');
    const group = await scenario.group(squatter, { channel_id: channel.id });
    const context = systemContext(scenario.fixture.app);
    context.transact((tx) => deleteAccount(tx, loadDeveloper(tx, squatter.id)));
    const owner = await scenario.person({ isVerified: false });
    context.transact((tx) => {
      markAddressVerified(tx, updateDeveloper(tx, owner.id, { email: squatter.email }), 'verification_link');
    });
    const { body } = await scenario.admin.get<{ items: Grant[] }>(`${scenario.projectPath}/testers`);
    expect(body.items[0]).toMatchObject({ email: squatter.email, developer_id: owner.id, status: 'active' });
    const members = await scenario.admin.get<{ items: Grant[] }>(`${group}/members`);
    expect(members.body.items).toMatchObject([{ developer_id: owner.id, status: 'active' }]);
  });

  it('is merged when an account verifies a second address with the same pending access', async () => {
    const email = newAddress();
    const person = await scenario.person();
    const kept = await scenario.grant(person, 'project');
    const waiting = await scenario.grant({ email }, 'project');
    const group = await scenario.group(person, { channel_id: channel.id });
    const { body: member } = await scenario.admin.post<{ identifier: string }>(`${group}/members`, { email });
    const mark = auditMark(scenario.fixture);
    systemContext(scenario.fixture.app).transact((tx) =>
      attachPendingGrants(tx, updateDeveloper(tx, person.id, { email })),
    );
    expect(auditRows(scenario.fixture, { after: mark })).toMatchObject([
      { event: 'deleted', type: 'project_tester_grant', identifier: waiting },
      { event: 'deleted', type: 'tester_group_member', identifier: member.identifier },
    ]);
    const members = await scenario.admin.get<{ items: Grant[] }>(`${group}/members`);
    expect(members.body.items).toMatchObject([{ email, developer_id: person.id, status: 'active' }]);
    expect((await scenario.admin.get(`${scenario.projectPath}/testers/${kept}`)).body).toMatchObject({
      email,
      status: 'active',
    });
    expectRefusal(await scenario.admin.get(`${scenario.projectPath}/testers/${waiting}`), 404, 'not_found');
  });

  it('stays with its account when another one verifies the former address', async () => {
    const person = await scenario.person();
    const other = await scenario.person({ isVerified: false });
    const grant = await scenario.grant(person, 'project');
    const group = await scenario.group(person, { channel_id: channel.id });
    systemContext(scenario.fixture.app).transact((tx) => {
      updateDeveloper(tx, person.id, { email: newAddress() });
      markAddressVerified(tx, updateDeveloper(tx, other.id, { email: person.email }), 'verification_link');
    });
    const { body } = await scenario.admin.get(`${scenario.projectPath}/testers/${grant}`);
    expect(body).toMatchObject({ developer_id: person.id });
    const members = await scenario.admin.get<{ items: Grant[] }>(`${group}/members`);
    expect(members.body.items).toMatchObject([{ developer_id: person.id }]);
  });

  it('is deleted with the account that verified it', async () => {
    const person = await scenario.person();
    const id = await scenario.grant(person, 'project');
    const context = systemContext(scenario.fixture.app);
    context.transact((tx) => deleteAccount(tx, loadDeveloper(tx, person.id)));
    expectRefusal(await scenario.admin.get(`${scenario.projectPath}/testers/${id}`), 404, 'not_found');
  });

  it('is pending if the account with the address waits for deletion and never verified it', async () => {
    const person = await scenario.person({ isVerified: false });
    const { app } = scenario.fixture;
    systemContext(app).transact((tx) => void updateDeveloper(tx, person.id, { deletionDueAt: tx.now + 1 }), {
      bookkeeping: true,
    });
    const { body } = await scenario.admin.post<Grant>(`${scenario.projectPath}/testers`, { email: person.email });
    expect(body).toMatchObject({ status: 'pending', developer_id: null });
  });

  it('is kept once if it was granted again while the account waited for deletion', async () => {
    const { app } = scenario.fixture;
    const squatter = await scenario.person({ isVerified: false });
    const next = await scenario.person();
    await scenario.grant(squatter, 'project');
    const group = await scenario.group(squatter, { channel_id: channel.id });
    systemContext(app).transact(
      (tx) => {
        for (const { id } of [squatter, next]) updateDeveloper(tx, id, { deletionDueAt: tx.now, lockedAt: tx.now });
      },
      { bookkeeping: true },
    );
    const again = await scenario.grant(squatter, 'project');
    const member = await scenario.admin.post<Grant>(`${group}/members`, { email: squatter.email });
    await scenario.fixture.sweep('account-deletions');
    for (const { id } of [squatter, next]) expect(findDeveloper(app, id)).toBeUndefined();
    const given = await scenario.admin.get<{ items: Grant[] }>(`${scenario.projectPath}/testers`);
    const members = await scenario.admin.get<{ items: Grant[] }>(`${group}/members`);
    for (const [items, identifier] of [
      [given.body.items, again],
      [members.body.items, member.body.identifier],
    ] as const) {
      expect(items.filter(({ email }) => email === squatter.email)).toMatchObject([{ identifier, status: 'pending' }]);
    }
  });

  it('allows its owner to sign up if sign-up is by invitation', async () => {
    await using closed = await startTesterScenario({ config: { accounts: { signup: 'invited' } } });
    const signUp = (email: string) =>
      closed.admin.as(null).post('/api/v1/developers', { email, password: 'a fine long password', display_name: 'N' });
    await closed.grant({ email: 'awaited@elsewhere.example' }, 'project');
    await signUp('awaited@elsewhere.example');
    await signUp('stranger@elsewhere.example');
    expect(mailKinds(closed.fixture, 'awaited@elsewhere.example')).toEqual(['tester_grant', 'verify_email']);
    expect(mailKinds(closed.fixture, 'stranger@elsewhere.example')).toEqual([]);
  });

  it.each([
    ['signup = "open"', { signup: 'open' }, 'outbox', 'Create an account with this email address and confirm it'],
    ['signup = "invited"', { signup: 'invited' }, 'outbox', 'Create an account with this email address and confirm it'],
    ['signup = "open" and SMTP', { signup: 'open' }, 'smtp', 'select “Email me a code” on the sign-in page.'],
    [
      'signup = "closed"',
      { signup: 'closed' },
      'outbox',
      'Otherwise, ask the operator of the server for an account with this email',
    ],
    [
      'signup = "closed" and SMTP',
      { signup: 'closed' },
      'smtp',
      'If your organization uses single sign-on, sign in with it to see',
    ],
  ] as const)(
    'tells a person without an account how to get in with %s',
    async (_name, accounts, transport, expected) => {
      const smtp = { host: 'localhost', port: 9, security: 'none' } as const;
      const mail = transport === 'smtp' ? { transport, smtp } : { transport };
      await using own = await startTesterScenario({ config: { accounts, mail } });
      const email = newAddress();
      await own.grant({ email }, 'project');
      await own.group({ email }, { project_id: own.fixture.android_project_id });
      const letters = mailsTo(own.fixture, email);
      expect(letters).toHaveLength(2);
      for (const { text } of letters) expect(text).toContain(expected);
    },
  );
});
