// The operations of the home page: recent releases, the activity of projects, and what needs attention.
import { eq } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  buildFacts,
  builds,
  channels,
  developers,
  downloads,
  projects,
  releases,
} from '../../src/data/tables/tables.ts';
import { DAY, HOUR } from '../../src/lib/clock.ts';
import { BUILDS_SINCE } from '../../src/overviews/activity-store.ts';
import { NEWEST_OF_PROJECT } from '../../src/overviews/recent-release-store.ts';
import { ALL_SCOPES, scopes } from '../../src/permissions.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import { type Project, type Build as UploadedBuild, uploadBuild } from '../builds/scenario.ts';
import { buildApk, buildIpa, sampleDevices } from '../support/fixtures.ts';
import {
  type Client,
  expectInvalid,
  expectRefusal,
  type Json,
  type Page,
  type Query,
  walkPages,
} from '../support/harness.ts';
import { insertRows } from '../support/insert-rows.ts';
import { addPerson, addProject, addTeam, personalTokenClient, projectTokenClient } from '../support/people.ts';
import { countRowsInOneTurn, stopRunners } from '../support/turns.ts';
import { type Receiver, startReceiver } from '../webhooks/receiver.ts';

interface Recent {
  release: {
    identifier: string;
    build: { version_name: string };
    released_by: { kind: string; name: string | null } | null;
  };
  project_name: string;
  channel_name: string;
  testers: number;
  adoption: { testers: number; downloads: number };
}
interface Build extends UploadedBuild {
  version_name: string;
  display_build_number: string;
  installability: { profile_expires_at: string | null };
}
interface Activity {
  project_id: string;
  channels: { channel_id: string; name: string; current: Json | null }[];
  builds_last_7_days: number;
  newest_build_devices: Json | null;
}
interface Attention {
  items: (Json & { kind: string })[];
  total: number;
}

const RECENT = '/api/v1/releases/recent';
const ACTIVITY = '/api/v1/projects/activity';

let fixture: Fixture;
let admin: Client;
let android: Project;
let ios: Project;
let inOrganization: { organization_id: string };
beforeEach(async () => {
  fixture = await startFixture();
  const { organization_id } = fixture;
  admin = personalTokenClient(fixture, {
    organizationId: organization_id,
    developerId: fixture.admin.developer_id,
    scopes: ALL_SCOPES,
  });
  inOrganization = { organization_id };
  android = { organization_id, project_id: fixture.android_project_id };
  ios = { organization_id, project_id: fixture.ios_project_id };
});
afterEach(() => fixture?.stop());

async function read<Body>(client: Client, path: string, query: Query = {}): Promise<Body> {
  const answer = await client.get<Body>(path, query);
  expect(answer.status, answer.text).toBe(200);
  return answer.body;
}

async function addChannel(project: Project, name: string, body: Json = {}): Promise<string> {
  const answer = await admin.post<{ identifier: string }>('/api/v1/channels', { name, ...body }, { ...project });
  expect(answer.status, answer.text).toBe(201);
  return answer.body.identifier;
}

async function release(
  project: Project,
  channelId: string,
  build: { identifier: unknown },
  client = admin,
): Promise<string> {
  const query = { ...project, channel_id: channelId };
  const answer = await client.post<{ identifier: string }>('/api/v1/releases', { build_id: build.identifier }, query);
  expect(answer.status, answer.text).toBe(201);
  return answer.body.identifier;
}

let lastNumber = 0;
function upload(project: Project, bytes: Buffer, client = admin): Promise<Build> {
  lastNumber += 1;
  const body = { version_name: `1.${lastNumber}`, build_number: lastNumber };
  return uploadBuild(client, project, bytes, body) as Promise<Build>;
}
const inDays = (days: number) => new Date(fixture.clock.now().getTime() + days * DAY + HOUR);
const profile = (name: string, days: number, more: Json = {}) => ({
  profile: { UUID: name, Name: name, ExpirationDate: inDays(days), ...more },
});
const versionsOf = (items: Recent[]) => items.map((item) => item.release.build.version_name);

