// Releases: the current release of a channel, and the effect of releasing, disabling, rolling back and deleting.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { builds } from '../../src/data/tables/tables.ts';
import { PROMOTION_SOURCE } from '../../src/releases/store.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import {
  ABSENT,
  api,
  auditMark,
  auditRows,
  type Client,
  expectInvalid,
  expectRefusal,
  outboxRows,
} from '../support/harness.ts';
import { addTeam } from '../support/people.ts';

interface Release {
  identifier: string;
  state: string;
  is_current: boolean;
  mandatory: boolean;
  release_notes: string | null;
  build: { identifier: string; version_name: string };
  created_by: string | null;
  released_by: { kind: string; name: string | null } | null;
  promoted_from: { channel_id: string; name: string } | null;
}

let fixture: Fixture;
let client: Client;
let inProject: { organization_id: string; project_id: string };
let channelId: string;
let inChannel: { organization_id: string; project_id: string; channel_id: string };
let counter = 0;

beforeAll(async () => {
  fixture = await startFixture();
  client = api(fixture);
  inProject = { organization_id: fixture.organization_id, project_id: fixture.android_project_id };
});
afterAll(() => fixture?.stop());
beforeEach(async () => {
  counter += 1;
  const answer = await client.post<{ identifier: string }>(
    '/api/v1/channels',
    { name: `channel ${counter}` },
    inProject,
  );
  channelId = answer.body.identifier;
  inChannel = { ...inProject, channel_id: channelId };
});

/** A build as a row: how it came there is told elsewhere. */
function addBuild(projectId = fixture.android_project_id): string {
  const { app } = fixture;
  const id = app.ids.next();
  counter += 1;
  app.db
    .insert(builds)
    .values({
      id,
      organizationId: fixture.organization_id,
      projectId,
      platform: 'android',
      versionName: `1.${counter}`,
      buildNumber: counter,
      sha256: 'a'.repeat(64),
      sizeBytes: 10,
      uploadedAt: app.clock.now().getTime(),
      objectKey: `builds/${id}/package.apk`,
      inspectionStatus: 'ok',
      pendingUploadId: app.ids.next(),
    })
    .run();
  return id;
}

const release = (buildId: string, more: object = {}) =>
  client.post<Release>('/api/v1/releases', { build_id: buildId, ...more }, inChannel);
const releaseNew = async () => (await release(addBuild())).body.identifier;
const current = async () =>
  (await client.get<Release[]>('/api/v1/releases/current', inChannel)).body.map((row) => row.identifier);
const act = (id: string, verb: string) => client.post<Release>(`/api/v1/releases/${id}/${verb}`);
const rollBack = () => client.post<Release>('/api/v1/releases/rollback', undefined, inChannel);
const rollBackTo = (release_id: string) =>
  client.post<Release>('/api/v1/releases/rollback', undefined, { ...inChannel, release_id });

