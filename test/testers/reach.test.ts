// Access to channels has one definition for the tester's view, the list of testers, installs and emails.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { reachesChannel } from '../../src/channels/audience.ts';
import { ABSENT, expectInvalid, expectRefusal, type Json, type Query, walkPages } from '../support/harness.ts';
import { addOrganization, addProject, type Person } from '../support/people.ts';
import { type Channel, startTesterScenario, type TesterScenario } from './scenario.ts';

interface Named {
  identifier: string;
}

let scenario: TesterScenario;
let channel: Channel;
let sibling: Channel;
let releaseId: string;

beforeAll(async () => {
  scenario = await startTesterScenario();
  channel = await scenario.makeChannel();
  sibling = await scenario.makeChannel();
  releaseId = await scenario.release(channel);
  await scenario.release(sibling);
});
afterAll(() => scenario?.fixture.stop());

async function identifiers(person: Person, path: string, query: Query = {}): Promise<string[]> {
  const pages = await walkPages<Named>(person.client, path, { ...query, limit: 1 });
  return pages.flat().map(({ identifier }) => identifier);
}

/** Everything a person sees of the fixture's organization, asked in every way there is. */
async function look(person: Person) {
  const { status: install } = await person.client.post(`/api/v1/testers/me/releases/${releaseId}/install-link`);
  const listed = await scenario.admin.get<{ items: { developer_id: string }[] }>(`${channel.path}/testers`);
  return {
    organizations: await identifiers(person, '/api/v1/testers/me/organizations'),
    projects: (await person.client.get('/api/v1/testers/me/projects', scenario.inOrganization)).status,
    channels: (await person.client.get('/api/v1/testers/me/channels', scenario.inProject)).status,
    releases: (await person.client.get(`/api/v1/testers/me/channels/${channel.id}/releases`)).status,
    sibling: (await person.client.get(`/api/v1/testers/me/channels/${sibling.id}/releases`)).status,
    preference: (await person.client.get(`/api/v1/testers/me/channels/${channel.id}/notification-preference`)).status,
    install,
    isListed: listed.body.items.some(({ developer_id }) => developer_id === person.id),
  };
}

const NOTHING = {
  organizations: [],
  projects: 404,
  channels: 404,
  releases: 404,
  sibling: 404,
  preference: 404,
  install: 404,
  isListed: false,
};

interface Way {
  name: string;
  open(person: Person): Promise<unknown>;
  /** Whether the other channels of the project are reached too. */
  isWide: boolean;
  close(person: Person): Promise<unknown>;
}

async function removeWhere(path: string, person: Person): Promise<void> {
  const { body } = await scenario.admin.get<{ items: (Named & { developer_id: string })[] }>(path);
  const found = body.items.find(({ developer_id }) => developer_id === person.id);
  expect((await scenario.admin.delete(`${path}/${found?.identifier}`)).status).toBe(204);
}

let groupPath = '';
const ways: Way[] = [
  {
    name: 'a grant to the organization',
    open: (person) => scenario.grant(person, 'organization'),
    isWide: true,
    close: (person) => removeWhere(`${scenario.organizationPath}/testers`, person),
  },
  {
    name: 'a grant to the project',
    open: (person) => scenario.grant(person, 'project'),
    isWide: true,
    close: (person) => removeWhere(`${scenario.projectPath}/testers`, person),
  },
  {
    name: 'an invitation into the channel',
    open: (person) => scenario.admit(person, channel),
    isWide: false,
    async close(person) {
      const { body } = await scenario.admin.get<{ items: { developer_id: string; grants: Named[] }[] }>(
        `${channel.path}/testers`,
      );
      const [grant] = body.items.find(({ developer_id }) => developer_id === person.id)?.grants ?? [];
      expect((await scenario.admin.delete(`${sibling.path}/testers/${grant?.identifier}`)).status).toBe(404);
      expect((await scenario.admin.delete(`${channel.path}/testers/${grant?.identifier}`)).status).toBe(204);
    },
  },
  {
    name: 'a group with a grant to the channel, until the group is deleted',
    async open(person) {
      groupPath = await scenario.group(person, { channel_id: channel.id });
    },
    isWide: false,
    close: () => scenario.admin.delete(groupPath),
  },
  {
    name: 'a group with a grant to the project, until the grant is deleted',
    async open(person) {
      groupPath = await scenario.group(person, { project_id: scenario.fixture.android_project_id });
    },
    isWide: true,
    async close() {
      const { body } = await scenario.admin.get<{ items: Named[] }>(`${groupPath}/grants`);
      await scenario.admin.delete(`${groupPath}/grants/${body.items[0]?.identifier}`);
    },
  },
  {
    name: 'a group, until the membership is deleted',
    async open(person) {
      groupPath = await scenario.group(person, { channel_id: channel.id });
    },
    isWide: false,
    close: (person) => removeWhere(`${groupPath}/members`, person),
  },
];

