// An account created with a copied link, whose address someone else verifies: what the first holder could still use ends.
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { developers, deviceEnrollments, knownNetworks } from '../../src/data/tables/tables.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import { api, auditRows, type Client, expectRefusal, type Json, type Page } from '../support/harness.ts';
import { mailsTo } from '../support/mailbox.ts';
import { addTeam } from '../support/people.ts';

const PASSWORD = 'a long enough password';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture?.stop());

interface Created extends Json {
  identifier: string;
}

interface Invitation extends Created {
  accept_url: string;
}

const lastSegment = (url: unknown) => String(url).split('/').at(-1) ?? '';

async function create<Body extends Json = Created>(
  client: Client,
  path: string,
  body: Json,
  query?: Record<string, string>,
): Promise<Body> {
  const answer = await client.post<Body>(path, body, query);
  expect([answer.status, answer.text]).toEqual([201, expect.any(String)]);
  return answer.body;
}

async function signUp(token: string, password: string): Promise<Client> {
  const answer = await api(fixture, null).post<{ access_token: string }>('/api/v1/invites/project/sign-up', {
    invite_token: token,
    display_name: 'First Holder',
    password,
  });
  expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
  return api(fixture, answer.body.access_token);
}

/** A team with an account that the holder of a copied link created, and everything that it can create. */
async function scene() {
  const team = await addTeam(fixture);
  const { organizationId, projectId, projectPath, organizationPath, admin } = team;
  const place = { organization_id: organizationId, project_id: projectId };
  const email = `guest-${fixture.app.ids.next()}@guests.example`;
  const invitation = await create<Invitation>(admin.client, `${projectPath}/invites`, { email, role: 'admin' });
  const first = await signUp(lastSegment(invitation.accept_url), PASSWORD);
  const channel = await create(admin.client, '/api/v1/channels', { name: 'beta' }, place);
  const token = await create<Created & { token: string }>(
    first,
    '/api/v1/project-access-tokens',
    { name: 'pipeline', role: 'read' },
    place,
  );
  const share = await create<Created & { url: string }>(
    first,
    '/api/v1/share-links',
    { channel_id: channel.identifier },
    place,
  );
  const feed = await create<Created & { token: string }>(
    first,
    `/api/v1/channels/${channel.identifier}/feed-tokens`,
    {},
  );
  const join = await create<Created & { join_url: string }>(
    first,
    `/api/v1/channels/${channel.identifier}/join-links`,
    {},
  );
  const invited = await create<Invitation>(first, `${projectPath}/invites`, {
    email: `friend-${fixture.app.ids.next()}@friends.example`,
    role: 'read',
  });
  const tester = await create<Created & { invite_token: string }>(
    first,
    '/api/v1/channel-invites',
    {},
    { ...place, channel_id: channel.identifier },
  );
  const enrollment = await create<Json & { url: string }>(
    first,
    '/api/v1/testers/me/devices/enrollments',
    {},
    { organization_id: organizationId },
  );
  const account = fixture.app.db.select().from(developers).where(eq(developers.email, email)).get();
  return {
    ...team,
    place,
    email,
    id: account?.id ?? '',
    channel,
    made: { token, share, feed, join, invited, tester, enrollment },
    organizationPath,
  };
}

/** The owner of the address signs up with the link in an email. */
async function takeOver(email: string): Promise<Client> {
  const other = await addTeam(fixture);
  await create(other.admin.client, `${other.projectPath}/invites`, { email, role: 'read' });
  const text = mailsTo(fixture, email).at(-1)?.text ?? '';
  return signUp(/\/invite\/\w+\/([\w-]+)/.exec(text)?.[1] ?? '', 'the password of the owner');
}

const eventsOf = (identifier: string) => auditRows(fixture, { identifier }).map(({ event }) => event);