describe('releasing a build', () => {
  it('returns the release, makes it current, and records audit event and webhook', async () => {
    const buildId = addBuild();
    const mark = auditMark(fixture);
    const before = outboxRows(fixture, 'release.created').length;
    const answer = await release(buildId, { release_notes: 'new\nthings', mandatory: true });
    expect(answer.status).toBe(201);
    expect(answer.body).toMatchObject({
      ...inChannel,
      release_notes: 'new\nthings',
      mandatory: true,
      state: 'active',
      is_current: true,
      created_by: fixture.admin.developer_id,
      released_by: { kind: 'developer', name: 'Fixture Administrator' },
      promoted_from: null,
      build: { identifier: buildId, project_id: inProject.project_id, platform: 'android' },
    });
    const { identifier } = answer.body;
    expect((await client.get(`/api/v1/releases/${identifier}`)).body).toEqual(answer.body);
    expect(await current()).toEqual([identifier]);
    expect(auditRows(fixture, { after: mark })).toMatchObject([
      { event: 'created', type: 'release', identifier, details: { channel_id: channelId, build_id: buildId } },
    ]);
    expect(outboxRows(fixture, 'release.created').slice(before)).toMatchObject([
      {
        organizationId: fixture.organization_id,
        projectId: inProject.project_id,
        data: { release_id: identifier, channel_id: channelId, build_id: buildId },
      },
    ]);
  });
  it('replaces the current release of the channel, and lists the newest first', async () => {
    const [one, two, three] = [await releaseNew(), await releaseNew(), await releaseNew()];
    const list = await client.get<{ items: Release[] }>('/api/v1/releases', inChannel);
    expect(list.body.items.map((row) => [row.identifier, row.is_current])).toEqual([
      [three, true],
      [two, false],
      [one, false],
    ]);
  });
  it('promotes a build that is on another channel', async () => {
    const buildId = addBuild();
    await release(buildId);
    const other = await client.post<{ identifier: string }>('/api/v1/channels', { name: 'stable' }, inProject);
    const promoted = await client.post<Release>(
      '/api/v1/releases',
      { build_id: buildId },
      { ...inProject, channel_id: other.body.identifier },
    );
    expect([promoted.status, promoted.body.build.identifier]).toEqual([201, buildId]);
    expect(promoted.body.promoted_from).toEqual({ channel_id: channelId, name: `channel ${counter - 1}` });
    expect((await release(buildId)).body.promoted_from).toMatchObject({ name: 'stable' });
  });
  it('looks for the channel of a promotion among the last hundred releases of the build, in an index alone', async () => {
    const buildId = addBuild();
    const other = await client.post<{ identifier: string }>('/api/v1/channels', { name: `from ${counter}` }, inProject);
    const source = { channel_id: other.body.identifier, name: `from ${counter}` };
    await client.post('/api/v1/releases', { build_id: buildId }, { ...inProject, channel_id: source.channel_id });
    for (let index = 0; index < 101; index += 1) await release(buildId);
    const { items } = (await client.get<{ items: Release[] }>('/api/v1/releases', { ...inChannel, limit: 200 })).body;
    expect(items.map((row) => row.promoted_from)).toEqual([null, ...Array(100).fill(source)]);
    const plan = fixture.app.db.$client
      .prepare<[object], { detail: string }>(`EXPLAIN QUERY PLAN ${PROMOTION_SOURCE}`)
      .all({ buildId, id: ABSENT, channelId, max: 100 })
      .map(({ detail }) => detail);
    expect(plan).toContain('SEARCH releases USING COVERING INDEX releases_build (build_id=? AND id<?)');
    for (const step of plan) expect(step).not.toMatch(/TEMP B-TREE|SCAN releases/);
  });
  it('rejects builds that belong to other projects, do not exist or are revoked', async () => {
    expectRefusal(await release(addBuild(fixture.ios_project_id)), 404, 'not_found');
    expectRefusal(await release(fixture.app.ids.next()), 404, 'not_found');
    const revoked = addBuild();
    await client.post(`/api/v1/builds/${revoked}/revoke`);
    expectRefusal(await release(revoked), 400, 'operation_not_allowed');
    expect(await current()).toEqual([]);
  });
  it('rejects a channel of another project', async () => {
    const query = { ...inChannel, project_id: fixture.ios_project_id };
    expectRefusal(await client.post('/api/v1/releases', { build_id: addBuild() }, query), 404, 'not_found');
  });
  it.each([
    [{}, 'body.build_id: missing'],
    [{ build_id: 'x' }, 'body.build_id: uuid_parsing'],
    [{ build_id: '01890a5d-ac96-774b-bcce-b302099a8057', mandatory: 1 }, 'body.mandatory: bool_type'],
    [
      { build_id: '01890a5d-ac96-774b-bcce-b302099a8057', release_notes: 'x'.repeat(10_001) },
      'body.release_notes: string_too_long',
    ],
  ] as [object, string][])('refuses %j', async (body, expected) => {
    expectInvalid(await client.post('/api/v1/releases', body, inChannel), expected);
  });
});

describe('the current release', () => {
  it('changes when the newest is disabled, deleted, or its build revoked, and comes back', async () => {
    const [one, two] = [await releaseNew(), await releaseNew()];
    expect((await act(two, 'disable')).body).toMatchObject({ state: 'disabled', is_current: false });
    expect(await current()).toEqual([one]);
    expect((await act(two, 'enable')).body).toMatchObject({ state: 'active', is_current: true });
    const buildId = (await client.get<Release>(`/api/v1/releases/${two}`)).body.build.identifier;
    await client.post(`/api/v1/builds/${buildId}/revoke`);
    expect(await current()).toEqual([one]);
    expect((await client.delete(`/api/v1/releases/${one}`)).status).toBe(204);
    expect(await current()).toEqual([]);
  });
  it('is returned for all channels of the project without a channel', async () => {
    const one = await releaseNew();
    const rows = (await client.get<Release[]>('/api/v1/releases/current', inProject)).body;
    expect(rows.map((row) => [row.identifier, row.is_current])).toContainEqual([one, true]);
  });
  it('records a repeated action as redundant and changes nothing', async () => {
    const id = await releaseNew();
    const mark = auditMark(fixture);
    expect((await act(id, 'enable')).body).toMatchObject({ state: 'active' });
    expect(auditRows(fixture, { after: mark })).toMatchObject([
      { event: 'redundant_action', type: 'release', identifier: id },
    ]);
  });
});

