// Publish jobs: accepted and failed, without asking any provider.
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { builds, outboxEvents, publishJobs, storeConnections } from '../../src/data/tables/tables.ts';
import { buildPng } from '../support/fixtures.ts';
import {
  ABSENT,
  auditMark,
  auditRows,
  expectInvalid,
  expectRefusal,
  type Json,
  walkPages,
} from '../support/harness.ts';
import { addPerson } from '../support/people.ts';
import { addResources } from '../support/resources.ts';
import { type StoreScenario, startStoreScenario } from './scenario.ts';

let scenario: StoreScenario;
let buildId: string;
beforeAll(async () => {
  scenario = await startStoreScenario();
  await addResources(scenario.fixture);
  buildId = scenario.fixture.app.db.select().from(builds).get()?.id ?? '';
});
afterAll(() => scenario?.stop());
beforeEach(() => {
  const { db } = scenario.fixture.app;
  db.delete(publishJobs).run();
  db.delete(storeConnections).run();
  db.update(builds).set({ revokedAt: null }).run();
});

type Job = Json & { identifier: string };
const inProject = () => ({
  organization_id: scenario.fixture.organization_id,
  project_id: scenario.fixture.android_project_id,
});
const publish = (body: Json, client = scenario.admin) => client.post<Job>('/api/v1/publish', body, inProject());
const readJob = async (id: string) => (await scenario.admin.get<Job>(`/api/v1/publish/${id}`)).body;

