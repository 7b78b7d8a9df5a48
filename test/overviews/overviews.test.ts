// The projects of an organization and the channels of a project, each with what a page of all of them shows.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { reachPages } from '../../src/channels/audience.ts';
import { downloads } from '../../src/data/tables/tables.ts';
import { uploadBuild } from '../builds/scenario.ts';
import { buildApk } from '../support/fixtures.ts';
import { type Client, expectInvalid, expectRefusal, type Page, walkPages } from '../support/harness.ts';
import {
  addOrganization,
  addPerson,
  addProject,
  addTeam,
  join,
  type Person,
  projectTokenClient,
} from '../support/people.ts';
import { type Channel, startTesterScenario, type TesterScenario } from '../testers/scenario.ts';

interface Named {
  identifier: string;
}
interface ProjectOverview {
  project: Named & { role: string };
  newest_release: (Named & { is_current: boolean; channel_id: string; build: Named & { version_name: string } }) | null;
  last_upload: (Named & { version_name: string }) | null;
  app_icon_url: string | null;
}
interface ChannelOverview {
  channel: Named;
  current_release: Named | null;
  testers: number;
  adoption: { testers: number; downloads: number } | null;
}

const PROJECTS = '/api/v1/projects/overview';
const CHANNELS = '/api/v1/channels/overview';

let scenario: TesterScenario;
beforeAll(async () => {
  scenario = await startTesterScenario();
});
afterAll(() => scenario?.fixture.stop());

async function ofProject(projectId = scenario.fixture.android_project_id): Promise<ProjectOverview> {
  const { body } = await scenario.admin.get<Page<ProjectOverview>>(PROJECTS, scenario.inOrganization);
  const found = body.items.find(({ project }) => project.identifier === projectId);
  if (found === undefined) throw new Error('The project is not listed');
  return found;
}

async function ofChannel({ id }: Channel): Promise<ChannelOverview> {
  const { body } = await scenario.admin.get<Page<ChannelOverview>>(CHANNELS, scenario.inProject);
  const found = body.items.find(({ channel }) => channel.identifier === id);
  if (found === undefined) throw new Error('The channel is not listed');
  return found;
}

function download(channel: Channel, releaseId: string, developerId: string | null): void {
  const { app, organization_id: organizationId, android_project_id: projectId } = scenario.fixture;
  const id = app.ids.next();
  app.db
    .insert(downloads)
    .values({ id, organizationId, projectId, buildId: id, channelId: channel.id, releaseId, developerId, createdAt: 1 })
    .run();
}