describe('rolling back', () => {
  it('marks the current release and returns the one before it', async () => {
    const [one, two] = [await releaseNew(), await releaseNew()];
    const mark = auditMark(fixture);
    const before = outboxRows(fixture, 'release.rolled_back').length;
    const answer = await rollBack();
    expect([answer.status, answer.body.identifier, answer.body.is_current]).toEqual([200, one, true]);
    expect((await client.get<Release>(`/api/v1/releases/${two}`)).body).toMatchObject({
      state: 'rolled_back',
      is_current: false,
    });
    expect(auditRows(fixture, { after: mark })).toMatchObject([
      { event: 'rolled_back', type: 'release', identifier: two },
    ]);
    type Named = { channel_id: string; build: { version_name: string; build_number: number } };
    const { channel_id: channelId, build } = (await client.get<Named>(`/api/v1/releases/${two}`)).body;
    const { version_name, build_number } = build;
    const channel = (await client.get<{ name: string }>(`/api/v1/channels/${channelId}`)).body.name;
    expect(auditRows(fixture, { after: mark })[0]?.details).toMatchObject({ channel, version_name, build_number });
    expect(outboxRows(fixture, 'release.rolled_back').slice(before)).toMatchObject([{ data: { release_id: two } }]);
  });
  it('skips releases that cannot be current', async () => {
    const [one, two, three] = [await releaseNew(), await releaseNew(), await releaseNew()];
    await act(two, 'disable');
    expect((await rollBack()).body.identifier).toBe(one);
    expect(await current()).toEqual([one]);
    expectRefusal(await act(three, 'enable'), 400, 'operation_not_allowed');
    expectRefusal(await act(three, 'disable'), 400, 'operation_not_allowed');
  });
  it('is rejected without an earlier release, and changes nothing', async () => {
    expectRefusal(await rollBack(), 400, 'operation_not_allowed');
    const only = await releaseNew();
    const mark = auditMark(fixture);
    expectRefusal(await rollBack(), 400, 'operation_not_allowed');
    expect(await current()).toEqual([only]);
    expect(auditRows(fixture, { after: mark })).toEqual([]);
  });
  it('returns to the given release, and marks and records each newer one', async () => {
    const [one, two, three, four] = [await releaseNew(), await releaseNew(), await releaseNew(), await releaseNew()];
    await act(three, 'disable');
    const mark = auditMark(fixture);
    const before = outboxRows(fixture, 'release.rolled_back').length;
    const answer = await rollBackTo(one);
    expect([answer.status, answer.body.identifier, answer.body.is_current]).toEqual([200, one, true]);
    const states = (await client.get<{ items: Release[] }>('/api/v1/releases', inChannel)).body.items;
    expect(states.map((row) => [row.identifier, row.state])).toEqual([
      [four, 'rolled_back'],
      [three, 'disabled'],
      [two, 'rolled_back'],
      [one, 'active'],
    ]);
    expect(auditRows(fixture, { after: mark })).toMatchObject(
      [four, two].map((identifier) => ({
        event: 'rolled_back',
        type: 'release',
        identifier,
        details: { current_release_id: one },
      })),
    );
    expect(outboxRows(fixture, 'release.rolled_back').slice(before)).toMatchObject([
      { data: { release_id: four } },
      { data: { release_id: two } },
    ]);
  });
  it('rejects a release that is current, disabled, rolled back or more than a hundred back', async () => {
    const [far, off, gone] = [await releaseNew(), await releaseNew(), await releaseNew()];
    await act(off, 'disable');
    expect((await rollBack()).body.identifier).toBe(far);
    const buildId = addBuild();
    let newest = '';
    for (let index = 0; index < 101; index += 1) newest = (await release(buildId)).body.identifier;
    const mark = auditMark(fixture);
    for (const id of [newest, off, gone, far]) {
      expectRefusal(await rollBackTo(id), 400, 'operation_not_allowed');
    }
    expect(await current()).toEqual([newest]);
    expect(auditRows(fixture, { after: mark })).toEqual([]);
  });
  it('does not find a release of another channel, project or organization, or none', async () => {
    const [, newest] = [await releaseNew(), await releaseNew()];
    const other = await client.post<{ identifier: string }>(
      '/api/v1/channels',
      { name: `other ${counter}` },
      inProject,
    );
    const elsewhere = await client.post<Release>(
      '/api/v1/releases',
      { build_id: addBuild() },
      { ...inProject, channel_id: other.body.identifier },
    );
    const team = await addTeam(fixture);
    const foreign = await team.admin.client.post<{ identifier: string }>(
      '/api/v1/channels',
      { name: 'beta' },
      { organization_id: team.organizationId, project_id: team.projectId },
    );
    const mark = auditMark(fixture);
    for (const id of [elsewhere.body.identifier, ABSENT]) {
      expectRefusal(await rollBackTo(id), 404, 'not_found');
    }
    for (const changed of [
      { channel_id: other.body.identifier },
      { channel_id: foreign.body.identifier },
      { project_id: fixture.ios_project_id },
      { organization_id: team.organizationId },
    ]) {
      const query = { ...inChannel, ...changed, release_id: newest };
      expectRefusal(await client.post('/api/v1/releases/rollback', undefined, query), 404, 'not_found');
    }
    expectInvalid(await rollBackTo('x'), 'query.release_id: uuid_parsing');
    expect(await current()).toEqual([newest]);
    expect(auditRows(fixture, { after: mark })).toEqual([]);
  });
  it('goes one step back for each of several simultaneous requests while there are releases', async () => {
    const first = await releaseNew();
    for (let index = 0; index < 5; index++) await releaseNew();
    const answers = await Promise.all(Array.from({ length: 20 }, rollBack));
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(5);
    expect(await current()).toEqual([first]);
  });
});

