// Channel invitations: single use, ten minutes, for the invited address.
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { reachesChannel } from '../../src/channels/audience.ts';
import { auditEvents, channelInvitations, organizations, outboxMails } from '../../src/data/tables/tables.ts';
import { DAY, MINUTE } from '../../src/lib/clock.ts';
import { api, auditMark, auditRows, comparable, expectInvalid, expectRefusal } from '../support/harness.ts';
import { mailsTo } from '../support/mailbox.ts';
import { type Person, signInPerson } from '../support/people.ts';
import { type Channel, startTesterScenario, type TesterScenario } from './scenario.ts';

interface Invite {
  identifier: string;
  invite_token: string;
  invite_url: string;
  email: string | null;
  accepted_at: string | null;
}

let scenario: TesterScenario;
let channel: Channel;
let person: Person;

beforeAll(async () => {
  scenario = await startTesterScenario();
});
afterAll(() => scenario?.fixture.stop());
beforeEach(async () => {
  channel = await scenario.makeChannel();
  person = await scenario.person();
});

async function invite(email?: string): Promise<Invite> {
  const answer = await scenario.admin.post<Invite>(
    '/api/v1/channel-invites',
    email === undefined ? {} : { email },
    channel.query,
  );
  expect(answer.status, answer.text).toBe(201);
  return answer.body;
}

const accept = (who: Person, token: string) =>
  who.client.post('/api/v1/testers/invites/accept', { invite_token: token });
const preview = (token: string) => scenario.admin.as(null).get(`/api/v1/testers/invites/${token}/preview`);

