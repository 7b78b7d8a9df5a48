// Actions on builds, channels, releases, testers and SDK apps, with the audit rows of each.
import { eq } from 'drizzle-orm';
import { releases } from '../../src/data/tables/tables.ts';
import { DAY } from '../../src/lib/clock.ts';
import { browse } from '../feedback/scenario.ts';
import { sha256 } from '../support/fixtures.ts';
import { api, type Client } from '../support/harness.ts';
import { newestToken } from '../support/mailbox.ts';
import { addPerson } from '../support/people.ts';
import { addBuild, addRelease } from '../sweeps/scenario.ts';
import { type Act, type AuditScenario, done, made } from './scenario.ts';

const admin = ({ fixture }: AuditScenario): Client => api(fixture);
const organization = ({ fixture }: AuditScenario, path = '') =>
  `/api/v1/organizations/${fixture.organization_id}${path}`;
const project = ({ fixture }: AuditScenario, path = '') => `/api/v1/projects/${fixture.android_project_id}${path}`;
const inProject = ({ fixture }: AuditScenario) => ({
  organization_id: fixture.organization_id,
  project_id: fixture.android_project_id,
});
const inChannel = (scenario: AuditScenario) => ({ ...inProject(scenario), channel_id: scenario.fixture.channel_id });

async function upload(scenario: AuditScenario, buildNumber: number): Promise<string> {
  const bytes = Buffer.from('not quite a package');
  const body = { version_name: '1.0', build_number: buildNumber };
  const pending = await done(admin(scenario).post('/api/v1/builds/initiate', body, inProject(scenario)));
  const headers = pending.required_headers as Record<string, string>;
  await (await fetch(String(pending.upload_url), { method: 'PUT', headers, body: bytes })).text();
  const path = `/api/v1/builds/${pending.pending_upload_id}/complete`;
  return made(admin(scenario).post(path, { sha256: sha256(bytes) }, inProject(scenario)));
}

const release = (scenario: AuditScenario, buildId: string) =>
  made(admin(scenario).post('/api/v1/releases', { build_id: buildId }, inChannel(scenario)));

/** Someone who makes an account and proves their address. */
async function join(scenario: AuditScenario, email: string, joinToken?: string): Promise<void> {
  const anonymous = api(scenario.fixture, null);
  const body = { email, password: 'a staple of horses', display_name: 'Newcomer', join_token: joinToken };
  await done(anonymous.post('/api/v1/developers', body));
  const token = newestToken(scenario.fixture, email, /Confirm your email/);
  await done(anonymous.post('/api/v1/developers/verify_email', { token }));
}