describe('recent releases', () => {
  const recent = async (client = admin, query: Query = {}) =>
    (await read<{ items: Recent[] }>(client, RECENT, { ...inOrganization, ...query })).items;

  it('match other lists, and add project, channel, author and adoption', async () => {
    expect(await recent()).toEqual([]);
    const channel = await addChannel(android, 'beta');
    const id = await release(android, channel, await upload(android, buildApk()));
    const [tester, other] = [await addPerson(fixture), await addPerson(fixture)];
    for (const { email } of [tester, other]) {
      await admin.post(`/api/v1/projects/${android.project_id}/testers`, { email });
    }
    for (const developerId of [tester.id, null]) {
      const row = {
        id: fixture.app.ids.next(),
        organizationId: android.organization_id,
        projectId: android.project_id,
      };
      const rest = { buildId: row.id, channelId: channel, releaseId: id, developerId, createdAt: 1 };
      fixture.app.db
        .insert(downloads)
        .values({ ...row, ...rest })
        .run();
    }
    expect(await recent()).toEqual([
      {
        release: await read<Json>(admin, `/api/v1/releases/${id}`),
        project_name: 'Fixture Android',
        channel_name: 'beta',
        testers: 2,
        adoption: { testers: 1, downloads: 2 },
      },
    ]);
  });

  it('contain the person or token, the server for automatic ones, and nobody for a deleted account', async () => {
    const nightly = await addChannel(android, 'nightly', { auto_distribute: true });
    const person = await addPerson(fixture, {
      organizations: { [android.organization_id]: 'manager' },
      name: 'Ines Falkner',
    });
    const own = personalTokenClient(fixture, {
      organizationId: android.organization_id,
      developerId: person.id,
      scopes: ALL_SCOPES,
    });
    const token = projectTokenClient(fixture, {
      organizationId: android.organization_id,
      projectId: android.project_id,
      role: 'maintainer',
    });
    await release(android, nightly, await upload(android, buildApk(), own), own);
    await release(android, nightly, await upload(android, buildApk(), token), token);
    const authors = async () =>
      (await recent()).map(({ release: { released_by: author } }) => author && [author.kind, author.name]);
    expect(await authors()).toEqual([
      ['project_access_token', 'ci'],
      ['system', null],
      ['developer', 'Ines Falkner'],
      ['system', null],
    ]);
    // Deleting an account clears the author of its releases in the same way.
    fixture.app.db.$client.pragma('foreign_keys = OFF');
    fixture.app.db.delete(developers).where(eq(developers.id, person.id)).run();
    expect((await authors()).at(-2)).toBeNull();
  });

  it('omit withdrawn ones', async () => {
    const [beta, gone] = [await addChannel(android, 'beta'), await addChannel(android, 'gone')];
    const builds = [];
    for (let count = 0; count < 4; count += 1) builds.push(await upload(android, buildApk()));
    const ids = [];
    for (const build of builds) ids.push(await release(android, beta, build));
    await release(android, gone, builds[0] as Build);
    await admin.post(`/api/v1/releases/${ids[1]}/disable`);
    await admin.post(`/api/v1/builds/${builds[2]?.identifier}/revoke`);
    await admin.post('/api/v1/releases/rollback', undefined, { ...android, channel_id: beta });
    expect((await admin.delete(`/api/v1/channels/${gone}`, { force: true })).status).toBe(204);
    expect((await recent()).map((item) => item.release.identifier)).toEqual([ids[0]]);
  });

  it('come from all projects, newest first, in the requested number', async () => {
    const [one, two] = [await addChannel(android, 'beta'), await addChannel(ios, 'beta')];
    const [apk, ipa] = [await upload(android, buildApk()), await upload(ios, buildIpa())];
    const ids: string[] = [];
    for (let count = 0; count < 2; count += 1) {
      ids.unshift(await release(android, one, apk));
      ids.unshift(await release(ios, two, ipa));
      ids.unshift(await release(android, one, apk));
    }
    const listed = async (query: Query) => (await recent(admin, query)).map((item) => item.release.identifier);
    for (const limit of [1, 2, 3, 5, 50]) expect(await listed({ limit })).toEqual(ids.slice(0, limit));
    expect(await listed({})).toEqual(ids);
    for (const [limit, type] of [
      [0, 'greater_than_equal'],
      [51, 'less_than_equal'],
    ] as const) {
      expectInvalid(await admin.get(RECENT, { ...inOrganization, limit }), `query.limit: ${type}`);
    }
  });

  it('are limited to projects that the caller has access to', async () => {
    const releases = [await addChannel(android, 'beta'), await addChannel(ios, 'beta')];
    const apk = await upload(android, buildApk());
    const ipa = await upload(ios, buildIpa());
    await release(android, String(releases[0]), apk);
    await release(ios, String(releases[1]), ipa);
    const organizations = { [ios.organization_id]: 'member' } as const;
    const member = await addPerson(fixture, { organizations });
    const reader = await addPerson(fixture, { organizations, projects: { [ios.project_id]: 'read' } });
    const manager = await addPerson(fixture, { organizations: { [ios.organization_id]: 'manager' } });
    const token = projectTokenClient(fixture, {
      organizationId: android.organization_id,
      projectId: android.project_id,
      role: 'read',
    });
    const team = await addTeam(fixture);
    expect(await recent(member.client)).toEqual([]);
    expect(versionsOf(await recent(reader.client))).toEqual([ipa.version_name]);
    expect(versionsOf(await recent(manager.client))).toEqual([ipa.version_name, apk.version_name]);
    expect(versionsOf(await recent(token))).toEqual([apk.version_name]);
    expect(await recent(team.admin.client, { organization_id: team.organizationId })).toEqual([]);
    expectRefusal(await team.admin.client.get(RECENT, inOrganization), 404, 'not_found');
    expectRefusal(await admin.as(null).get(RECENT, inOrganization), 401, 'unauthorized');
    expectInvalid(await admin.get(RECENT), 'query.organization_id: missing');
  });
});