describe('a channel is accessible', () => {
  it.each(ways)('by $name, until it is removed', async ({ open, close, isWide }) => {
    const person = await scenario.person();
    expect(await look(person)).toEqual(NOTHING);
    await open(person);
    expect(await look(person)).toEqual({
      organizations: [scenario.fixture.organization_id],
      projects: 200,
      channels: 200,
      releases: 200,
      sibling: isWide ? 200 : 404,
      preference: 200,
      install: 201,
      isListed: true,
    });
    expect(await identifiers(person, '/api/v1/testers/me/projects', scenario.inOrganization)).toEqual(
      expect.arrayContaining([scenario.fixture.android_project_id]),
    );
    const channels = await identifiers(person, '/api/v1/testers/me/channels', scenario.inProject);
    expect(channels).toEqual(isWide ? [sibling.id, channel.id, scenario.fixture.channel_id] : [channel.id]);
    await close(person);
    expect(await look(person)).toEqual(NOTHING);
  });

  it('once with several grants, until the last one is removed', async () => {
    const person = await scenario.person();
    for (const { open } of ways) await open(person);
    const { body } = await scenario.admin.get<{ items: { developer_id: string; grants: Json[] }[] }>(
      `${channel.path}/testers`,
    );
    const rows = body.items.filter(({ developer_id }) => developer_id === person.id);
    expect(rows).toHaveLength(1);
    expect(rows[0]?.grants.map(({ level }) => level)).toEqual([
      'organization',
      'project',
      'channel',
      'group',
      'group',
      'group',
    ]);
    for (const { name, close } of ways.slice(0, 3)) {
      await close(person);
      expect((await look(person)).install, name).toBe(201);
    }
  });

  it('to nobody else: not to members, pending testers, and testers of other channels', async () => {
    const member = await scenario.person({ organizations: { [scenario.fixture.organization_id]: 'admin' } });
    expect(await look(member)).toEqual(NOTHING);
    const neighbour = await scenario.person();
    await scenario.admit(neighbour, sibling);
    const seen = await look(neighbour);
    expect([seen.releases, seen.install, seen.isListed]).toEqual([404, 404, false]);
    expect(reachesChannel(scenario.fixture.app, neighbour.id, ABSENT)).toBe(false);
  });

  it('without any other data of the organization', async () => {
    const person = await scenario.person();
    await scenario.grant(person, 'organization');
    const { client } = person;
    expect((await client.get('/api/v1/organizations')).body).toEqual([]);
    const paths = [
      scenario.organizationPath,
      `${scenario.organizationPath}/members`,
      `${scenario.organizationPath}/testers`,
      `${scenario.organizationPath}/tester-groups`,
      scenario.projectPath,
      `${scenario.projectPath}/testers`,
      channel.path,
      `${channel.path}/testers`,
      `${channel.path}/analytics`,
      `/api/v1/releases/${releaseId}`,
    ];
    for (const path of paths) expectRefusal(await client.get(path), 404, 'not_found');
    for (const path of ['/api/v1/builds', '/api/v1/channels', '/api/v1/releases', '/api/v1/channel-invites']) {
      expectRefusal(await client.get(path, channel.query), 404, 'not_found');
    }
  });
});