describe('the overview of projects', () => {
  it('contains nothing for a new project', async () => {
    expect(await ofProject(scenario.fixture.ios_project_id)).toEqual({
      project: expect.objectContaining({ identifier: scenario.fixture.ios_project_id, role: 'admin' }),
      newest_release: null,
      last_upload: null,
      app_icon_url: null,
    });
  });

  it("contains the icon of the project's app, regardless of other uploaded and released apps", async () => {
    const { organization_id } = scenario.fixture;
    const project_id = await addProject(scenario.admin, organization_id, { name: 'Icons', platform: 'android' });
    const project = { organization_id, project_id };
    const upload = (packageName: string, build_number: number) =>
      uploadBuild(scenario.admin, project, buildApk({ packageName }), { version_name: '1.0', build_number });
    const app = await upload('com.example.app', 1);
    expect(app.icon_url).toEqual(expect.any(String));
    const other = await upload('com.example.other', 2);
    const channel = await scenario.admin.post<Named>('/api/v1/channels', { name: 'beta' }, project);
    const query = { ...project, channel_id: channel.body.identifier };
    await scenario.admin.post('/api/v1/releases', { build_id: other.identifier }, query);
    const overview = await ofProject(project_id);
    expect(overview.last_upload?.identifier).toBe(other.identifier);
    expect(overview.app_icon_url).toBe(app.icon_url);
  });

  it('contains the newest current release of any channel, and the last upload', async () => {
    const [one, two] = [await scenario.makeChannel(), await scenario.makeChannel()];
    const older = await scenario.release(one);
    const newer = await scenario.release(two);
    const { newest_release: newest, last_upload: last } = await ofProject();
    expect(newest).toMatchObject({ identifier: newer, channel_id: two.id, is_current: true });
    expect(last?.identifier).toBe(newest?.build.identifier);
    expect((await scenario.admin.get(`/api/v1/releases/${newer}`)).body).toEqual(newest);
    expect((await scenario.admin.get(`/api/v1/builds/${last?.identifier}`)).body).toEqual(last);

    await scenario.admin.post(`/api/v1/releases/${newer}/disable`);
    expect((await ofProject()).newest_release?.identifier).toBe(older);
    expect((await ofProject()).last_upload?.identifier).toBe(last?.identifier);
    await scenario.admin.post(`/api/v1/releases/${newer}/enable`);
    await scenario.admin.post(`/api/v1/builds/${newest?.build.identifier}/revoke`);
    const after = await ofProject();
    expect(after.newest_release?.identifier).toBe(older);
    expect(after.last_upload?.identifier).toBe(after.newest_release?.build.identifier);
  });

  it('contains the same projects as the list for each caller, page by page', async () => {
    const { fixture } = scenario;
    const team = await addTeam(fixture);
    const { admin, member, outsider, inRole, organizationId, projectId } = team;
    const query = { organization_id: organizationId };
    const ids = [projectId];
    for (const name of ['Tide', 'Moon', 'Wave']) ids.push(await addProject(admin.client, organizationId, { name }));
    join(fixture, member.id, { projects: { [String(ids[2])]: 'read' } });
    const token = projectTokenClient(fixture, { organizationId, projectId, role: 'read' });
    for (const client of [admin.client, member.client, inRole.read.client, token]) {
      const listed = await walkPages(client, '/api/v1/projects', query);
      const pages = await walkPages<ProjectOverview>(client, PROJECTS, { ...query, limit: 3 });
      expect(pages.flat().map(({ project }) => project)).toEqual(listed.flat());
    }
    expect((await walkPages(admin.client, PROJECTS, { ...query, limit: 3 })).map(({ length }) => length)).toEqual([
      3, 1,
    ]);
    expectRefusal(await outsider.client.get(PROJECTS, query), 404, 'not_found');
    expectRefusal(await scenario.admin.as(null).get(PROJECTS, query), 401, 'unauthorized');
    expectInvalid(await admin.client.get(PROJECTS), 'query.organization_id: missing');
  });
});