describe('the activity of projects', () => {
  const activityOf = async ({ project_id }: Project): Promise<Activity> => {
    const { items } = await read<Page<Activity>>(admin, ACTIVITY, inOrganization);
    const found = items.find((item) => item.project_id === project_id);
    if (found === undefined) throw new Error('The project is not listed');
    return found;
  };

  it('contains the version on each channel, recent builds, and the devices of the newest build', async () => {
    const before = await activityOf(ios);
    expect(before).toMatchObject({ builds_last_7_days: 0, newest_build_devices: null });
    const channels = [await addChannel(ios, 'nightly'), await addChannel(ios, 'beta'), await addChannel(ios, 'empty')];
    const old = await upload(ios, buildIpa());
    await release(ios, String(channels[0]), old);
    const id = await release(ios, String(channels[1]), old);
    fixture.clock.advance(7 * DAY + HOUR);
    const build = await upload(ios, buildIpa());
    const newest = await release(ios, String(channels[0]), build);
    for (const udid of [String(sampleDevices[0]), '00000000-000000000000003E']) {
      await admin.post('/api/v1/devices', { udid, name: 'A phone' }, inOrganization);
    }
    const current = (release_id: string, { identifier, version_name, display_build_number }: Build) => ({
      release_id,
      build_id: identifier,
      version_name,
      display_build_number,
    });
    expect(await activityOf(ios)).toEqual({
      project_id: ios.project_id,
      channels: [
        ...before.channels,
        { channel_id: channels[0], name: 'nightly', current: current(newest, build) },
        { channel_id: channels[1], name: 'beta', current: current(id, old) },
        { channel_id: channels[2], name: 'empty', current: null },
      ],
      builds_last_7_days: 1,
      newest_build_devices: { build_id: build.identifier, devices_total: 2, devices_able: 1 },
    });
    // The channel of a preview isn't one of them.
    await admin.post(
      '/api/v1/previews',
      { pull_request: 7 },
      { organization_id: ios.organization_id, project_id: ios.project_id },
    );
    expect((await activityOf(ios)).channels).toHaveLength(before.channels.length + 3);
    await upload(android, buildApk());
    expect(await activityOf(android)).toMatchObject({ builds_last_7_days: 1, newest_build_devices: null });
  });

  it('contains the same projects as the list for each caller, page by page', async () => {
    const team = await addTeam(fixture);
    const query = { organization_id: team.organizationId };
    for (const name of ['Tide', 'Moon', 'Wave']) await addProject(team.admin.client, team.organizationId, { name });
    const { organizationId, projectId } = team;
    const token = projectTokenClient(fixture, { organizationId, projectId, role: 'read' });
    for (const client of [team.admin.client, team.member.client, team.inRole.read.client, token]) {
      const listed = await walkPages<{ identifier: string }>(client, '/api/v1/projects', query);
      const pages = await walkPages<Activity>(client, ACTIVITY, { ...query, limit: 3 });
      expect(pages.flat().map((item) => item.project_id)).toEqual(listed.flat().map((item) => item.identifier));
    }
    expectRefusal(await team.outsider.client.get(ACTIVITY, query), 404, 'not_found');
    expectRefusal(await admin.as(null).get(ACTIVITY, query), 401, 'unauthorized');
  });
});

