// How many emails a person can have sent to an address by inviting it, whatever they create and delete in between.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MINUTE } from '../../src/lib/clock.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import { SENDS_MAIL } from '../support/email-sign-in.ts';
import { api, type Client, expectRefusal, type Json } from '../support/harness.ts';
import { addPerson, addProject, addTeam, signInPerson } from '../support/people.ts';

const COOLDOWN_MINUTES = 60;
const LIMIT = 20;

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture({ config: { limits: { transactional_email_minutes: COOLDOWN_MINUTES } } });
});
afterAll(() => fixture?.stop());

const newAddress = () => `guest-${fixture.app.ids.next()}@example.test`;
const mailsTo = (email: string) => fixture.mail.messages.filter(({ to }) => to === email).length;

async function create(client: Client, path: string, body: Json): Promise<Json> {
  const answer = await client.post(path, body);
  expect([answer.status, answer.text]).toEqual([201, expect.any(String)]);
  return answer.body;
}

function expectLimit(answer: Parameters<typeof expectRefusal>[0], minutes = COOLDOWN_MINUTES): void {
  const { retry_after_seconds: seconds } = expectRefusal(answer, 429, 'rate_limit_exceeded');
  expect([seconds, answer.headers.get('retry-after')]).toEqual([minutes * 60, String(minutes * 60)]);
}

/** Invites the address and revokes the invitation. */
async function inviteInVain(client: Client, path: string, email: string): Promise<void> {
  const { identifier } = await create(client, path, { email, role: 'member' });
  expect((await client.delete(`${path}/${identifier}`)).status).toBe(204);
}

describe('member invitations that are revoked and sent again', () => {
  it('email an address 20 times within the cooldown, for each sender', async () => {
    const team = await addTeam(fixture);
    const path = `${team.organizationPath}/invites`;
    const email = newAddress();
    for (let sent = 0; sent < LIMIT; sent += 1) await inviteInVain(team.admin.client, path, email);
    expect(mailsTo(email)).toBe(LIMIT);

    expectLimit(await team.admin.client.post(path, { email, role: 'member' }));
    expectLimit(await team.admin.client.post(`${team.projectPath}/invites`, { email, role: 'read' }));
    expect((await team.admin.client.get<{ items: Json[] }>(path)).body.items).toEqual([]);
    expect(mailsTo(email)).toBe(LIMIT);
    // Neither other addresses nor other senders are limited by it.
    await inviteInVain(team.admin.client, path, newAddress());
    await inviteInVain(team.manager.client, path, email);
    expect(mailsTo(email)).toBe(LIMIT + 1);

    fixture.clock.advance(COOLDOWN_MINUTES * MINUTE);
    const later = api(fixture, await signInPerson(fixture, team.admin));
    await inviteInVain(later, path, email);
    expect(mailsTo(email)).toBe(LIMIT + 2);
  });
});

describe('access to ever new projects and channels', () => {
  it('is granted without an email after 20 to an address within the cooldown', async () => {
    const { admin, organizationId, organizationPath, projectId } = await addTeam(fixture);
    const email = newAddress();
    const first = await create(admin.client, `${organizationPath}/testers`, { email });
    for (let sent = 1; sent < LIMIT; sent += 1) {
      const id = await addProject(admin.client, organizationId, { name: `Project ${sent}` });
      await create(admin.client, `/api/v1/projects/${id}/testers`, { email });
      expect((await admin.client.delete(`/api/v1/projects/${id}`)).status).toBe(204);
    }
    expect(mailsTo(email)).toBe(LIMIT);

    const testers = `/api/v1/projects/${projectId}/testers`;
    const grant = await create(admin.client, testers, { email });
    // The time of the earliest email that withholds another one.
    expect(grant).toMatchObject({ status: 'pending', notified_at: first.notified_at });
    const group = await create(admin.client, `${organizationPath}/tester-groups`, { name: 'Everyone' });
    await create(admin.client, `${organizationPath}/tester-groups/${group.identifier}/members`, { email });
    const place = { organization_id: organizationId, project_id: projectId };
    const channel = await admin.client.post('/api/v1/channels', { name: 'Beta' }, place);
    const query = { ...place, channel_id: String(channel.body.identifier) };
    const invited = await admin.client.post('/api/v1/channel-invites', { email }, query);
    expect(invited.status).toBe(201);
    expectLimit(await admin.client.post(`${organizationPath}/invites`, { email, role: 'member' }));
    expect(mailsTo(email)).toBe(LIMIT);
    // Nobody else is kept from emailing the person.
    const colleague = await addPerson(fixture, { organizations: { [organizationId]: 'manager' } });
    const resent = await colleague.client.post(`${testers}/${grant.identifier}/notify`);
    expectRefusal(resent, 429, 'rate_limit_exceeded');
    await create(colleague.client, `${organizationPath}/invites`, { email, role: 'member' });
    expect(mailsTo(email)).toBe(LIMIT + 1);
    expect((await admin.client.delete(`${testers}/${grant.identifier}`)).status).toBe(204);
    await create(colleague.client, testers, { email });
    await colleague.client.post('/api/v1/channel-invites', { email }, query);
    expect(mailsTo(email)).toBe(LIMIT + 3);
  });

  it('cannot be announced again until then', async () => {
    const { admin, organizationId } = await addTeam(fixture);
    const email = newAddress();
    const paths: string[] = [];
    for (let sent = 0; sent < LIMIT; sent += 1) {
      const id = await addProject(admin.client, organizationId, { name: `Project ${sent}` });
      const grant = await create(admin.client, `/api/v1/projects/${id}/testers`, { email });
      paths.push(`/api/v1/projects/${id}/testers/${grant.identifier}/notify`);
    }
    const { tester_notification_resend_minutes: minutes } = fixture.config.limits;
    fixture.clock.advance(minutes * MINUTE);
    const later = api(fixture, await signInPerson(fixture, admin));
    expectLimit(await later.post(String(paths[0])), COOLDOWN_MINUTES - minutes);
    expect(mailsTo(email)).toBe(LIMIT);
    fixture.clock.advance(COOLDOWN_MINUTES * MINUTE);
    const muchLater = api(fixture, await signInPerson(fixture, admin));
    expect((await muchLater.post(String(paths[0]))).status).toBe(200);
    expect(mailsTo(email)).toBe(LIMIT + 1);
  });
});

