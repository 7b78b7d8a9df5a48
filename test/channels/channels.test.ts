// Channels: creating, listing, editing and deleting them, and their analytics.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { downloads } from '../../src/data/tables/tables.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import { api, auditMark, auditRows, type Client, expectInvalid, expectRefusal, walkPages } from '../support/harness.ts';
import { addPerson } from '../support/people.ts';
import { addResources } from '../support/resources.ts';

let fixture: Fixture;
let client: Client;
let inProject: { organization_id: string; project_id: string };
beforeAll(async () => {
  fixture = await startFixture();
  client = api(fixture);
  inProject = { organization_id: fixture.organization_id, project_id: fixture.android_project_id };
});
afterAll(() => fixture?.stop());

const create = (body: object) => client.post<{ identifier: string }>('/api/v1/channels', body, inProject);

describe('creating a channel', () => {
  it('returns it with its defaults and records an event', async () => {
    const mark = auditMark(fixture);
    const answer = await create({ name: ' nightly ', ignored: 1 });
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      identifier: expect.any(String),
      ...inProject,
      name: 'nightly',
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      description: null,
      auto_distribute: false,
      notify_on_release: true,
      public: false,
      allow_device_registration: false,
      install_url: expect.stringContaining('/install/channels/'),
      slug: null,
      short_url: null,
      sibling_name: null,
      keep_last: null,
      keep_days: null,
    });
    expect(Reflect.get(answer.body, 'install_url')).toBe(
      `${fixture.config.server.base_url}/install/channels/${answer.body.identifier}`,
    );
    const { identifier } = answer.body;
    expect((await client.get(`/api/v1/channels/${identifier}`)).body).toEqual(answer.body);
    expect(auditRows(fixture, { after: mark })).toMatchObject([
      {
        event: 'created',
        type: 'channel',
        identifier,
        organizationId: fixture.organization_id,
        actorKind: 'developer',
        actorId: fixture.admin.developer_id,
        ipAddress: '127.0.0.1',
        details: { name: 'nightly', public: false },
      },
    ]);
  });
  it.each([
    [{}, 'body.name: missing'],
    [{ name: '' }, 'body.name: string_too_short'],
    [{ name: 'x'.repeat(101) }, 'body.name: string_too_long'],
    [{ name: 'a\u0000b' }, 'body.name: string_pattern_mismatch'],
    [{ name: 'a', public: 'yes' }, 'body.public: bool_type'],
    [{ name: 'a', description: 5 }, 'body.description: string_type'],
  ] as [object, string][])('refuses %j', async (body, expected) => {
    expectInvalid(await create(body), expected);
  });
  it('rejects an existing name, and writes nothing', async () => {
    await create({ name: 'twice' });
    expect((await create({ name: 'caf\u00e9' })).status).toBe(201);
    const mark = auditMark(fixture);
    expectRefusal(await create({ name: 'twice' }), 409, 'already_exists');
    // It looks the same, with an accent of its own.
    expectRefusal(await create({ name: 'cafe\u0301' }), 409, 'already_exists');
    expect(auditRows(fixture, { after: mark })).toEqual([]);
  });
  it('requires its parents', async () => {
    expectInvalid(
      await client.post('/api/v1/channels', { name: 'x' }),
      'query.organization_id: missing',
      'query.project_id: missing',
    );
  });
  it('succeeds once for simultaneous requests with one name', async () => {
    const answers = await Promise.all(Array.from({ length: 50 }, () => create({ name: 'race' })));
    expect(answers.filter((answer) => answer.status === 201)).toHaveLength(1);
    expect(answers.filter((answer) => answer.status === 409)).toHaveLength(49);
  });
});

describe('listing channels', () => {
  it('returns all channels in pages, newest first', async () => {
    for (let index = 0; index < 5; index++) await create({ name: `page ${index}` });
    const all = await client.get<{ items: { identifier: string; name: string }[]; next_cursor: null }>(
      '/api/v1/channels',
      inProject,
    );
    expect(all.body.next_cursor).toBeNull();
    const pages = await walkPages(client, '/api/v1/channels', { ...inProject, limit: 2 });
    expect(pages.every((page) => page.length <= 2)).toBe(true);
    expect(pages.flat()).toEqual(all.body.items);
    expect(all.body.items[0]?.name).toBe('page 4');
  });
  it('restarts at a malformed cursor, clamps a large limit and rejects an invalid one', async () => {
    const first = await client.get<{ items: unknown[] }>('/api/v1/channels', inProject);
    for (const extra of [{ cursor: 'nonsense' }, { limit: 100_000 }, { cursor: '' }, { unknown: 'x' }]) {
      const answer = await client.get('/api/v1/channels', { ...inProject, ...extra });
      expect([answer.status, answer.body]).toEqual([200, first.body]);
    }
    expectInvalid(await client.get('/api/v1/channels', { ...inProject, limit: 0 }), 'query.limit: greater_than_equal');
    expectInvalid(await client.get('/api/v1/channels', { ...inProject, limit: 'ten' }), 'query.limit: int_type');
  });
});