describe('the list of what needs attention', () => {
  let receiver: Receiver;
  beforeAll(async () => {
    receiver = await startReceiver();
  });
  afterAll(() => receiver?.[Symbol.asyncDispose]());

  const path = () => `/api/v1/organizations/${fixture.organization_id}/attention`;
  const attention = (client = admin) => read<Attention>(client, path());
  const kinds = async (client = admin) => (await attention(client)).items.map(({ kind }) => kind);
  const about = (project: Project, name: string, { identifier, version_name, display_build_number }: Build) => ({
    project_id: project.project_id,
    project_name: name,
    build_id: identifier,
    version_name,
    display_build_number,
  });

  it('is empty if nothing needs attention', async () => {
    await release(ios, await addChannel(ios, 'beta'), await upload(ios, buildIpa()));
    await release(android, await addChannel(android, 'beta'), await upload(android, buildApk()));
    await admin.post('/api/v1/devices', { udid: sampleDevices[0], name: 'A phone' }, inOrganization);
    expect(await attention()).toEqual({ items: [], total: 0 });
  });

  it('contains a live build that no device can install, once for all its channels', async () => {
    const build = await upload(ios, buildIpa(profile('Old pier', -2)));
    for (const name of ['beta', 'production']) await release(ios, await addChannel(ios, name), build);
    expect(await attention()).toEqual({
      items: [
        {
          kind: 'uninstallable',
          ...about(ios, 'Fixture iOS', build),
          platform: 'ios',
          channel_names: ['beta', 'production'],
          reason: 'profile_expired',
          profile_expires_at: build.installability.profile_expires_at,
        },
      ],
      total: 1,
    });
    await upload(ios, buildIpa());
    expect(await kinds()).toEqual(['uninstallable']);
    for (const channel of (await read<Page<{ identifier: string }>>(admin, '/api/v1/channels', { ...ios })).items) {
      await release(ios, channel.identifier, await upload(ios, buildIpa()));
    }
    expect(await kinds()).toEqual([]);
  });

  it('contains the newest build of a project that no device can install, unless it is for simulators', async () => {
    const build = await upload(android, buildApk({ isTestOnly: true }));
    expect((await attention()).items).toEqual([
      {
        kind: 'uninstallable',
        ...about(android, 'Fixture Android', build),
        platform: 'android',
        channel_names: [],
        reason: 'test_only',
        profile_expires_at: null,
      },
    ]);
    await upload(android, buildApk());
    await upload(ios, buildIpa({ profile: null, info: { CFBundleSupportedPlatforms: ['iPhoneSimulator'] } }));
    expect(await kinds()).toEqual([]);
  });

  it('contains a signature that expires within 30 days, once for all channels of a project', async () => {
    const build = await upload(ios, buildIpa(profile('Harbor', 12)));
    await release(ios, await addChannel(ios, 'beta'), build);
    await release(ios, await addChannel(ios, 'production'), build);
    await release(ios, await addChannel(ios, 'later'), await upload(ios, buildIpa(profile('Far', 31))));
    const { items } = await attention();
    expect(items).toEqual([
      {
        kind: 'expiring',
        ...about(ios, 'Fixture iOS', build),
        platform: 'ios',
        channel_names: ['beta', 'production'],
        signature: 'profile',
        name: 'Harbor',
        expires_at: build.installability.profile_expires_at,
        is_expired: false,
        days_left: 12,
      },
    ]);
  });

  it('contains the devices that are in no live profile, for managers', async () => {
    const channel = await addChannel(ios, 'beta');
    await release(ios, channel, await upload(ios, buildIpa()));
    const devices: string[] = [];
    for (const udid of [String(sampleDevices[0]), '00000000-000000000000003E', '00000000-000000000000004E']) {
      fixture.clock.advance(HOUR);
      const answer = await admin.post<{ registered_at: string }>(
        '/api/v1/devices',
        { udid, name: 'A phone' },
        inOrganization,
      );
      devices.push(answer.body.registered_at);
    }
    expect(await attention()).toEqual({
      items: [{ kind: 'devices_waiting', devices: 2, since: devices[1] }],
      total: 1,
    });
    const organizations = { [ios.organization_id]: 'member' } as const;
    const member = await addPerson(fixture, { organizations, projects: { [ios.project_id]: 'admin' } });
    expect(await kinds(member.client)).toEqual([]);
    // Every device can install an in-house build.
    const inHouse = profile('House', 100, { ProvisionsAllDevices: true, ProvisionedDevices: [] });
    await release(ios, await addChannel(ios, 'house'), await upload(ios, buildIpa(inHouse)));
    expect(await kinds()).toEqual([]);
  });

  it('contains the channels with requests for access, for people who manage their testers', async () => {
    const channelId = await addChannel(ios, 'secret', { public: false });
    const ask = async (id: string) => {
      const person = await addPerson(fixture);
      const headers = { cookie: `svc_access=${person.accessToken}`, 'sec-fetch-site': 'same-origin' };
      const url = `${fixture.url}/install/channels/${id}/access-request`;
      expect((await fetch(url, { method: 'POST', headers })).status).toBe(200);
    };
    const since = fixture.clock.now().toISOString();
    await ask(channelId);
    fixture.clock.advance(HOUR);
    await ask(channelId);
    await ask(fixture.app.ids.next());
    expect(await attention()).toEqual({
      items: [
        {
          kind: 'access_requested',
          project_id: ios.project_id,
          project_name: 'Fixture iOS',
          platform: 'ios',
          channel_id: channelId,
          channel_name: 'secret',
          requests: 2,
          since,
        },
      ],
      total: 1,
    });
    const organizations = { [ios.organization_id]: 'member' } as const;
    const inRole = async (role: 'read_download_upload' | 'maintainer') =>
      (await addPerson(fixture, { organizations, projects: { [ios.project_id]: role } })).client;
    expect(await kinds(await inRole('maintainer'))).toEqual(['access_requested']);
    expect(await kinds(await inRole('read_download_upload'))).toEqual([]);
    const { body } = await admin.get<Page<{ identifier: string }>>(`/api/v1/channels/${channelId}/access-requests`);
    for (const { identifier } of body.items) {
      expect((await admin.post(`/api/v1/channel-access-requests/${identifier}/decline`)).status).toBe(204);
    }
    expect(await kinds()).toEqual([]);
  });

  it('contains a webhook with failed deliveries until one succeeds, for managers and tokens with all scopes', async () => {
    const body = { url: `${receiver.url}/hook`, events: ['release.created'], description: 'Release chat' };
    const { body: webhook } = await admin.post<{ identifier: string }>('/api/v1/webhooks', body, inOrganization);
    const channel = await addChannel(android, 'beta');
    const build = await upload(android, buildApk());
    receiver.answer('/hook', 500);
    for (let count = 0; count < 2; count += 1) await release(android, channel, build);
    await fixture.drain();
    const { items, total } = await attention();
    expect(items).toEqual([
      {
        kind: 'webhook_failing',
        webhook_id: webhook.identifier,
        name: 'Release chat',
        deliveries: 2,
        last_failed_at: expect.stringMatching(/Z$/),
        last_status_code: 500,
        last_error: expect.any(String),
      },
    ]);
    expect(total).toBe(1);
    const organizations = { [android.organization_id]: 'member' } as const;
    const member = await addPerson(fixture, { organizations, projects: { [android.project_id]: 'admin' } });
    const manager = await addPerson(fixture, { organizations: { [android.organization_id]: 'manager' } });
    const place = { organizationId: android.organization_id, developerId: manager.id };
    expect(await kinds(member.client)).toEqual([]);
    expect(await kinds(manager.client)).toEqual(['webhook_failing']);
    expect(await kinds(personalTokenClient(fixture, { ...place, scopes: ALL_SCOPES }))).toEqual(['webhook_failing']);
    expect(await kinds(personalTokenClient(fixture, { ...place, scopes: scopes.read }))).toEqual([]);

    await admin.patch(`/api/v1/webhooks/${webhook.identifier}`, { active: false });
    expect((await attention()).items).toEqual([
      { kind: 'webhook_disabled', webhook_id: webhook.identifier, name: 'Release chat', deliveries: 2 },
    ]);
    await admin.patch(`/api/v1/webhooks/${webhook.identifier}`, { active: true });
    receiver.answer('/hook', 200);
    await release(android, channel, build);
    await fixture.drain();
    expect(await kinds()).toEqual([]);
  });

  it("is sorted by urgency, and limited to the caller's projects", async () => {
    await release(ios, await addChannel(ios, 'soon'), await upload(ios, buildIpa(profile('Soon', 20))));
    await release(ios, await addChannel(ios, 'now'), await upload(ios, buildIpa(profile('Now', 3))));
    await release(ios, await addChannel(ios, 'old'), await upload(ios, buildIpa(profile('Old', -1))));
    await admin.post('/api/v1/devices', { udid: '00000000-000000000000003E', name: 'A phone' }, inOrganization);
    await upload(android, buildApk({ isTestOnly: true }));
    const kindsAndNames = async (client = admin) =>
      (await attention(client)).items.map(({ kind, name, reason }) => `${kind} ${name ?? reason ?? ''}`.trim());
    const ofIos = ['uninstallable profile_expired', 'expiring Now', 'expiring Soon'];
    expect(await kindsAndNames()).toEqual([
      'uninstallable profile_expired',
      'expiring Now',
      'devices_waiting',
      'uninstallable test_only',
      'expiring Soon',
    ]);
    const organizations = { [ios.organization_id]: 'member' } as const;
    const reader = await addPerson(fixture, { organizations, projects: { [ios.project_id]: 'read' } });
    const member = await addPerson(fixture, { organizations });
    const token = projectTokenClient(fixture, {
      organizationId: ios.organization_id,
      projectId: ios.project_id,
      role: 'read',
    });
    expect(await kindsAndNames(reader.client)).toEqual(ofIos);
    expect(await kindsAndNames(token)).toEqual(ofIos);
    expect(await kindsAndNames(member.client)).toEqual([]);
    const stranger = await addPerson(fixture);
    expectRefusal(await stranger.client.get(path()), 404, 'not_found');
    expectRefusal(await admin.as(null).get(path()), 401, 'unauthorized');
  });
});