describe('emails to ever new addresses', () => {
  const RATE = { requests: 3, per_seconds: 3600 };
  let world: Fixture;
  beforeAll(async () => {
    world = await startFixture({
      config: {
        mail: SENDS_MAIL,
        rate_limits: { enabled: true, emails: RATE },
      },
    });
  });
  afterAll(() => world?.stop());

  const sentMails = () => world.mail.messages.filter(({ to }) => to.startsWith('guest-')).length;
  const newGuest = () => ({ email: `guest-${world.app.ids.next()}@example.test` });

  it('are not counted on a server that sends none', async () => {
    const unmailed = await startFixture({ config: { rate_limits: { enabled: true, emails: RATE } } });
    try {
      const { admin, organizationPath } = await addTeam(unmailed);
      for (let added = 0; added <= RATE.requests; added += 1) {
        await create(admin.client, `${organizationPath}/testers`, newGuest());
      }
    } finally {
      await unmailed.stop();
    }
  });

  it('are refused after too many from one account, for every kind of invitation', async () => {
    const { admin, manager, organizationId, organizationPath, projectId, projectPath } = await addTeam(world);
    const { client } = admin;
    const place = { organization_id: organizationId, project_id: projectId };
    const channel = await client.post('/api/v1/channels', { name: 'Beta' }, place);
    const group = await create(client, `${organizationPath}/tester-groups`, { name: 'Everyone' });
    const toChannel = { ...place, channel_id: String(channel.body.identifier) };
    await create(client, `${organizationPath}/invites`, { ...newGuest(), role: 'member' });
    await create(client, `${organizationPath}/testers`, newGuest());
    expect((await client.post('/api/v1/channel-invites', newGuest(), toChannel)).status).toBe(201);
    expect(sentMails()).toBe(3);

    const refused = [
      await client.post(`${organizationPath}/invites`, { ...newGuest(), role: 'member' }),
      await client.post(`${projectPath}/invites`, { ...newGuest(), role: 'read' }),
      await client.post(`${organizationPath}/testers`, newGuest()),
      await client.post(`${organizationPath}/tester-groups/${group.identifier}/members`, newGuest()),
      await client.post('/api/v1/channel-invites', newGuest(), toChannel),
    ];
    for (const answer of refused) {
      expectRefusal(answer, 429, 'rate_limit_exceeded');
      expect(answer.headers.get('retry-after')).toBe('1200');
    }
    // Tokens of a project count as their owner.
    const { body: token } = await client.post(
      '/api/v1/project-access-tokens',
      { name: 'ci', role: 'maintainer' },
      place,
    );
    const byToken = await api(world, String(token.token)).post('/api/v1/channel-invites', newGuest(), toChannel);
    expectRefusal(byToken, 429, 'rate_limit_exceeded');
    // Nothing was created, and links without an email aren't limited.
    const listOf = async (path: string) => (await client.get<{ items: Json[] }>(path)).body.items.length;
    expect([await listOf(`${organizationPath}/invites`), await listOf(`${organizationPath}/testers`)]).toEqual([1, 1]);
    expect((await client.post('/api/v1/channel-invites', {}, toChannel)).status).toBe(201);
    expect(sentMails()).toBe(3);

    await create(manager.client, `${organizationPath}/invites`, { ...newGuest(), role: 'member' });
    expect(sentMails()).toBe(4);
    world.clock.advance(20 * MINUTE);
    const later = api(world, await signInPerson(world, admin));
    await create(later, `${organizationPath}/testers`, newGuest());
    expectRefusal(await later.post(`${organizationPath}/testers`, newGuest()), 429, 'rate_limit_exceeded');
    expect(sentMails()).toBe(5);
  });
});