describe("the lists of the tester's view", () => {
  it('contain accessible items, and nothing of other tenants', async () => {
    const person = await scenario.person();
    await scenario.admit(person, channel);
    const owner = await scenario.person();
    const foreign = await addOrganization(owner);
    const foreignProject = await addProject(owner.client, foreign, { name: 'Elsewhere', platform: 'android' });
    const { client } = person;
    for (const query of [{ organization_id: foreign }, { organization_id: ABSENT }]) {
      expectRefusal(await client.get('/api/v1/testers/me/projects', query), 404, 'not_found');
    }
    const mixed = { organization_id: foreign, project_id: scenario.fixture.android_project_id };
    const other = { organization_id: scenario.fixture.organization_id, project_id: foreignProject };
    for (const query of [mixed, other]) {
      expectRefusal(await client.get('/api/v1/testers/me/channels', query), 404, 'not_found');
    }
    expectInvalid(await client.get('/api/v1/testers/me/projects'), 'query.organization_id: missing');

    const { body } = await client.get<{ items: Json[] }>('/api/v1/testers/me/channels', scenario.inProject);
    expect(body.items).toEqual([
      {
        identifier: channel.id,
        organization_id: scenario.fixture.organization_id,
        project_id: scenario.fixture.android_project_id,
        name: expect.any(String),
        description: null,
        sibling_ids: [],
        muted: false,
        current_release: {
          identifier: releaseId,
          organization_id: scenario.fixture.organization_id,
          project_id: scenario.fixture.android_project_id,
          channel_id: channel.id,
          build_id: expect.any(String),
          platform: 'android',
          version_name: expect.stringMatching(/^1\.\d+$/),
          build_number: expect.any(Number),
          display_build_number: expect.stringMatching(/^\d+$/),
          size_bytes: 9,
          sha256: 'a'.repeat(64),
          min_os_version: null,
          release_notes: null,
          mandatory: false,
          is_current: true,
          icon_url: null,
          created_at: expect.any(String),
        },
      },
    ]);
    expect((await client.get('/api/v1/testers/me/projects', scenario.inOrganization)).body).toEqual({
      items: [
        {
          identifier: scenario.fixture.android_project_id,
          organization_id: scenario.fixture.organization_id,
          name: 'Fixture Android',
          description: null,
          platform: 'android',
          sibling_ids: [],
        },
      ],
      next_cursor: null,
    });
    expect((await client.get('/api/v1/testers/me/organizations')).body).toEqual({
      items: [{ identifier: scenario.fixture.organization_id, name: 'Fixture Organization' }],
      next_cursor: null,
    });
  });

  it('contain neither withdrawn releases nor revoked builds', async () => {
    const person = await scenario.person();
    const channel = await scenario.makeChannel();
    await scenario.admit(person, channel);
    const releases = [
      await scenario.release(channel),
      await scenario.release(channel),
      await scenario.release(channel),
    ];
    const path = `/api/v1/testers/me/channels/${channel.id}/releases`;
    const [first = '', second = '', third = ''] = releases;
    expect(await identifiers(person, path)).toEqual([third, second, first]);
    await scenario.admin.post(`/api/v1/releases/${third}/disable`);
    const { body } = await scenario.admin.get<{ build: Named }>(`/api/v1/releases/${second}`);
    await scenario.admin.post(`/api/v1/builds/${body.build.identifier}/revoke`);
    expect(await identifiers(person, path)).toEqual([first]);
    for (const id of [second, third]) {
      expectRefusal(await person.client.post(`/api/v1/testers/me/releases/${id}/install-link`), 404, 'not_found');
      expectRefusal(await person.client.get(`/api/v1/testers/me/releases/${id}/icon`), 404, 'not_found');
    }
  });
});