describe('changing and deleting a release', () => {
  it('changes only notes and the mandatory mark', async () => {
    const id = await releaseNew();
    const answer = await client.patch<Release>(`/api/v1/releases/${id}`, { mandatory: true, state: 'disabled' });
    expect(answer.body).toMatchObject({ mandatory: true, state: 'active', release_notes: null });
    expect((await client.patch<Release>(`/api/v1/releases/${id}`, { release_notes: 'x' })).body).toMatchObject({
      mandatory: true,
      release_notes: 'x',
    });
  });
  it('deletes it, with webhook and audit event', async () => {
    const id = await releaseNew();
    const before = outboxRows(fixture, 'release.deleted').length;
    expect((await client.delete(`/api/v1/releases/${id}`)).status).toBe(204);
    expectRefusal(await client.get(`/api/v1/releases/${id}`), 404, 'not_found');
    expect(outboxRows(fixture, 'release.deleted')).toHaveLength(before + 1);
  });
  it('happens when its build is deleted', async () => {
    const id = await releaseNew();
    const buildId = (await client.get<Release>(`/api/v1/releases/${id}`)).body.build.identifier;
    expect((await client.delete(`/api/v1/builds/${buildId}`)).status).toBe(204);
    expectRefusal(await client.get(`/api/v1/releases/${id}`), 404, 'not_found');
  });
});

describe('releases with a token', () => {
  it('can be read by a project access token, and created as maintainer', async () => {
    const ci = client.as(fixture.project_access_token);
    const answer = await ci.post<Release>('/api/v1/releases', { build_id: addBuild() }, inChannel);
    expect([answer.status, answer.body.created_by]).toEqual([201, null]);
    expect(answer.body.released_by).toEqual({ kind: 'project_access_token', name: expect.stringMatching(/./) });
    const { identifier } = answer.body;
    expect((await ci.get(`/api/v1/releases/${identifier}/analytics`)).body).toEqual({
      release_id: identifier,
      channel_id: channelId,
      total_downloads: 0,
      unique_testers: 0,
      first_downloaded_at: null,
      last_downloaded_at: null,
      installs: { total: 0, downloaded: 0, installed: 0, launched: 0, failed: 0 },
    });
    expect((await ci.get(`/api/v1/releases/${identifier}/installs`)).body).toEqual({ items: [], next_cursor: null });
    expect(auditRows(fixture, { identifier })).toMatchObject([{ actorKind: 'project_access_token' }]);
  });
});

describe('rendering notes', () => {
  const render = (notes: unknown) => client.post<unknown>('/api/v1/release-notes/render', { release_notes: notes });

  it('returns HTML, plain text and the first line, and changes nothing', async () => {
    const mark = auditMark(fixture);
    const { status, body } = await render(
      '## New\n- **Tides**\n- [Map](https://x.example) <b>[x](javascript:alert(1))',
    );
    expect(status).toBe(200);
    expect(body).toEqual({
      html: '<h3 dir="auto">New</h3><ul dir="auto"><li><strong>Tides</strong></li><li><a href="https://x.example" rel="noopener nofollow" target="_blank">Map</a> &lt;b&gt;[x](javascript:alert(1))</li></ul>',
      text: 'New\n\n• Tides\n• Map (https://x.example) <b>[x](javascript:alert(1))',
      first_line: 'New',
    });
    expect(auditRows(fixture, { after: mark })).toEqual([]);
  });

  it('leaves the notes of a release as they were written', async () => {
    const notes = '## New\r\n<script>alert(1)</script> **Tides**';
    const build = addBuild();
    const release = await client.post<Release>(
      '/api/v1/releases',
      { build_id: build, release_notes: notes },
      inChannel,
    );
    expect(release.body.release_notes).toBe(notes);
  });

  it('rejects notes that no release can have', async () => {
    expectInvalid(await render('a'.repeat(10_001)), 'body.release_notes: string_too_long');
    expectInvalid(await render(null), 'body.release_notes: string_type');
    expect((await render(' ')).body).toEqual({ html: '', text: '', first_line: null });
  });
});
