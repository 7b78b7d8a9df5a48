// Roles and scopes for managing testers, and deletion with organization, project, channel and account.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deleteAccount } from '../../src/accounts/deletion.ts';
import { collectPersonalData } from '../../src/accounts/exports/store.ts';
import { systemContext } from '../../src/core/transact.ts';
import {
  channelInvitations,
  channelMutes,
  organizations,
  releaseAnnouncements,
  releaseNotifications,
  testerGrants,
  testerGroupGrants,
  testerGroupMembers,
  testerGroups,
} from '../../src/data/tables/tables.ts';
import { loadDeveloper } from '../../src/developers/store.ts';
import { ALL_SCOPES, scopes } from '../../src/permissions.ts';
import { ABSENT, type Answer, type Client, expectRefusal, type Json } from '../support/harness.ts';
import { addPerson, addTeam, type Person, personalTokenClient, type Team } from '../support/people.ts';
import { releaseMails, settle, startTesterScenario, type TesterScenario } from './scenario.ts';

let scenario: TesterScenario;
let team: Team;
let channelId: string;

beforeAll(async () => {
  scenario = await startTesterScenario();
  team = await addTeam(scenario.fixture);
  const inProject = { organization_id: team.organizationId, project_id: team.projectId };
  const made = await team.admin.client.post<{ identifier: string }>('/api/v1/channels', { name: 'beta' }, inProject);
  channelId = made.body.identifier;
});
afterAll(() => scenario?.fixture.stop());

const place = () => ({ organization_id: team.organizationId, project_id: team.projectId, channel_id: channelId });

/** What there is to do, by who may: the least role, and the scopes that do. */
const deeds: [name: string, least: string, enough: string, act: (client: Client) => Promise<Answer<Json>>][] = [
  ['list testers of the organization', 'manager', 'read', (c) => c.get(`${team.organizationPath}/testers`)],
  ['add a tester of the organization', 'manager', 'ALL', (c) => c.post(`${team.organizationPath}/testers`, {})],
  [
    'remove a tester of the organization',
    'manager',
    'ALL',
    (c) => c.delete(`${team.organizationPath}/testers/${ABSENT}`),
  ],
  [
    'email a tester of the organization again',
    'manager',
    'ALL',
    (c) => c.post(`${team.organizationPath}/testers/${ABSENT}/notify`),
  ],
  ['list groups', 'manager', 'ALL', (c) => c.get(`${team.organizationPath}/tester-groups`)],
  ['create a group', 'manager', 'ALL', (c) => c.post(`${team.organizationPath}/tester-groups`, {})],
  ['list testers of the project', 'maintainer', 'read', (c) => c.get(`${team.projectPath}/testers`)],
  ['add a tester of the project', 'maintainer', 'ALL', (c) => c.post(`${team.projectPath}/testers`, {})],
  ['remove a tester of the project', 'maintainer', 'ALL', (c) => c.delete(`${team.projectPath}/testers/${ABSENT}`)],
  [
    'email a tester of the project again',
    'maintainer',
    'ALL',
    (c) => c.post(`${team.projectPath}/testers/${ABSENT}/notify`),
  ],
  ['list testers of the channel', 'read', 'read', (c) => c.get(`/api/v1/channels/${channelId}/testers`)],
  [
    'remove a tester of the channel',
    'maintainer',
    'ALL',
    (c) => c.delete(`/api/v1/channels/${channelId}/testers/${ABSENT}`),
  ],
  ['list invitations', 'read', 'read', (c) => c.get('/api/v1/channel-invites', place())],
  ['create an invitation', 'maintainer', 'manage_testers', (c) => c.post('/api/v1/channel-invites', {}, place())],
];

const answer = ({ status, body }: Answer<Json>) => (status >= 400 ? `${status} ${body.error}` : 'done');
/** What is refused for what is sent, or is not there, was allowed. */
const isAllowed = (said: string) => said === 'done' || said === '400 validation_error' || said === '404 not_found';