it('ends what the first holder of a vouched account gave to others', async () => {
  const { made, email, id, place, channel, projectPath, admin, outsider } = await scene();
  const pipeline = api(fixture, made.token.token);
  const visitor = api(fixture, null);
  const sharePath = new URL(made.share.url).pathname;
  const feedPath = `/feeds/${made.feed.token}/atom.xml`;
  const joinPath = new URL(made.join.join_url).pathname;
  const enrollPath = new URL(made.enrollment.url).pathname;
  const invitePreview = `/api/v1/invites/project/${lastSegment(made.invited.accept_url)}/preview`;
  const testerPreview = `/api/v1/testers/invites/${made.tester.invite_token}/preview`;
  expect((await pipeline.get(projectPath)).status).toBe(200);
  for (const path of [sharePath, feedPath, joinPath, enrollPath, invitePreview, testerPreview]) {
    expect([path, (await visitor.get(path)).status]).toEqual([path, 200]);
  }

  const owner = await takeOver(email);
  expectRefusal(await pipeline.get(projectPath), 401, 'unauthorized');
  for (const path of [sharePath, feedPath, joinPath, invitePreview, testerPreview]) {
    expect([path, (await visitor.get(path)).status]).toEqual([path, 404]);
  }
  expect((await visitor.get(enrollPath)).status).toBe(404);
  expect(fixture.app.db.select().from(deviceEnrollments).where(eq(deviceEnrollments.developerId, id)).all()).toEqual(
    [],
  );
  expect(fixture.app.db.select().from(knownNetworks).where(eq(knownNetworks.developerId, id)).all()).toHaveLength(1);
  const accepted = await outsider.client.post('/api/v1/testers/invites/accept', {
    invite_token: made.tester.invite_token,
  });
  expectRefusal(accepted, 404, 'not_found');

  const links = await owner.get<Page<Json>>('/api/v1/share-links', place);
  expect(links.body.items).toMatchObject([{ identifier: made.share.identifier, state: 'revoked', created_by: id }]);
  const joins = await owner.get<Page<Json>>(`/api/v1/channels/${channel.identifier}/join-links`);
  expect(joins.body.items).toMatchObject([{ identifier: made.join.identifier, state: 'revoked' }]);
  const open = await owner.get<Page<Json>>(`${projectPath}/invites`, { include: 'ended' });
  expect(open.body.items).toMatchObject([{ identifier: made.invited.identifier, state: 'lapsed' }]);
  for (const { identifier } of [made.share, made.feed, made.join, made.invited, made.tester]) {
    expect(eventsOf(identifier)).toEqual(['created', 'revoked']);
    expect(auditRows(fixture, { identifier }).at(-1)?.details).toMatchObject({ reason: 'account_taken_over' });
  }

  // The admins are told, and one takes the token over. Its secret stays the same, so that pipelines continue.
  await fixture.app.jobs.drain();
  const told = mailsTo(fixture, admin.email).at(-1);
  expect(told?.subject).toBe('Access tokens of \u201cCrane\u201d need a new owner');
  expect(told?.text).toContain('was taken over by the owner of its email address');
  const taken = await admin.client.post(`/api/v1/project-access-tokens/${made.token.identifier}/take-over`);
  expect(taken.status, taken.text).toBe(200);
  expect((await pipeline.get(projectPath)).status).toBe(200);
});

it('keeps all of it for a person who confirms the address with the link of the account', async () => {
  const { made, email, projectPath } = await scene();
  const visitor = api(fixture, null);
  expect((await visitor.post('/api/v1/developers/resend_verification', { email })).status).toBe(202);
  await fixture.app.jobs.drain();
  const text = mailsTo(fixture, email).at(-1)?.text ?? '';
  const token = /token=(\S+)/.exec(text)?.[1];
  expect((await visitor.post('/api/v1/developers/verify_email', { token })).status).toBe(200);
  expect((await api(fixture, made.token.token).get(projectPath)).status).toBe(200);
  expect((await visitor.get(new URL(made.share.url).pathname)).status).toBe(200);
  expect((await visitor.get(new URL(made.join.join_url).pathname)).status).toBe(200);
  expect((await visitor.get(new URL(made.enrollment.url).pathname)).status).toBe(200);
  expect(eventsOf(made.invited.identifier)).toEqual(['created']);
});