export const deliveryActs: Act[] = [
  [
    'upload a build, edit, revoke and delete it',
    [
      'created build',
      'edited build',
      'pinned build',
      'unpinned build',
      'revoked build',
      'redundant_action build',
      'deleted build',
    ],
    async (scenario) => {
      const path = `/api/v1/builds/${await upload(scenario, 1)}`;
      await done(admin(scenario).patch(path, { release_notes: 'Faster' }));
      await done(admin(scenario).post(`${path}/pin`));
      await done(admin(scenario).post(`${path}/unpin`));
      await done(admin(scenario).post(`${path}/revoke`));
      await done(admin(scenario).post(`${path}/revoke`));
      await done(admin(scenario).delete(path));
    },
  ],
  [
    'create, edit and delete a channel',
    ['created channel', 'edited channel', 'deleted channel'],
    async (scenario) => {
      const id = await made(admin(scenario).post('/api/v1/channels', { name: 'alpha' }, inProject(scenario)));
      await done(admin(scenario).patch(`/api/v1/channels/${id}`, { name: 'gamma' }));
      await done(admin(scenario).delete(`/api/v1/channels/${id}`));
    },
  ],
  [
    'release, edit, disable and enable, roll back and delete',
    [
      'created build',
      'created build',
      'created release',
      'created release',
      'edited release',
      'edited release',
      'redundant_action release',
      'edited release',
      'rolled_back release',
      'deleted release',
    ],
    async (scenario) => {
      const [one, two] = [await upload(scenario, 2), await upload(scenario, 3)];
      const first = `/api/v1/releases/${await release(scenario, one)}`;
      await release(scenario, two);
      await done(admin(scenario).patch(first, { mandatory: true }));
      for (const action of ['disable', 'disable', 'enable']) await done(admin(scenario).post(`${first}/${action}`));
      await done(admin(scenario).post('/api/v1/releases/rollback', {}, inChannel(scenario)));
      await done(admin(scenario).delete(first));
    },
  ],
  ...(['org', 'project'] as const).map(
    (tier): Act => [
      `give testers access to the ${tier}, with an account and without one`,
      [
        `created ${tier}_tester_grant`,
        `created ${tier}_tester_grant`,
        `reinvited ${tier}_tester_grant`,
        'created developer',
        'email_verified developer',
        `accepted ${tier}_tester_grant`,
        `deleted ${tier}_tester_grant`,
      ],
      async (scenario) => {
        const path = tier === 'org' ? organization(scenario, '/testers') : project(scenario, '/testers');
        const { email } = await addPerson(scenario.fixture);
        const id = await made(admin(scenario).post(path, { email }));
        const waiting = { email: `waits-for-${tier}@example.com` };
        await done(admin(scenario).post(`${path}/${await made(admin(scenario).post(path, waiting))}/notify`));
        await join(scenario, waiting.email);
        await done(admin(scenario).delete(`${path}/${id}`));
      },
    ],
  ),
  [
    'invite to a channel, accept, revoke, mute and remove',
    [
      'created channel_tester_invite',
      'accepted channel_tester_invite',
      'created channel_tester_grant',
      'edited developer',
      'created channel_tester_invite',
      'revoked channel_tester_invite',
      'deleted channel_tester_grant',
    ],
    async (scenario) => {
      const person = await addPerson(scenario.fixture);
      const path = '/api/v1/channel-invites';
      const wanted = { email: person.email };
      const { invite_token } = await done(admin(scenario).post(path, wanted, inChannel(scenario)));
      await done(person.client.post('/api/v1/testers/invites/accept', { invite_token }));
      const preference = `/api/v1/testers/me/channels/${scenario.fixture.channel_id}/notification-preference`;
      await done(person.client.put(preference, { muted: true }));
      await done(admin(scenario).delete(`${path}/${await made(admin(scenario).post(path, {}, inChannel(scenario)))}`));
      const grant = scenario.fixture.app.db.$client
        .prepare('SELECT id FROM tester_grants WHERE developer_id = ? AND channel_id IS NOT NULL')
        .pluck()
        .get(person.id);
      await done(admin(scenario).delete(`/api/v1/channels/${scenario.fixture.channel_id}/testers/${grant}`));
    },
  ],
  [
    'create join links, join with one and by signing up with it, and revoke them',
    [
      'created join_link',
      'accepted join_link',
      'created channel_tester_grant',
      'created developer',
      'email_verified developer',
      'accepted join_link',
      'created channel_tester_grant',
      'revoked join_link',
      'created join_link',
      'revoked join_link',
      'edited project_membership',
    ],
    async (scenario) => {
      const { fixture } = scenario;
      const path = `/api/v1/channels/${fixture.channel_id}/join-links`;
      const body = { label: 'Meetup', max_people: 50 };
      const link = await done(admin(scenario).post(path, body));
      const address = new URL(String(link.join_url)).pathname;
      const person = await addPerson(fixture);
      const headers = { cookie: `svc_access=${person.accessToken}`, 'sec-fetch-site': 'same-origin' };
      await (await fetch(fixture.url + address, { method: 'POST', headers, redirect: 'manual' })).text();
      await join(scenario, 'joins-by-link@example.com', address.split('/').at(-1));
      await done(admin(scenario).delete(`${path}/${link.identifier}`));
      const maintainer = await addPerson(fixture, {
        organizations: { [fixture.organization_id]: 'member' },
        projects: { [fixture.android_project_id]: 'maintainer' },
      });
      await made(maintainer.client.post(path, body));
      await done(admin(scenario).patch(project(scenario, `/members/${maintainer.id}`), { role: 'read' }));
    },
  ],
  [
    'ask for access to a private channel, grant and decline',
    [
      'created channel',
      'created access_request',
      'created access_request',
      'accepted access_request',
      'created channel_tester_grant',
      'revoked access_request',
    ],
    async (scenario) => {
      const body = { name: 'Private', public: false };
      const channelId = await made(admin(scenario).post('/api/v1/channels', body, inProject(scenario)));
      for (let number = 0; number < 2; number += 1) {
        const { accessToken } = await addPerson(scenario.fixture);
        const headers = { cookie: `svc_access=${accessToken}`, 'sec-fetch-site': 'same-origin' };
        const path = `/install/channels/${channelId}/access-request`;
        const asked = await fetch(scenario.fixture.url + path, { method: 'POST', headers });
        if (asked.status !== 200) throw new Error(`asked: ${asked.status}`);
      }
      const path = `/api/v1/channels/${channelId}/access-requests`;
      const { items } = (await done(admin(scenario).get(path))) as { items: { identifier: string }[] };
      const answer = '/api/v1/channel-access-requests';
      await done(admin(scenario).post(`${answer}/${items[0]?.identifier}/grant`));
      await done(admin(scenario).post(`${answer}/${items[1]?.identifier}/decline`));
    },
  ],
  [
    'share a channel and a build, and revoke a link',
    ['created build', 'created share_link', 'created share_link', 'revoked share_link'],
    async (scenario) => {
      const path = '/api/v1/share-links';
      const { channel_id } = scenario.fixture;
      const buildId = await upload(scenario, 7);
      const id = await made(admin(scenario).post(path, { channel_id, note: 'Press' }, inProject(scenario)));
      await made(admin(scenario).post(path, { build_id: buildId }, inProject(scenario)));
      await done(admin(scenario).post(`${path}/${id}/revoke`));
    },
  ],
  [
    'create and revoke a feed token',
    ['created feed_token', 'revoked feed_token'],
    async (scenario) => {
      const path = `/api/v1/channels/${scenario.fixture.channel_id}/feed-tokens`;
      const id = await made(admin(scenario).post(path, { note: 'Pixel' }));
      await done(admin(scenario).delete(`/api/v1/feed-tokens/${id}`));
    },
  ],
  [
    'open and close the preview of a pull request',
    ['created channel', 'opened preview', 'deleted channel', 'ended preview'],
    async (scenario) => {
      const id = await made(admin(scenario).post('/api/v1/previews', { pull_request: 7 }, inProject(scenario)));
      await done(admin(scenario).delete(`/api/v1/previews/${id}`));
    },
  ],
  [
    'send feedback from an install page, mark it as done, reply and delete it',
    ['created feedback', 'edited feedback', 'replied feedback', 'deleted feedback'],
    async (scenario) => {
      const { fixture } = scenario;
      const path = project(scenario, '/feedback');
      const tester = await addPerson(fixture);
      const page = `/install/channels/${fixture.channel_id}/feedback`;
      const sent = await browse(fixture, page, tester, { text: 'It crashes' });
      if (sent.title !== 'Thank you') throw new Error(`sent: ${sent.status}`);
      const { items } = (await done(admin(scenario).get(path))) as { items: { identifier: string }[] };
      const one = `${path}/${items[0]?.identifier}`;
      await done(admin(scenario).patch(one, { state: 'done' }));
      await done(admin(scenario).post(`${one}/replies`, { text: 'Fixed' }));
      await done(admin(scenario).delete(one));
    },
  ],
  [
    'create, change and delete a tester group',
    [
      'created tester_group',
      'edited tester_group',
      'created tester_group_member',
      'created tester_group_grant',
      'created developer',
      'email_verified developer',
      'accepted tester_group_member',
      'deleted tester_group_member',
      'deleted tester_group_grant',
      'deleted tester_group',
    ],
    async (scenario) => {
      const path = organization(scenario, '/tester-groups');
      const group = `${path}/${await made(admin(scenario).post(path, { name: 'QA' }))}`;
      await done(admin(scenario).patch(group, { notify_on_release: false }));
      const member = await made(admin(scenario).post(`${group}/members`, { email: 'qa@example.com' }));
      const grant = await made(admin(scenario).post(`${group}/grants`, { channel_id: scenario.fixture.channel_id }));
      await join(scenario, 'qa@example.com');
      await done(admin(scenario).delete(`${group}/members/${member}`));
      await done(admin(scenario).delete(`${group}/grants/${grant}`));
      await done(admin(scenario).delete(group));
    },
  ],
  [
    'create, change and delete an SDK app',
    [
      'created sdk_app',
      'edited sdk_app',
      'edited sdk_app',
      'revoked sdk_app',
      'redundant_action sdk_app',
      'deleted sdk_app',
    ],
    async (scenario) => {
      const path = '/api/v1/sdk-apps';
      const body = { name: 'Runner', channel_id: scenario.fixture.channel_id };
      const app = `${path}/${await made(admin(scenario).post(path, body, inProject(scenario)))}`;
      await done(admin(scenario).patch(app, { name: 'Walker' }));
      await done(admin(scenario).post(`${app}/rotate-secret`));
      await done(admin(scenario).post(`${app}/revoke`));
      await done(admin(scenario).post(`${app}/revoke`));
      await done(admin(scenario).delete(app));
    },
  ],
  [
    'delete a build that its channel lets go, and one that is older than the plan keeps builds',
    ['created channel', 'deleted release', 'build_retention_expired build', 'build_retention_expired build'],
    async (scenario) => {
      const { fixture } = scenario;
      const rule = { name: 'short', keep_last: 1 };
      const channelId = await made(admin(scenario).post('/api/v1/channels', rule, inProject(scenario)));
      for (const number of [97, 98]) {
        const id = addRelease(fixture, await addBuild(fixture, number, 0));
        fixture.app.db.update(releases).set({ channelId }).where(eq(releases.id, id)).run();
      }
      await addBuild(fixture, 99, 1_000 * DAY);
      await fixture.sweep('build-retention');
      fixture.clock.advance(7 * DAY);
      await fixture.sweep('build-retention');
    },
  ],
];
