// Actions on builds, channels, releases, testers and SDK apps, with the audit rows of each.
import { DAY } from '../../src/lib/clock.ts';
import { sha256 } from '../support/fixtures.ts';
import { api, type Client } from '../support/harness.ts';
import { newestToken } from '../support/mailbox.ts';
import { addPerson } from '../support/people.ts';
import { addBuild } from '../sweeps/scenario.ts';
import { type Act, done, made, type Stage } from './scenario.ts';

const admin = ({ fixture }: Stage): Client => api(fixture);
const organization = ({ fixture }: Stage, path = '') => `/api/v1/organizations/${fixture.organization_id}${path}`;
const project = ({ fixture }: Stage, path = '') => `/api/v1/projects/${fixture.android_project_id}${path}`;
const inProject = ({ fixture }: Stage) => ({
  organization_id: fixture.organization_id,
  project_id: fixture.android_project_id,
});
const inChannel = (stage: Stage) => ({ ...inProject(stage), channel_id: stage.fixture.channel_id });

async function upload(stage: Stage, buildNumber: number): Promise<string> {
  const bytes = Buffer.from('not quite a package');
  const body = { version_name: '1.0', build_number: buildNumber };
  const pending = await done(admin(stage).post('/api/v1/builds/initiate', body, inProject(stage)));
  const headers = pending.required_headers as Record<string, string>;
  await (await fetch(String(pending.upload_url), { method: 'PUT', headers, body: bytes })).text();
  const path = `/api/v1/builds/${pending.pending_upload_id}/complete`;
  return made(admin(stage).post(path, { sha256: sha256(bytes) }, inProject(stage)));
}

const release = (stage: Stage, buildId: string) =>
  made(admin(stage).post('/api/v1/releases', { build_id: buildId }, inChannel(stage)));

/** Somebody who makes an account and proves their address. */
async function join(stage: Stage, email: string): Promise<void> {
  const anonymous = api(stage.fixture, null);
  const body = { email, password: 'a staple of horses', display_name: 'Newcomer' };
  await done(anonymous.post('/api/v1/developers', body));
  const token = newestToken(stage.fixture, email, /Confirm your email/);
  await done(anonymous.post('/api/v1/developers/verify_email', { token }));
}