describe('many live builds', () => {
  const COUNT = 1000;

  /** Copies a released build, its facts and its channel as rows, in projects of 100 channels. */
  async function multiply(): Promise<void> {
    const { db, ids } = fixture.app;
    const uploaded = await upload(ios, buildIpa());
    const channelId = await addChannel(ios, 'beta');
    const releaseId = await release(ios, channelId, uploaded);
    const found = db
      .select({ project: projects, channel: channels, build: builds, facts: buildFacts, release: releases })
      .from(releases)
      .innerJoin(projects, eq(projects.id, releases.projectId))
      .innerJoin(channels, eq(channels.id, releases.channelId))
      .innerJoin(builds, eq(builds.id, releases.buildId))
      .innerJoin(buildFacts, eq(buildFacts.buildId, releases.buildId))
      .where(eq(releases.id, releaseId))
      .get();
    if (found === undefined) throw new Error('The release is not stored');
    const projectIds = Array.from({ length: COUNT / 100 }, () => ids.next());
    const made = Array.from({ length: COUNT }, (_, number) => {
      const projectId = projectIds[Math.floor(number / 100)] ?? '';
      const [buildId, ofChannel] = [ids.next(), { projectId, id: ids.next() }];
      return {
        channel: { ...found.channel, ...ofChannel, name: `channel ${number}` },
        build: { ...found.build, projectId, id: buildId, buildNumber: number, pendingUploadId: ids.next() },
        facts: { ...found.facts, buildId },
        release: { ...found.release, projectId, id: ids.next(), channelId: ofChannel.id, buildId },
      };
    });
    const apps = projectIds.map((id, number) => ({ ...found.project, id, name: `App ${100 * number}` }));
    insertRows(db, projects, apps);
    insertRows(
      db,
      channels,
      made.map(({ channel }) => channel),
    );
    insertRows(
      db,
      builds,
      made.map(({ build }) => build),
    );
    insertRows(
      db,
      buildFacts,
      made.map(({ facts }) => facts),
    );
    insertRows(
      db,
      releases,
      made.map((row) => row.release),
    );
  }

  it('are read in short steps, so that other requests can run', async () => {
    await multiply();
    await stopRunners(fixture.app);
    const organization = fixture.organization_id;
    const read = async (path: string) => expect((await admin.get(path, inOrganization)).status).toBe(200);
    for (const path of [`/api/v1/organizations/${organization}/attention`, ACTIVITY, RECENT]) {
      await read(path);
      // The channels of one project.
      expect(await countRowsInOneTurn(fixture.app.db.$client, () => read(path)), path).toBeLessThanOrEqual(100);
    }
  }, 60_000);
});

describe('the query plans', () => {
  const plan = (sql: string) =>
    fixture.app.db.$client
      .prepare<[object], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)
      .all({
        projectId: 'p',
        after: '',
        since: '',
        limit: 1,
        most: 1,
      })
      .map(({ detail }) => detail);

  it('use indexes and no sorting', () => {
    expect(plan(NEWEST_OF_PROJECT)[0]).toBe('SEARCH r USING INDEX releases_project_active (project_id=? AND id>?)');
    const since = plan(BUILDS_SINCE).filter((step) => step.includes('builds'));
    expect(since).toEqual(['SEARCH builds USING COVERING INDEX builds_project (project_id=? AND id>?)']);
    for (const step of [...plan(NEWEST_OF_PROJECT), ...plan(BUILDS_SINCE)])
      expect(step).not.toMatch(/TEMP B-TREE|SCAN (?:builds|r)\b/);
  });
});