describe('changing a channel', () => {
  it('changes the sent fields and records them with their values', async () => {
    const { identifier } = (await create({ name: 'to edit', description: 'old' })).body;
    const mark = auditMark(fixture);
    const answer = await client.patch(`/api/v1/channels/${identifier}`, { description: null, public: true });
    expect(answer.body).toMatchObject({ name: 'to edit', description: null, public: true, notify_on_release: true });
    expect(auditRows(fixture, { after: mark })).toMatchObject([
      {
        event: 'edited',
        type: 'channel',
        identifier,
        details: {
          name: 'to edit',
          fields: ['description', 'public'],
          changed: { description: { from: 'old', to: null }, public: { from: false, to: true } },
        },
      },
    ]);
    expectRefusal(await client.patch(`/api/v1/channels/${identifier}`, { name: 'twice' }), 409, 'already_exists');
    const unchanged = await client.patch(`/api/v1/channels/${identifier}`, { name: 'to edit' });
    expect([unchanged.status, unchanged.body.install_url]).toEqual([
      200,
      `${fixture.config.server.base_url}/install/channels/${identifier}`,
    ]);
    expect(auditRows(fixture, { after: mark })).toHaveLength(1);
  });
});

describe('deleting a channel', () => {
  it('deletes an empty one', async () => {
    const { identifier } = (await create({ name: 'to delete' })).body;
    const mark = auditMark(fixture);
    const answer = await client.delete(`/api/v1/channels/${identifier}`);
    expect([answer.status, answer.text]).toEqual([204, '']);
    expectRefusal(await client.get(`/api/v1/channels/${identifier}`), 404, 'not_found');
    expectRefusal(await client.delete(`/api/v1/channels/${identifier}`), 404, 'not_found');
    expect(auditRows(fixture, { after: mark })).toMatchObject([{ event: 'deleted', type: 'channel', identifier }]);
  });
  it('rejects one with releases or SDK apps unless forced, which deletes them too', async () => {
    const resources = await addResources(fixture);
    const id = resources.queryId('channel_id') ?? '';
    const refused = await client.delete(`/api/v1/channels/${id}`);
    expect(expectRefusal(refused, 409, 'dependency_exists')).toEqual({ releases: 1, sdk_apps: 1 });
    expect(refused.body.message).toBe('The channel has 1 release and 1 SDK app. Send force=true to delete them too');
    const mark = auditMark(fixture);
    expect((await client.delete(`/api/v1/channels/${id}`, { force: true })).status).toBe(204);
    expect(auditRows(fixture, { after: mark }).map((row) => [row.event, row.type])).toEqual([
      ['deleted', 'sdk_app'],
      ['deleted', 'release'],
      ['deleted', 'channel'],
    ]);
  });
});

describe('channel analytics', () => {
  it('counts exactly the downloads recorded with the channel', async () => {
    const { identifier } = (await create({ name: 'counted' })).body;
    const other = (await create({ name: 'not counted' })).body.identifier;
    const empty = await client.get(`/api/v1/channels/${identifier}/analytics`);
    expect(empty.body).toEqual({
      channel_id: identifier,
      distinct_builds: 0,
      total_downloads: 0,
      unique_testers: 0,
      first_downloaded_at: null,
      last_downloaded_at: null,
    });
    const { app } = fixture;
    const [one, two] = [(await addPerson(fixture)).id, (await addPerson(fixture)).id];
    const rows: [channelId: string | null, buildId: string, developerId: string | null, createdAt: number][] = [
      [identifier, 'build-1', one, 1000],
      [identifier, 'build-1', one, 2000],
      [identifier, 'build-2', two, 3000],
      [identifier, 'build-2', null, 4000],
      [other, 'build-3', one, 500],
      [null, 'build-1', one, 9000],
    ];
    for (const [channelId, buildId, developerId, createdAt] of rows) {
      app.db
        .insert(downloads)
        .values({ id: app.ids.next(), organizationId: 'o', projectId: 'p', channelId, buildId, developerId, createdAt })
        .run();
    }
    expect((await client.get(`/api/v1/channels/${identifier}/analytics`)).body).toEqual({
      channel_id: identifier,
      distinct_builds: 2,
      total_downloads: 4,
      unique_testers: 2,
      first_downloaded_at: '1970-01-01T00:00:01.000Z',
      last_downloaded_at: '1970-01-01T00:00:04.000Z',
    });
  });
});