describe('the overview of channels', () => {
  it('contains the channel as in the list, and no release if there is none', async () => {
    const channel = await scenario.makeChannel({ public: true });
    const { body } = await scenario.admin.get(channel.path);
    const before = await ofChannel(channel);
    expect(before).toEqual({ channel: body, current_release: null, testers: 0, adoption: null });
    const releaseId = await scenario.release(channel);
    const { body: release } = await scenario.admin.get(`/api/v1/releases/${releaseId}`);
    expect(await ofChannel(channel)).toEqual({
      ...before,
      current_release: release,
      adoption: { testers: 0, downloads: 0 },
    });
  });

  it('counts each tester once, and the testers with the current release', async () => {
    const [channel, sibling] = [await scenario.makeChannel(), await scenario.makeChannel()];
    const earlier = await scenario.release(channel);
    const releaseId = await scenario.release(channel);
    const people: Record<'wide' | 'project' | 'group' | 'channel' | 'all' | 'stranger', Person> = {
      wide: await scenario.person(),
      project: await scenario.person(),
      group: await scenario.person(),
      channel: await scenario.person(),
      all: await scenario.person(),
      stranger: await scenario.person(),
    };
    await scenario.grant(people.wide, 'organization');
    await scenario.grant(people.project, 'project');
    await scenario.group(people.group, { project_id: scenario.inProject.project_id });
    await scenario.admit(people.channel, channel);
    await scenario.grant(people.all, 'organization');
    await scenario.grant(people.all, 'project');
    await scenario.admit(people.all, channel);
    await scenario.group(people.all, { channel_id: channel.id });
    const groupOfChannel = await scenario.person();
    await scenario.group(groupOfChannel, { channel_id: channel.id });
    // Nobody has an account with this address yet.
    await scenario.grant({ email: 'later@example.com' }, 'project');
    expect([(await ofChannel(channel)).testers, (await ofChannel(sibling)).testers]).toEqual([6, 4]);

    for (const { id } of [people.wide, people.wide, people.group, people.all, people.stranger, groupOfChannel]) {
      download(channel, releaseId, id);
    }
    download(channel, releaseId, null);
    download(channel, earlier, people.project.id);
    const { adoption } = await ofChannel(channel);
    expect(adoption).toEqual({ testers: 4, downloads: 7 });
    const listed = await scenario.admin.get<Page>(`${channel.path}/testers`);
    expect(listed.body.items).toHaveLength(6);
    const { body } = await scenario.admin.get(`/api/v1/releases/${releaseId}/analytics`);
    // This one counts anyone who downloaded, testers or not.
    expect(body).toMatchObject({ unique_testers: 5, total_downloads: 7 });
    await scenario.admin.post(`/api/v1/releases/rollback`, undefined, channel.query);
    expect((await ofChannel(channel)).adoption).toEqual({ testers: 1, downloads: 1 });
  });

  it('returns at most a hundred per page, newest first', async () => {
    const { fixture } = scenario;
    const person = await addPerson(fixture);
    const organizationId = await addOrganization(person);
    const projectId = await addProject(person.client, organizationId, { name: 'Trains' });
    const query = { organization_id: organizationId, project_id: projectId };
    const client: Client = person.client;
    for (let number = 0; number < 101; number += 1) {
      expect((await client.post('/api/v1/channels', { name: `train ${number}` }, query)).status).toBe(201);
    }
    const listed = await walkPages<Named>(client, '/api/v1/channels', { ...query, limit: 1000 });
    for (const limit of [undefined, 1000]) {
      const pages = await walkPages<ChannelOverview>(client, CHANNELS, { ...query, limit });
      expect(pages.map(({ length }) => length)).toEqual([100, 1]);
      expect(pages.flat().map(({ channel }) => channel)).toEqual(listed.flat());
    }
    expectRefusal(await scenario.admin.get(CHANNELS, query), 404, 'not_found');
    expectInvalid(await client.get(CHANNELS, { organization_id: organizationId }), 'query.project_id: missing');
  });
});

describe('the queries of the overviews', () => {
  const plan = (sql: string) =>
    scenario.fixture.app.db.$client
      .prepare<[object], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)
      .all({ projectId: 'p', organizationId: 'o', channelId: 'c', after: '', before: '', limit: 1 })
      .map(({ detail }) => detail);

  it('use indexes and read no rows of large tables', () => {
    const isOfTheListed =
      /^SEARCH (?:d USING INDEX sqlite_autoindex_developers_1|u USING INDEX sqlite_autoindex_channel_mutes_1|o USING INDEX sqlite_autoindex_tester_groups_1) /;
    for (const sql of reachPages) {
      const steps = plan(sql);
      expect(steps.filter((step) => /^SCAN (?!w$|\(subquery)/.test(step))).toEqual([]);
      const found = steps.filter((step) => step.startsWith('SEARCH') && !isOfTheListed.test(step));
      expect(found.filter((step) => !step.includes('USING COVERING INDEX'))).toEqual([]);
      // Each group is read for one page, and not as a whole.
      const ofMembers = found.filter((step) => step.includes('tester_group_members_developer'));
      expect(ofMembers.slice(0, 2)).toEqual([
        'SEARCH m USING COVERING INDEX tester_group_members_developer (group_id=? AND developer_id=?)',
        expect.stringMatching(
          /^SEARCH t USING COVERING INDEX tester_group_members_developer \(group_id=\? AND developer_id[<>]\?\)$/,
        ),
      ]);
    }
    expect(
      plan(`SELECT r.id FROM releases r JOIN builds b ON b.id = r.build_id WHERE r.project_id = :projectId
              AND r.state = 'active' AND b.revoked_at IS NULL ORDER BY r.id DESC LIMIT 1`)[0],
    ).toBe('SEARCH r USING INDEX releases_project_active (project_id=?)');
  });
});