describe('a channel invitation', () => {
  it('is created with its token in the response only', async () => {
    const mark = auditMark(scenario.fixture);
    const made = await invite(person.email.toUpperCase());
    expect(made).toEqual({
      identifier: expect.any(String),
      organization_id: scenario.fixture.organization_id,
      project_id: scenario.fixture.android_project_id,
      channel_id: channel.id,
      email: person.email,
      invited_at: expect.any(String),
      expires_at: expect.any(String),
      invited_by_developer_id: scenario.fixture.admin.developer_id,
      accepted_at: null,
      accepted_by_developer_id: null,
      invite_token: expect.stringMatching(/^svc_tst_[\w-]{43}$/),
      invite_url: `${scenario.fixture.config.server.base_url}/testers/invites/${made.invite_token}`,
    });
    const times = made as unknown as { invited_at: string; expires_at: string };
    expect(Date.parse(times.expires_at) - Date.parse(times.invited_at)).toBe(10 * MINUTE);
    const { invite_token: token, invite_url: _url, ...listed } = made;
    const list = await scenario.admin.get<{ items: Invite[] }>('/api/v1/channel-invites', channel.query);
    expect(list.body.items).toEqual([listed]);
    const rows = auditRows(scenario.fixture, { after: mark });
    expect(rows).toMatchObject([{ event: 'created', type: 'channel_tester_invite', identifier: made.identifier }]);
    const { db } = scenario.fixture.app;
    const kept = JSON.stringify([db.select().from(channelInvitations).all(), db.select().from(auditEvents).all()]);
    expect(kept).not.toContain(token);
    expect(mailsTo(scenario.fixture, person.email)[0]?.text).toContain(made.invite_url);
  });

  it('shows its channel to anyone with the link, without consuming it', async () => {
    const { invite_token: token } = await invite(person.email);
    for (const _time of [1, 2]) {
      expect((await preview(token)).body).toEqual({
        organization_id: scenario.fixture.organization_id,
        organization_name: 'Fixture Organization',
        project_id: scenario.fixture.android_project_id,
        project_name: 'Fixture Android',
        channel_id: channel.id,
        channel_name: expect.stringContaining('channel '),
        expires_at: expect.any(String),
      });
    }
    const page = await scenario.admin.as(null).get(`/testers/invites/${token}`);
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(page.text).toContain('You are invited to test Fixture Android of Fixture Organization');
    expectRefusal(await preview('svc_tst_unknown'), 404, 'not_found');
    expect((await scenario.admin.as(null).get('/testers/invites/svc_tst_unknown')).status).toBe(404);
    expect((await accept(person, token)).status).toBe(200);
  });

  it('is accepted once by the invited address', async () => {
    const { identifier, invite_token: token } = await invite(person.email);
    const mark = auditMark(scenario.fixture);
    const answer = await accept(person, token);
    expect([answer.status, answer.body]).toEqual([
      200,
      {
        organization_id: scenario.fixture.organization_id,
        project_id: scenario.fixture.android_project_id,
        channel_id: channel.id,
      },
    ]);
    expect(reachesChannel(scenario.fixture.app, person.id, channel.id)).toBe(true);
    expect(auditRows(scenario.fixture, { after: mark })).toMatchObject([
      { event: 'accepted', type: 'channel_tester_invite', identifier, actorId: person.id },
      { event: 'created', type: 'channel_tester_grant', details: { channel_id: channel.id, developer_id: person.id } },
    ]);
    expectRefusal(await accept(person, token), 404, 'not_found');
    expectRefusal(await preview(token), 404, 'not_found');
    const list = await scenario.admin.get<{ items: Invite[] }>('/api/v1/channel-invites', channel.query);
    expect(list.body.items).toMatchObject([
      { identifier, accepted_at: expect.any(String), accepted_by_developer_id: person.id },
    ]);
  });

  it('is accepted once in fifty simultaneous requests', async () => {
    const { invite_token: token } = await invite();
    const people = await Promise.all(Array.from({ length: 5 }, () => scenario.person()));
    const tries = Array.from({ length: 50 }, (_, index) => accept(people[index % 5] ?? person, token));
    const statuses = (await Promise.all(tries)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(statuses.filter((status) => status === 404)).toHaveLength(49);
    const reaching = people.filter(({ id }) => reachesChannel(scenario.fixture.app, id, channel.id));
    expect(reaching).toHaveLength(1);
  });

  it('is not found for other addresses, and not consumed by them', async () => {
    const { invite_token: token } = await invite(person.email);
    const other = await scenario.person();
    const wrong = await accept(other, token);
    expectRefusal(wrong, 404, 'not_found');
    expect(comparable(await accept(other, 'svc_tst_unknown'))).toEqual(comparable(wrong));
    const unverified = await scenario.person({ isVerified: false });
    expectRefusal(await accept(unverified, token), 403, 'email_not_verified');
    expectRefusal(
      await api(scenario.fixture, null).post('/api/v1/testers/invites/accept', { invite_token: token }),
      401,
      'unauthorized',
    );
    expectRefusal(
      await scenario.admin.post('/api/v1/testers/invites/accept', { invite_token: token }),
      403,
      'permission_denied',
    );
    expectInvalid(await person.client.post('/api/v1/testers/invites/accept', {}), 'body.invite_token: missing');
    expect((await accept(person, token)).status).toBe(200);
  });

  it('expires after ten minutes and is deleted by the cleanup job', async () => {
    const { identifier, invite_token: token } = await invite(person.email);
    scenario.fixture.clock.advance(9 * MINUTE);
    expect((await preview(token)).status).toBe(200);
    scenario.fixture.clock.advance(MINUTE);
    expectRefusal(await preview(token), 404, 'not_found');
    const late = { ...person, client: api(scenario.fixture, await signInPerson(scenario.fixture, person)) };
    expectRefusal(await accept(late, token), 404, 'not_found');
    expectRefusal(await scenario.admin.delete(`/api/v1/channel-invites/${identifier}`), 404, 'not_found');
    const list = await scenario.admin.get<{ items: Invite[] }>('/api/v1/channel-invites', channel.query);
    expect(list.body.items).toEqual([]);
    const open = await invite();
    expect(await scenario.fixture.sweep('invitations')).toBeGreaterThan(0);
    const kept = scenario.fixture.app.db.select().from(channelInvitations).where(eq(channelInvitations.id, identifier));
    expect(kept.all()).toEqual([]);
    expect((await preview(open.invite_token)).status).toBe(200);
  });

  it('stays in the list for 30 days after it was accepted', async () => {
    const { identifier, invite_token: token } = await invite(person.email);
    await accept(person, token);
    const isKept = () =>
      scenario.fixture.app.db.select().from(channelInvitations).where(eq(channelInvitations.id, identifier)).all()
        .length === 1;
    scenario.fixture.clock.advance(29 * DAY);
    await scenario.fixture.sweep('invitations');
    expect(isKept()).toBe(true);
    scenario.fixture.clock.advance(2 * DAY);
    await scenario.fixture.sweep('invitations');
    expect(isKept()).toBe(false);
    expect(reachesChannel(scenario.fixture.app, person.id, channel.id)).toBe(true);
  });

  it('stops working when it is revoked, which is impossible after it was accepted', async () => {
    const first = await invite(person.email);
    const other = await invite(person.email);
    const mark = auditMark(scenario.fixture);
    expect((await scenario.admin.delete(`/api/v1/channel-invites/${first.identifier}`)).status).toBe(204);
    expect(auditRows(scenario.fixture, { after: mark })).toMatchObject([
      { event: 'revoked', type: 'channel_tester_invite' },
    ]);
    expectRefusal(await accept(person, first.invite_token), 404, 'not_found');
    expect((await preview(other.invite_token)).status).toBe(200);
    const second = await invite(person.email);
    await accept(person, second.invite_token);
    expectRefusal(await scenario.admin.delete(`/api/v1/channel-invites/${second.identifier}`), 404, 'not_found');
  });

  it('emails an address once in a few minutes per channel, regardless of the number of invitations', async () => {
    const made = [await invite(person.email), await invite(person.email)];
    expect(mailsTo(scenario.fixture, person.email)).toHaveLength(1);
    scenario.fixture.clock.advance(5 * MINUTE);
    await invite(person.email);
    expect(mailsTo(scenario.fixture, person.email)).toHaveLength(2);
    expect((await preview(made[1]?.invite_token ?? '')).status).toBe(200);
    await scenario.admin.post('/api/v1/channel-invites', undefined, channel.query);
    const { db } = scenario.fixture.app;
    const mails = db.select().from(outboxMails).where(eq(outboxMails.kind, 'channel_invitation')).all();
    expect(mails.every(({ recipient }) => recipient !== '')).toBe(true);
  });

  it('is not consumed in a locked organization', async () => {
    const { invite_token: token } = await invite(person.email);
    const { db } = scenario.fixture.app;
    const lock = (lockReason: 'suspended' | null) =>
      db.update(organizations).set({ lockReason }).where(eq(organizations.id, scenario.fixture.organization_id)).run();
    lock('suspended');
    const refused = await accept(person, token);
    lock(null);
    expectRefusal(refused, 402, 'billing_suspended');
    expect((await accept(person, token)).status).toBe(200);
  });

  it('changes nothing for people who have access already', async () => {
    for (const _time of [1, 2]) {
      const { invite_token: token } = await invite(person.email);
      expect((await accept(person, token)).status).toBe(200);
    }
    const { body } = await scenario.admin.get<{ items: { grants: unknown[] }[] }>(`${channel.path}/testers`);
    expect(body.items.map(({ grants }) => grants.length)).toEqual([1]);
  });

  it('works only for a channel of the project', async () => {
    const elsewhere = { ...channel.query, project_id: scenario.fixture.ios_project_id };
    expectRefusal(await scenario.admin.post('/api/v1/channel-invites', {}, elsewhere), 404, 'not_found');
    expectRefusal(await scenario.admin.get('/api/v1/channel-invites', elsewhere), 404, 'not_found');
  });
});