describe('managing testers', () => {
  it.each(deeds)('%s requires the role %s', async (_name, least, _enough, act) => {
    const { read, read_download, read_download_upload, maintainer } = team.inRole;
    const ranks: [string, Person][] = [
      ['member', team.member],
      ['read', read],
      ['read_download', read_download],
      ['read_download_upload', read_download_upload],
      ['maintainer', maintainer],
      ['manager', team.manager],
    ];
    const reached = ranks.findIndex(([role]) => role === least);
    for (const [index, [role, person]] of ranks.entries()) {
      const said = answer(await act(person.client));
      if (index >= reached) expect(isAllowed(said), `${role}: ${said}`).toBe(true);
      else expect(said, role).toBe(least === 'manager' ? '403 insufficient_role' : '404 not_found');
    }
    expect(answer(await act(team.outsider.client))).toBe('404 not_found');
    expect(answer(await act(team.manager.client.as(null)))).toBe('401 unauthorized');
  });

  it.each(deeds)('%s with a token requires %s and the scope %s', async (_name, _least, enough, act) => {
    for (const [scope, bits] of [...Object.entries(scopes), ['ALL', ALL_SCOPES] as const]) {
      const owner = { developerId: team.admin.id, organizationId: team.organizationId };
      const said = answer(await act(personalTokenClient(scenario.fixture, { ...owner, scopes: bits })));
      if (scope === enough || scope === 'ALL') expect(isAllowed(said), `${scope}: ${said}`).toBe(true);
      else expect(said, scope).toBe('403 permission_denied');
    }
  });

  it('shows the inviter in the email, and nobody for a token', async () => {
    const { email } = await addPerson(scenario.fixture);
    await team.manager.client.post(`${team.projectPath}/testers`, { email });
    const mail = scenario.fixture.mail.messages.findLast(({ to }) => to === email);
    expect(mail?.subject).toBe('You can test “Crane” of “Wharf”');
    expect(mail?.text).toContain(`“Person ${team.manager.id}” invites you to test “Crane” of “Wharf” on Taxiway.`);
  });

  it('returns the same error for absent and foreign resources', async () => {
    const grant = await scenario.grant(team.outsider, 'organization');
    const elsewhere = await team.admin.client.get(`${team.organizationPath}/testers/${grant}`);
    expectRefusal(elsewhere, 404, 'not_found');
    expect(elsewhere.body).toEqual((await team.admin.client.get(`${team.organizationPath}/testers/${ABSENT}`)).body);
  });
});

describe('an organization that requires two-factor authentication', () => {
  it('requires it from its members when they act as testers, and not from others', async () => {
    await using scenario = await startTesterScenario();
    const { fixture } = scenario;
    const id = fixture.organization_id;
    const channel = await scenario.makeChannel();
    const release = await scenario.release(channel);
    const joined = { organizations: { [id]: 'member' as const } };
    const bare = await scenario.person(joined);
    const equipped = await scenario.person({ ...joined, hasTotp: true });
    const outsider = await scenario.person();
    for (const person of [bare, equipped, outsider]) await scenario.grant(person, 'project');
    fixture.app.db.update(organizations).set({ mfaRequiredAt: 1, mfaGracePeriodDays: 0 }).run();
    fixture.clock.advance(1);

    const me = '/api/v1/testers/me';
    const preference = `${me}/channels/${channel.id}/notification-preference`;
    const accept = async ({ client, email }: Person) => {
      const { invite_token } = mintedFor.get(email) ?? {};
      return client.post('/api/v1/testers/invites/accept', { invite_token });
    };
    const mintedFor = new Map<string, Json>();
    for (const { email } of [bare, equipped, outsider]) {
      mintedFor.set(
        email,
        (
          await scenario.admin
            .as(fixture.project_access_token)
            .post('/api/v1/channel-invites', { email }, channel.query)
        ).body,
      );
    }
    const ways: [string, (person: Person) => Promise<Answer<Json>>][] = [
      ['projects', ({ client }) => client.get(`${me}/projects`, scenario.inOrganization)],
      ['channels', ({ client }) => client.get(`${me}/channels`, scenario.inProject)],
      ['releases', ({ client }) => client.get(`${me}/channels/${channel.id}/releases`)],
      ['preference', ({ client }) => client.get(preference)],
      ['mute', ({ client }) => client.put(preference, { muted: true })],
      ['icon', ({ client }) => client.get(`${me}/releases/${release}/icon`)],
      ['install link', ({ client }) => client.post(`${me}/releases/${release}/install-link`)],
      ['accept', accept],
    ];
    for (const [name, act] of ways) {
      const answers = [await act(bare), await act(equipped), await act(outsider)];
      const allowed = name === 'icon' ? '404 not_found' : 'done';
      expect([name, ...answers.map(answer)]).toEqual([name, '403 mfa_enrollment_required', allowed, allowed]);
    }
    // A suspended organization still serves downloads, to members as to others.
    fixture.app.db.update(organizations).set({ lockReason: 'suspended' }).run();
    const link = `${me}/releases/${release}/install-link`;
    expect([answer(await bare.client.post(link)), (await equipped.client.post(link)).status]).toEqual([
      '403 mfa_enrollment_required',
      201,
    ]);
    fixture.app.db.update(organizations).set({ lockReason: null }).run();
    const stranger = await scenario.person(joined);
    expectRefusal(await stranger.client.get(preference), 404, 'not_found');
  });
});

