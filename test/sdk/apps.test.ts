// SDK apps: creating, reading, editing, revoking and deleting them, and their audit events.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import {
  ABSENT,
  auditMark,
  auditRows,
  type Client,
  expectInvalid,
  expectRefusal,
  type Json,
  type Page,
} from '../support/harness.ts';
import { addTeam, personalTokenClient } from '../support/people.ts';
import { type SdkApp, type SdkScenario, startSdkScenario } from './scenario.ts';

let fixture: Fixture;
let scenario: SdkScenario;
let staff: Client;

beforeAll(async () => {
  fixture = await startFixture();
  scenario = await startSdkScenario(fixture);
  staff = await scenario.staff();
});
afterAll(() => fixture?.stop());

const create = (body: Json) => staff.post<SdkApp & Json>('/api/v1/sdk-apps', body, scenario.inProject);
const trail = (mark: string) =>
  auditRows(fixture, { after: mark }).map(({ event, type, identifier, details, actorKind }) => ({
    event,
    type,
    identifier,
    details,
    actorKind,
  }));

describe('an SDK app', () => {
  it('is created with a key and a secret that is shown once', async () => {
    const mark = auditMark(fixture);
    const { status, body } = await create({ name: 'Harbour for Android', channel_id: scenario.channelId });
    expect([status, body]).toEqual([
      201,
      {
        identifier: expect.any(String),
        ...scenario.inProject,
        channel_id: scenario.channelId,
        name: 'Harbour for Android',
        app_key: expect.stringMatching(/^svc_app_[\w-]{43}$/),
        app_secret: expect.stringMatching(/^svc_aps_[\w-]{43}$/),
        install_count: 0,
        created_at: expect.any(String),
        created_by: fixture.admin.developer_id,
        secret_rotated_at: null,
        revoked_at: null,
      },
    ]);
    const { app_secret, ...shown } = body;
    expect((await staff.get(`/api/v1/sdk-apps/${body.identifier}`)).body).toEqual(shown);
    const { items } = (await staff.get<Page>('/api/v1/sdk-apps', scenario.inProject)).body;
    expect(items[0]).toEqual(shown);
    expect(JSON.stringify(items)).not.toContain(app_secret);
    expect(trail(mark)).toEqual([
      {
        event: 'created',
        type: 'sdk_app',
        identifier: body.identifier,
        details: { name: 'Harbour for Android', channel_id: scenario.channelId },
        actorKind: 'developer',
      },
    ]);
  });

  it('can be created by a maintainer of the project and by tokens with all permissions there', async () => {
    const ci = staff.as(fixture.project_access_token);
    const body = { name: 'by CI', channel_id: scenario.channelId };
    expect((await ci.post('/api/v1/sdk-apps', body, scenario.inProject)).body).toMatchObject({ created_by: null });
    const team = await addTeam(fixture);
    const query = { organization_id: team.organizationId, project_id: team.projectId };
    const { client } = team.inRole.maintainer;
    const channel = await client.post<{ identifier: string }>('/api/v1/channels', { name: 'c' }, query);
    const input = { name: 'Crane', channel_id: channel.body.identifier };
    expect((await client.post('/api/v1/sdk-apps', input, query)).status).toBe(201);
    const uploader = team.inRole.read_download_upload.client;
    expectRefusal(await uploader.post('/api/v1/sdk-apps', input, query), 404, 'not_found');
    expect((await uploader.get('/api/v1/sdk-apps', query)).status).toBe(200);
    const owner = { developerId: team.admin.id, organizationId: team.organizationId };
    const script = personalTokenClient(fixture, { ...owner, scopes: 63n });
    expectRefusal(await script.post('/api/v1/sdk-apps', input, query), 403, 'permission_denied');
    // Channels elsewhere are not found.
    expectRefusal(await create(input), 404, 'not_found');
    expectRefusal(await create({ ...input, channel_id: ABSENT }), 404, 'not_found');
  });

  it('changes its name and its channel, and records only the changed fields', async () => {
    const app = await scenario.addApp();
    const path = `/api/v1/sdk-apps/${app.identifier}`;
    const other = await scenario.addChannel();
    const mark = auditMark(fixture);
    expect((await staff.patch(path, { name: 'Pier' })).body).toMatchObject({
      name: 'Pier',
      channel_id: scenario.channelId,
    });
    expect((await staff.patch(path, { channel_id: other })).body).toMatchObject({ name: 'Pier', channel_id: other });
    expect((await staff.patch(path, { name: 'Pier', channel_id: other })).status).toBe(200);
    expect((await staff.patch(path, {})).status).toBe(200);
    expectRefusal(await staff.patch(path, { channel_id: fixture.app.ids.next() }), 404, 'not_found');
    expect((await staff.get(path, { channel_id: other })).status).toBe(200);
    expectRefusal(await staff.get(path, { channel_id: scenario.channelId }), 404, 'not_found');
    const row = { event: 'edited', type: 'sdk_app', identifier: app.identifier, actorKind: 'developer' };
    expect(trail(mark)).toEqual([
      { ...row, details: { name: 'Pier', fields: ['name'] } },
      { ...row, details: { name: 'Pier', fields: ['channel_id'] } },
    ]);
  });

  it('gets a new secret, is revoked and deleted, each recorded without the secret', async () => {
    const app = await scenario.addApp();
    await scenario.enroll({}, app);
    const path = `/api/v1/sdk-apps/${app.identifier}`;
    const mark = auditMark(fixture);
    const rotated = await staff.post<SdkApp & Json>(`${path}/rotate-secret`);
    expect(rotated.body).toMatchObject({ secret_rotated_at: expect.any(String), app_key: app.app_key });
    expect((await staff.post(`${path}/revoke`)).status).toBe(204);
    expect((await staff.get(path)).body).toMatchObject({ revoked_at: expect.any(String), install_count: 1 });
    const { revoked_at } = (await staff.get(path)).body;
    fixture.clock.advance(1000);
    expect((await staff.post(`${path}/revoke`)).status).toBe(204);
    expect((await staff.get(path)).body.revoked_at).toBe(revoked_at);
    expectRefusal(await staff.post(`${path}/rotate-secret`), 400, 'operation_not_allowed');
    expect((await staff.delete(path)).status).toBe(204);
    expectRefusal(await staff.get(path), 404, 'not_found');
    expectRefusal(await staff.delete(path), 404, 'not_found');
    const row = { type: 'sdk_app', identifier: app.identifier, actorKind: 'developer' };
    const { name } = app;
    expect(trail(mark)).toEqual([
      { ...row, event: 'edited', details: { name, fields: ['app_secret'] } },
      { ...row, event: 'revoked', details: { name, installs: 1 } },
      { ...row, event: 'redundant_action', details: { name, action: 'revoke' } },
      { ...row, event: 'deleted', details: { name, installs: 1 } },
    ]);
    const kept = JSON.stringify(auditRows(fixture));
    for (const secret of [app.app_secret, rotated.body.app_secret]) expect(kept).not.toContain(secret);
  });

  it.each([
    [{}, ['body.name: missing', 'body.channel_id: missing']],
    [{ name: ' ', channel_id: ABSENT }, ['body.name: string_too_short']],
    [{ name: 'x'.repeat(101), channel_id: ABSENT }, ['body.name: string_too_long']],
    [{ name: 'x', channel_id: 'beta' }, ['body.channel_id: uuid_parsing']],
  ] as const)('is rejected as %j', async (body, expected) => {
    expectInvalid(await create(body), ...expected);
  });
});