describe('POST /publish', () => {
  it('creates a job that runs and fails, and asks nobody', async () => {
    const { fixture } = scenario;
    const connection = await scenario.connectGoogle();
    const [before] = fixture.app.db.select().from(storeConnections).all();
    const outbox = () => fixture.app.db.select().from(outboxEvents).all().length;
    scenario.providers.requests.length = 0;
    const after = auditMark(fixture);
    const events = outbox();
    const answer = await publish({ build_id: buildId, store_connection_id: connection.identifier, track: 'internal' });
    const time = fixture.clock.now().toISOString();
    expect(answer.status).toBe(202);
    const created = {
      identifier: expect.any(String),
      ...inProject(),
      build_id: buildId,
      store_connection_id: connection.identifier,
      store_connection_name: 'Our Play account',
      provider: 'google_play',
      track: 'internal',
      state: 'created',
      failure: null,
      created_at: time,
      created_by: fixture.admin.developer_id,
      started_at: null,
      finished_at: null,
    };
    expect(answer.body).toEqual(created);
    await fixture.drain();
    expect(await readJob(answer.body.identifier)).toEqual({
      ...created,
      state: 'failed',
      failure: {
        code: 'publishing_not_operational',
        message:
          'Publishing to app stores is not operational. Nothing was sent to the store. This says nothing about the build or the credentials.',
      },
      started_at: time,
      finished_at: time,
    });
    const details = { build_id: buildId, store_connection_id: connection.identifier };
    expect(auditRows(fixture, { after })).toMatchObject([
      {
        event: 'store_publish_requested',
        type: 'store_publish',
        identifier: answer.body.identifier,
        developerId: fixture.admin.developer_id,
        details: { ...details, name: 'Our Play account', track: 'internal' },
      },
      {
        event: 'store_publish_failed',
        type: 'store_publish',
        identifier: answer.body.identifier,
        details: { ...details, code: 'publishing_not_operational' },
      },
    ]);
    expect(scenario.providers.requests).toEqual([]);
    expect(outbox()).toBe(events);
    expect(fixture.app.db.select().from(storeConnections).all()).toEqual([before]);
  });

  it('ends while objects are deleted from a slow storage', async () => {
    const { fixture, admin } = scenario;
    const { storage } = fixture.app;
    const icon = `/api/v1/organizations/${fixture.organization_id}/icon`;
    const form = new FormData();
    form.append('file', new Blob([new Uint8Array(buildPng(8, 8))]), 'icon.png');
    expect((await admin.send('POST', icon, { rawBody: form })).status).toBe(201);
    const [asked, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const hold = vi.spyOn(storage, 'deleteMany').mockImplementation(async () => {
      asked.resolve();
      await gate.promise;
      return [];
    });
    onTestFinished(() => {
      hold.mockRestore();
      gate.resolve();
    });
    expect((await admin.delete(icon)).status).toBe(204);
    await asked.promise;
    const connection = await scenario.connectGoogle();
    const { body } = await publish({ build_id: buildId, store_connection_id: connection.identifier });
    await expect.poll(() => readJob(body.identifier)).toMatchObject({ state: 'failed' });
  });

  it('rejects other tracks', async () => {
    const { identifier } = await scenario.connectGoogle();
    const body = { build_id: buildId, store_connection_id: identifier };
    expectInvalid(await publish({ ...body, track: 'x'.repeat(51) }), 'body.track: string_too_long');
    expectInvalid(await publish({ ...body, track: 'a\nb' }), 'body.track: string_pattern_mismatch');
    expectInvalid(await publish({ ...body, track: ' ' }), 'body.track: string_too_short');
    expectInvalid(await publish({}), 'body.build_id: missing', 'body.store_connection_id: missing');
  });

  it('rejects a revoked build, a provider of the other platform, and what belongs to others', async () => {
    const { fixture, admin } = scenario;
    const play = await scenario.connectGoogle();
    const apple = await scenario.connectApple();
    const after = auditMark(fixture);
    expectRefusal(await publish({ build_id: buildId, store_connection_id: apple.identifier }), 400, 'invalid_input');
    expectRefusal(await publish({ build_id: ABSENT, store_connection_id: play.identifier }), 404, 'not_found');
    expectRefusal(await publish({ build_id: buildId, store_connection_id: ABSENT }), 404, 'not_found');
    const other = await admin.post(
      '/api/v1/publish',
      { build_id: buildId, store_connection_id: play.identifier },
      { ...inProject(), project_id: fixture.ios_project_id },
    );
    expectRefusal(other, 404, 'not_found');
    fixture.app.db.update(builds).set({ revokedAt: 1 }).run();
    const body = { build_id: buildId, store_connection_id: play.identifier };
    expectRefusal(await publish(body), 400, 'operation_not_allowed');
    expect(auditRows(fixture, { after })).toEqual([]);
  });

  it('is for maintainers, and its jobs for all who can read the project', async () => {
    const { fixture } = scenario;
    const { identifier } = await scenario.connectGoogle();
    const reader = await addPerson(fixture, {
      organizations: { [fixture.organization_id]: 'member' },
      projects: { [fixture.android_project_id]: 'read' },
    });
    const stranger = await addPerson(fixture);
    const body = { build_id: buildId, store_connection_id: identifier };
    expectRefusal(await publish(body, reader.client), 404, 'not_found');
    expectRefusal(await publish(body, stranger.client), 404, 'not_found');
    const job = (await publish(body)).body.identifier;
    expect((await reader.client.get(`/api/v1/publish/${job}`)).status).toBe(200);
    expectRefusal(await stranger.client.get(`/api/v1/publish/${job}`), 404, 'not_found');
  });

  it('keeps the name of a connection that is deleted before the job runs', async () => {
    const { identifier } = await scenario.connectGoogle();
    const job = (await publish({ build_id: buildId, store_connection_id: identifier })).body.identifier;
    await scenario.admin.delete(`/api/v1/store-connections/${identifier}`);
    await scenario.fixture.drain();
    expect(await readJob(job)).toMatchObject({ state: 'failed', store_connection_name: 'Our Play account' });
  });
});

it('GET /publish lists the jobs of the project, newest first', async () => {
  const { identifier } = await scenario.connectGoogle();
  const ids = [];
  for (let count = 0; count < 3; count += 1) {
    ids.unshift((await publish({ build_id: buildId, store_connection_id: identifier })).body.identifier);
  }
  const pages = await walkPages(scenario.admin, '/api/v1/publish', { ...inProject(), limit: 2 });
  expect(pages.map((items) => items.map((item) => item.identifier))).toEqual([ids.slice(0, 2), ids.slice(2)]);
  expectRefusal(await scenario.admin.get(`/api/v1/publish/${ABSENT}`), 404, 'not_found');
});
