// Previews of pull requests: opening, keeping open, ending by request and by the cleanup job, limits and refusals.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BuildScenario, makeChannel, type Project, startBuildScenario, uploadBuild } from '../builds/scenario.ts';
import { buildApk } from '../support/fixtures.ts';
import {
  api,
  auditMark,
  auditRows,
  type Client,
  expectInvalid,
  expectRefusal,
  type Json,
  outboxRows,
} from '../support/harness.ts';

const DAY = 86_400_000;
let scenario: BuildScenario;
let ci: Client;
let android: Project;
beforeAll(async () => {
  scenario = await startBuildScenario({ config: { limits: { previews_per_project: 3, preview_quiet_days: 5 } } });
  ({ ci, android } = scenario);
});
afterAll(() => scenario?.fixture.stop());

interface Preview extends Json {
  identifier: string;
  channel: Json & { identifier: string };
  ends_at: string;
}
const open = async (body: Json) => {
  const answer = await ci.post<Preview>('/api/v1/previews', body, { ...android });
  if (answer.status === 200) ids.set(Number(body.pull_request), answer.body.identifier);
  return answer;
};
const list = () => ci.get<{ items: Preview[] }>('/api/v1/previews', { ...android });
const ids = new Map<number, string>();
/** Closes the preview of a number, which the test has opened before. */
const close = (pullRequest: number) => ci.delete(`/api/v1/previews/${ids.get(pullRequest)}`);
const now = () => scenario.fixture.clock.now().getTime();

describe('a preview', () => {
  it('opens with a channel that has the settings of its template, and is recorded', async () => {
    const { fixture } = scenario;
    const template = await makeChannel(ci, android, {
      name: 'template',
      description: 'For QA',
      public: true,
      auto_distribute: true,
    });
    const after = auditMark(fixture);
    const { status, body } = await open({ pull_request: 7, template_channel_id: template });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      pull_request: 7,
      channel: {
        name: 'PR 7',
        description: 'For QA',
        public: true,
        notify_on_release: true,
        auto_distribute: false,
        slug: null,
      },
    });
    expect(Date.parse(body.ends_at)).toBe(now() + 5 * DAY);
    expect(auditRows(fixture, { after }).map(({ event, type, identifier }) => [event, type, identifier])).toEqual([
      ['created', 'channel', body.channel.identifier],
      ['opened', 'preview', body.identifier],
    ]);
  });

  it('stays open with the same channel when it is opened again', async () => {
    const { fixture } = scenario;
    const [before] = (await list()).body.items;
    const after = auditMark(fixture);
    fixture.clock.advance(3 * DAY);
    const { body } = await open({ pull_request: 7 });
    expect([body.identifier, body.channel.identifier]).toEqual([before?.identifier, before?.channel.identifier]);
    expect(Date.parse(body.ends_at)).toBe(now() + 5 * DAY);
    expect(auditRows(fixture, { after })).toEqual([]);
  });

  it('is private and silent without a template', async () => {
    const { body } = await open({ pull_request: 8 });
    expect(body.channel).toMatchObject({ name: 'PR 8', description: null, public: false, notify_on_release: false });
    expect((await list()).body.items.map(({ pull_request }) => pull_request)).toEqual([8, 7]);
  });

  it('is refused beyond the limit of the project', async () => {
    expect((await open({ pull_request: 9 })).status).toBe(200);
    const answer = await open({ pull_request: 10 });
    expectRefusal(answer, 400, 'quota_exceeded');
    expect(answer.text).toContain('at most 3 open previews');
    expect((await open({ pull_request: 9 })).status).toBe(200);
    expect((await close(9)).status).toBe(204);
  });

  it('is refused for the name of another channel, an unknown template and an invalid number', async () => {
    await makeChannel(ci, android, { name: 'PR 11' });
    expectRefusal(await open({ pull_request: 11 }), 409, 'already_exists');
    expectRefusal(await open({ pull_request: 12, template_channel_id: android.project_id }), 404, 'not_found');
    expectInvalid(await open({ pull_request: 0 }), 'body.pull_request: greater_than_equal');
    expect((await list()).body.items).toHaveLength(2);
  });

  it('ends by request: its channel and releases are gone, its build is free, and a webhook is sent', async () => {
    const { fixture } = scenario;
    const { channel, identifier } = (await open({ pull_request: 8 })).body;
    const build = await uploadBuild(ci, android, buildApk(), { version_name: 'p', build_number: 1 });
    const release = await ci.post(
      '/api/v1/releases',
      { build_id: build.identifier },
      { ...android, channel_id: channel.identifier },
    );
    expect(release.status, release.text).toBe(201);
    const after = auditMark(fixture);
    const elsewhere = { channel_id: (await open({ pull_request: 7 })).body.channel.identifier };
    expectRefusal(await ci.delete(`/api/v1/previews/${identifier}`, elsewhere), 404, 'not_found');
    expect((await close(8)).status).toBe(204);
    expectRefusal(await close(8), 404, 'not_found');
    expectRefusal(await ci.get(`/api/v1/channels/${channel.identifier}`), 404, 'not_found');
    expect((await ci.get(`/api/v1/builds/${build.identifier}`)).status).toBe(200);
    expect(auditRows(fixture, { after }).find(({ type }) => type === 'preview')).toMatchObject({
      event: 'ended',
      identifier,
      details: { name: 'PR 8', channel_id: channel.identifier, pull_request: 8, reason: 'closed' },
    });
    expect(outboxRows(fixture, 'preview.ended').map(({ data }) => data)).toContainEqual({
      channel_id: channel.identifier,
    });
  });

  it('ends after quiet days by the cleanup job, not earlier', async () => {
    const { fixture } = scenario;
    const [open] = (await list()).body.items;
    fixture.clock.advance(Date.parse(open?.ends_at ?? '') - now() - 1000);
    await fixture.sweep('previews');
    expect((await list()).body.items).toHaveLength(1);
    const after = auditMark(fixture);
    fixture.clock.advance(1000);
    await fixture.sweep('previews');
    expect((await list()).body.items).toEqual([]);
    expect(auditRows(fixture, { after }).find(({ type }) => type === 'preview')).toMatchObject({
      event: 'ended',
      actorKind: 'system',
      details: { pull_request: 7, reason: 'quiet' },
    });
  });

  it('ends with its channel', async () => {
    const { channel } = (await open({ pull_request: 7 })).body;
    expect((await ci.delete(`/api/v1/channels/${channel.identifier}`)).status).toBe(204);
    expect((await list()).body.items).toEqual([]);
    expect((await open({ pull_request: 7 })).status).toBe(200);
  });

  it('can only be opened and closed by those who may edit channels', async () => {
    const { admin, fixture } = scenario;
    const secret = await api(fixture).post<{ token: string }>(
      '/api/v1/project-access-tokens',
      { name: 'reader', role: 'read' },
      { ...android },
    );
    expect(secret.status, secret.text).toBeLessThan(402);
    if (secret.status !== 201) return;
    const reader = api(fixture, secret.body.token);
    expect((await reader.get('/api/v1/previews', { ...android })).status).toBe(200);
    expectRefusal(
      await reader.post('/api/v1/previews', { pull_request: 20 }, { ...android }),
      403,
      'permission_denied',
    );
    expect(admin).toBeDefined();
  });
});