export const deliveryActs: Act[] = [
  [
    'upload a build, edit, revoke and delete it',
    ['created build', 'edited build', 'revoked build', 'redundant_action build', 'deleted build'],
    async (stage) => {
      const path = `/api/v1/builds/${await upload(stage, 1)}`;
      await done(admin(stage).patch(path, { release_notes: 'Faster' }));
      await done(admin(stage).post(`${path}/revoke`));
      await done(admin(stage).post(`${path}/revoke`));
      await done(admin(stage).delete(path));
    },
  ],
  [
    'make a channel, edit and delete it',
    ['created channel', 'edited channel', 'deleted channel'],
    async (stage) => {
      const id = await made(admin(stage).post('/api/v1/channels', { name: 'alpha' }, inProject(stage)));
      await done(admin(stage).patch(`/api/v1/channels/${id}`, { name: 'gamma' }));
      await done(admin(stage).delete(`/api/v1/channels/${id}`));
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
    async (stage) => {
      const [one, two] = [await upload(stage, 2), await upload(stage, 3)];
      const first = `/api/v1/releases/${await release(stage, one)}`;
      await release(stage, two);
      await done(admin(stage).patch(first, { mandatory: true }));
      for (const action of ['disable', 'disable', 'enable']) await done(admin(stage).post(`${first}/${action}`));
      await done(admin(stage).post('/api/v1/releases/rollback', {}, inChannel(stage)));
      await done(admin(stage).delete(first));
    },
  ],
  ...(['org', 'project'] as const).map(
    (tier): Act => [
      `give testers access to the ${tier}: at once, and waiting for an account`,
      [
        `created ${tier}_tester_grant`,
        `created ${tier}_tester_grant`,
        `reinvited ${tier}_tester_grant`,
        'created developer',
        'email_verified developer',
        `accepted ${tier}_tester_grant`,
        `deleted ${tier}_tester_grant`,
      ],
      async (stage) => {
        const path = tier === 'org' ? organization(stage, '/testers') : project(stage, '/testers');
        const { email } = await addPerson(stage.fixture);
        const id = await made(admin(stage).post(path, { email }));
        const waiting = { email: `waits-for-${tier}@example.com` };
        await done(admin(stage).post(`${path}/${await made(admin(stage).post(path, waiting))}/notify`));
        await join(stage, waiting.email);
        await done(admin(stage).delete(`${path}/${id}`));
      },
    ],
  ),
  [
    'invite to a channel, accept, take back, mute and remove',
    [
      'created channel_tester_invite',
      'accepted channel_tester_invite',
      'created channel_tester_grant',
      'edited developer',
      'created channel_tester_invite',
      'revoked channel_tester_invite',
      'deleted channel_tester_grant',
    ],
    async (stage) => {
      const person = await addPerson(stage.fixture);
      const path = '/api/v1/channel-invites';
      const wanted = { email: person.email };
      const { invite_token } = await done(admin(stage).post(path, wanted, inChannel(stage)));
      await done(person.client.post('/api/v1/testers/invites/accept', { invite_token }));
      const preference = `/api/v1/testers/me/channels/${stage.fixture.channel_id}/notification-preference`;
      await done(person.client.put(preference, { muted: true }));
      await done(admin(stage).delete(`${path}/${await made(admin(stage).post(path, {}, inChannel(stage)))}`));
      const grant = stage.fixture.app.db.$client
        .prepare('SELECT id FROM tester_grants WHERE developer_id = ? AND channel_id IS NOT NULL')
        .pluck()
        .get(person.id);
      await done(admin(stage).delete(`/api/v1/channels/${stage.fixture.channel_id}/testers/${grant}`));
    },
  ],
  [
    'a tester group from its making to its end',
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
    async (stage) => {
      const path = organization(stage, '/tester-groups');
      const group = `${path}/${await made(admin(stage).post(path, { name: 'QA' }))}`;
      await done(admin(stage).patch(group, { notify_on_release: false }));
      const member = await made(admin(stage).post(`${group}/members`, { email: 'qa@example.com' }));
      const grant = await made(admin(stage).post(`${group}/grants`, { channel_id: stage.fixture.channel_id }));
      await join(stage, 'qa@example.com');
      await done(admin(stage).delete(`${group}/members/${member}`));
      await done(admin(stage).delete(`${group}/grants/${grant}`));
      await done(admin(stage).delete(group));
    },
  ],
  [
    'an SDK app from its making to its end',
    [
      'created sdk_app',
      'edited sdk_app',
      'edited sdk_app',
      'revoked sdk_app',
      'redundant_action sdk_app',
      'deleted sdk_app',
    ],
    async (stage) => {
      const path = '/api/v1/sdk-apps';
      const body = { name: 'Runner', channel_id: stage.fixture.channel_id };
      const app = `${path}/${await made(admin(stage).post(path, body, inProject(stage)))}`;
      await done(admin(stage).patch(app, { name: 'Walker' }));
      await done(admin(stage).post(`${app}/rotate-secret`));
      await done(admin(stage).post(`${app}/revoke`));
      await done(admin(stage).post(`${app}/revoke`));
      await done(admin(stage).delete(app));
    },
  ],
  [
    'a build that is older than the plan keeps it',
    ['build_retention_expired build'],
    async ({ fixture }) => {
      await addBuild(fixture, 99, 1_000 * DAY);
      await fixture.sweep('build-retention');
      fixture.clock.advance(7 * DAY);
      await fixture.sweep('build-retention');
    },
  ],
];