describe('a channel with an SDK app', () => {
  it('can only be deleted with force, which also deletes the SDK app', async () => {
    const channelId = await scenario.addChannel();
    const app = await scenario.addApp(channelId);
    const refusal = await staff.delete(`/api/v1/channels/${channelId}`);
    expect(expectRefusal(refusal, 409, 'dependency_exists')).toEqual({ releases: 0, sdk_apps: 1 });
    expect(refusal.body.message).toBe('The channel has 1 SDK app. Send force=true to delete them too');
    const mark = auditMark(fixture);
    expect((await staff.delete(`/api/v1/channels/${channelId}`, { force: true })).status).toBe(204);
    expect(trail(mark).map(({ event, type }) => `${event} ${type}`)).toEqual(['deleted sdk_app', 'deleted channel']);
    expectRefusal(await staff.get(`/api/v1/sdk-apps/${app.identifier}`), 404, 'not_found');
  });

  it('is deleted with its SDK app when its project is deleted', async () => {
    const project = { name: 'short-lived', platform: 'android' };
    const made = await staff.post<{ identifier: string }>('/api/v1/projects', project, {
      organization_id: fixture.organization_id,
    });
    const query = { organization_id: fixture.organization_id, project_id: made.body.identifier };
    const channel = await staff.post<{ identifier: string }>('/api/v1/channels', { name: 'c' }, query);
    const input = { name: 'Gone', channel_id: channel.body.identifier };
    const app = (await staff.post<SdkApp>('/api/v1/sdk-apps', input, query)).body;
    const { update_token } = await scenario.enroll({}, app);
    expect((await staff.delete(`/api/v1/projects/${made.body.identifier}`)).status).toBe(204);
    expectRefusal(await scenario.ask('/app', { key: app.app_key, token: update_token }), 401, 'unauthorized');
    expect(await fixture.sweep('sessions')).toBeGreaterThan(0);
  });
});

describe('the description of the API', () => {
  it('contains the credential of each operation for installs', async () => {
    const { body } = await staff.get<{
      paths: Record<string, Record<string, { security: object[]; responses: object }>>;
    }>('/api/openapi.json');
    const securityOf = (path: string, method: string) => body.paths[`/sdk/v1${path}`]?.[method]?.security;
    const install = [{ sdk_app_key: [], sdk_update_token: [] }];
    expect([
      securityOf('/enroll', 'post'),
      securityOf('/token/rotate', 'post'),
      securityOf('/app', 'get'),
      securityOf('/releases/latest', 'get'),
      securityOf('/releases/{release_id}/download', 'get'),
      securityOf('/releases/{release_id}/manifest.plist', 'get'),
      securityOf('/installs/report', 'post'),
    ]).toEqual([[{ sdk_app_key: [] }], install, install, install, install, [], install]);
    expect(body.paths['/sdk/v1/app']?.get?.responses).toHaveProperty('401');
  });
});