describe('the stored data of testers', () => {
  const tables = {
    channelInvitations,
    channelMutes,
    releaseAnnouncements,
    releaseNotifications,
    testerGrants,
    testerGroupGrants,
    testerGroupMembers,
    testerGroups,
  };
  const count = (scenario: TesterScenario) =>
    Object.fromEntries(
      Object.entries(tables).map(([name, table]) => [name, scenario.fixture.app.db.select().from(table).all().length]),
    );

  async function inhabit(scenario: TesterScenario): Promise<{ person: Person; channelPath: string; group: string }> {
    const channel = await scenario.makeChannel();
    const person = await scenario.person();
    await scenario.grant(person, 'organization');
    await scenario.grant(person, 'project');
    await scenario.admit(person, channel);
    const group = await scenario.group(person, { channel_id: channel.id });
    await scenario.release(channel);
    await settle(scenario);
    expect(releaseMails(scenario, person.email)).toHaveLength(1);
    await person.client.put(`/api/v1/testers/me/channels/${channel.id}/notification-preference`, { muted: true });
    return { person, channelPath: channel.path, group };
  }

  it('is in the archive of personal data, without the hashes of tokens', async () => {
    await using scenario = await startTesterScenario();
    const { person } = await inhabit(scenario);
    await scenario.grant({ email: 'somebody@elsewhere.example' }, 'project');
    const data = collectPersonalData(scenario.fixture.app, person.id);
    const sizes = Object.fromEntries(
      Object.entries(data).map(([name, rows]) => [name, Array.isArray(rows) ? rows.length : 1]),
    );
    expect(sizes).toMatchObject({
      tester_grants: 3,
      tester_groups: 1,
      channel_invitations: 1,
      muted_channels: 1,
      release_mails: 1,
    });
    expect(JSON.stringify(data)).not.toContain('tokenHash');
    expect(JSON.stringify(data)).not.toContain('somebody@elsewhere.example');
  });

  it('is deleted with the account, including its address in accepted invitations', async () => {
    await using scenario = await startTesterScenario();
    const { person } = await inhabit(scenario);
    const { app } = scenario.fixture;
    await scenario.admit(await scenario.person(), await scenario.makeChannel());
    systemContext(app).transact((tx) => deleteAccount(tx, loadDeveloper(tx, person.id)));
    expect(count(scenario)).toMatchObject({ channelMutes: 0, releaseNotifications: 0, testerGrants: 1 });
    expect(count(scenario)).toMatchObject({ channelInvitations: 1, testerGroupMembers: 0 });
    expect(JSON.stringify(app.db.select().from(channelInvitations).all())).not.toContain(person.email);
  });

  it('is deleted with the channel, the project and the organization', async () => {
    await using scenario = await startTesterScenario();
    const { channelPath } = await inhabit(scenario);
    expect(count(scenario)).toEqual({
      channelInvitations: 1,
      channelMutes: 1,
      releaseAnnouncements: 1,
      releaseNotifications: 1,
      testerGrants: 3,
      testerGroupGrants: 1,
      testerGroupMembers: 1,
      testerGroups: 1,
    });
    expect((await scenario.admin.delete(channelPath, { force: true })).status).toBe(204);
    const left = { ...count(scenario) };
    expect(left).toMatchObject({ channelInvitations: 0, channelMutes: 0, releaseAnnouncements: 0, testerGrants: 2 });
    expect(left).toMatchObject({ releaseNotifications: 0, testerGroupGrants: 0, testerGroups: 1 });

    const { body } = await scenario.admin.get<{ items: { build?: Json; identifier: string }[] }>(
      '/api/v1/builds',
      scenario.inProject,
    );
    for (const { identifier } of body.items) await scenario.admin.delete(`/api/v1/builds/${identifier}`);
    expect((await scenario.admin.delete(scenario.projectPath)).status).toBe(204);
    expect(count(scenario)).toMatchObject({ testerGrants: 1 });
    await scenario.admin.delete(`/api/v1/projects/${scenario.fixture.ios_project_id}`);
    expect((await scenario.admin.delete(scenario.organizationPath)).status).toBe(204);
    expect(new Set(Object.values(count(scenario)))).toEqual(new Set([0]));
  });
});
