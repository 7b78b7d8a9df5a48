// Who released a build, and from which channel, is for members of the project. Testers, visitors and apps aren't told.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import { type SdkScenario, startSdkScenario } from '../sdk/scenario.ts';
import { api, type Client, expectRefusal, type Json, outboxRows, type Page } from '../support/harness.ts';
import { addPerson, addProjectToken } from '../support/people.ts';

const AUTHOR = 'Fixture Administrator';
const SOURCE = 'inner circle';

let fixture: Fixture;
let scenario: SdkScenario;
let releaseId: string;
let channelId: string;
let staff: Client;
beforeAll(async () => {
  fixture = await startFixture();
  scenario = await startSdkScenario(fixture);
  staff = await scenario.staff();
  const source = await scenario.addChannel({ name: SOURCE });
  const earlier = await scenario.release('1.0', 1, {}, source);
  const { build } = (await staff.get<{ build: { identifier: string } }>(`/api/v1/releases/${earlier}`)).body;
  channelId = await scenario.addChannel({ public: true });
  const released = await staff.post<{ identifier: string }>(
    '/api/v1/releases',
    { build_id: build.identifier },
    { ...scenario.inProject, channel_id: channelId },
  );
  releaseId = released.body.identifier;
});
afterAll(() => fixture?.stop());

function expectNoTrace(text: string): void {
  expect(text).toContain('1.0');
  for (const trace of [AUTHOR, SOURCE, 'released_by', 'promoted_from', 'created_by', 'icon_color', 'is_automatic']) {
    expect(text).not.toContain(trace);
  }
}

it('is told to those who can read the project, people and tokens', async () => {
  const { organization_id, project_id } = scenario.inProject;
  const reader = await addPerson(fixture, {
    projects: { [project_id]: 'read' },
    organizations: { [organization_id]: 'member' },
  });
  const token = api(
    fixture,
    addProjectToken(fixture, { organizationId: organization_id, projectId: project_id, role: 'read' }),
  );
  for (const client of [reader.client, token]) {
    expect((await client.get(`/api/v1/releases/${releaseId}`)).body).toMatchObject({
      released_by: { kind: 'developer', name: AUTHOR },
      promoted_from: { name: SOURCE },
    });
  }
});

it('is not told to visitors of a public channel', async () => {
  const anyone = api(fixture, null);
  expectNoTrace((await anyone.get(`/public/v1/channels/${channelId}`)).text);
  expectNoTrace((await anyone.get(`/install/channels/${channelId}`)).text);
  expectNoTrace((await anyone.get(`/install/channels/${channelId}/releases/${releaseId}`)).text);
  for (const path of [`/api/v1/releases/${releaseId}`, '/api/v1/releases/recent']) {
    const query = path.endsWith('recent') ? { organization_id: fixture.organization_id } : {};
    expectRefusal(await anyone.get(path, query), 401, 'unauthorized');
  }
});

it('is not told to testers, and not behind the links they get', async () => {
  const tester = await addPerson(fixture);
  const granted = await staff.post(`/api/v1/projects/${scenario.inProject.project_id}/testers`, {
    email: tester.email,
  });
  expect(granted.status, granted.text).toBe(201);
  expectNoTrace((await tester.client.get<Page>(`/api/v1/testers/me/channels/${channelId}/releases`)).text);
  const link = await tester.client.post<Json>(`/api/v1/testers/me/releases/${releaseId}/install-link`);
  expect(link.status, link.text).toBe(201);
  const token = /\/install\/([^/"?]+)/.exec(link.text)?.[1] ?? '';
  expectNoTrace((await api(fixture, null).get(`/public/v1/install/${token}`)).text);
  expectNoTrace((await api(fixture, null).get(`/install/${token}`)).text);
  const { organization_id } = scenario.inProject;
  for (const [path, query] of [
    [`/api/v1/releases/${releaseId}`, {}],
    ['/api/v1/releases/recent', { organization_id }],
    ['/api/v1/projects/activity', { organization_id }],
    [`/api/v1/organizations/${organization_id}/attention`, {}],
  ] as const) {
    expectRefusal(await tester.client.get(path, query), 404, 'not_found');
  }
});

it('is not told to installs of an app, or webhooks', async () => {
  const app = await scenario.addApp(channelId);
  const { update_token } = await scenario.enroll({}, app);
  expectNoTrace((await scenario.latest(update_token, { version_name: '0.9', build_number: 0 }, app)).text);
  const data = outboxRows(fixture, 'release.created').map((row) => Object.keys(row.data).sort());
  expect(data).toEqual([
    ['build_id', 'channel_id', 'release_id'],
    ['build_id', 'channel_id', 'release_id'],
  ]);
});
