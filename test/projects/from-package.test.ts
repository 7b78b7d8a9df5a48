// Projects that are created from a package: draft, channel, upload, name.
import { eq } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { pendingUploads, projects } from '../../src/data/tables/tables.ts';
import { DAY, HOUR } from '../../src/lib/clock.ts';
import {
  type BuildScenario,
  complete,
  initiate,
  sendBytes,
  startBuildScenario,
  uploadAnswer,
} from '../builds/scenario.ts';
import { buildSampleApk, buildSampleIpa, sampleApp } from '../e2e/sample-app.ts';
import { sha256 } from '../support/fixtures.ts';
import { auditMark, auditRows, expectInvalid, expectRefusal, type Json, signIn } from '../support/harness.ts';
import { addPerson } from '../support/people.ts';

let scenario: BuildScenario;
beforeEach(async () => {
  scenario = await startBuildScenario();
});
afterEach(() => scenario[Symbol.asyncDispose]());

const path = '/api/v1/projects/from-package';
const { bundleIdentifier } = sampleApp;

interface Created {
  project: Json & { identifier: string; name: string };
  channel: Json & { identifier: string };
}

const post = (body: Json) =>
  scenario.admin.post<Created>(path, body, { organization_id: scenario.fixture.organization_id });

async function create(body: Json = {}): Promise<Created> {
  const answer = await post({ platform: 'android', bundle_identifier: bundleIdentifier, ...body });
  expect(answer.status, answer.text).toBe(201);
  return answer.body;
}

const placeOf = ({ project }: Created) => ({
  organization_id: scenario.fixture.organization_id,
  project_id: project.identifier,
});
const readProject = async ({ project }: Created) => scenario.admin.get(`/api/v1/projects/${project.identifier}`);
const draftsLeft = () => scenario.fixture.app.db.select().from(projects).where(eq(projects.isDraft, true)).all().length;

describe('a project from a package', () => {
  it('is created with a private channel, both recorded', async () => {
    const mark = auditMark(scenario.fixture);
    const { project, channel } = await create();
    expect(project).toMatchObject({ name: 'harbour', platform: 'android', bundle_identifier: bundleIdentifier });
    expect(channel).toMatchObject({
      project_id: project.identifier,
      name: 'beta',
      public: false,
      auto_distribute: false,
      slug: null,
    });
    expect(
      auditRows(scenario.fixture, { after: mark }).map(({ event, type, identifier, details }) => ({
        event,
        type,
        identifier,
        details,
      })),
    ).toEqual([
      {
        event: 'created',
        type: 'project',
        identifier: project.identifier,
        details: { name: 'harbour', platform: 'android' },
      },
      {
        event: 'created',
        type: 'channel',
        identifier: channel.identifier,
        details: { name: 'beta', public: false },
      },
    ]);
  });

  it('gets the name, icon and identifier of its first build', async () => {
    const created = await create({ bundle_identifier: null, channel: { public: true } });
    expect(created.project.name).toBe('Android');
    expect(created.channel.public).toBe(true);
    const mark = auditMark(scenario.fixture);
    const build = await uploadAnswer(scenario.admin, placeOf(created), buildSampleApk());
    expect(build.icon_url).toEqual(expect.any(String));
    expect((await readProject(created)).body).toMatchObject({
      name: sampleApp.name,
      bundle_identifier: bundleIdentifier,
    });
    expect(auditRows(scenario.fixture, { after: mark, identifier: created.project.identifier })).toMatchObject([
      {
        event: 'edited',
        type: 'project',
        details: {
          changed: {
            name: { from: 'Android', to: sampleApp.name },
            bundle_identifier: { from: null, to: bundleIdentifier },
          },
        },
      },
    ]);
    expect(draftsLeft()).toBe(0);
  });

  it('gets the identifier of its build, not the one the client read', async () => {
    const created = await create({ bundle_identifier: 'com.example.misread' });
    await uploadAnswer(scenario.admin, placeOf(created), buildSampleApk());
    expect((await readProject(created)).body.bundle_identifier).toBe(bundleIdentifier);
  });

  it('keeps its name on later builds', async () => {
    const created = await create();
    await uploadAnswer(scenario.admin, placeOf(created), buildSampleApk());
    await scenario.admin.patch(`/api/v1/projects/${created.project.identifier}`, { name: 'Ours' });
    await uploadAnswer(scenario.admin, placeOf(created), buildSampleApk({ build: '319' }));
    expect((await readProject(created)).body.name).toBe('Ours');
  });

  it('keeps a name that someone gave it before the first build', async () => {
    const created = await create();
    await scenario.admin.patch(`/api/v1/projects/${created.project.identifier}`, { name: 'Ours' });
    await uploadAnswer(scenario.admin, placeOf(created), buildSampleApk());
    expect((await readProject(created)).body.name).toBe('Ours');
  });

  it('gets a number if its name is taken, before and after the build', async () => {
    const inOrganization = { organization_id: scenario.fixture.organization_id };
    for (const name of ['My app', 'My app 2', sampleApp.name]) {
      expect((await scenario.admin.post('/api/v1/projects', { name, platform: 'ios' }, inOrganization)).status).toBe(
        201,
      );
    }
    const created = await create({ platform: 'ios', name: 'My app' });
    expect(created.project.name).toBe('My app 3');
    await uploadAnswer(scenario.admin, placeOf(created), buildSampleIpa());
    expect((await readProject(created)).body.name).toBe(`${sampleApp.name} 2`);
  });

  it('cuts a long name that is taken', async () => {
    const name = 'x'.repeat(100);
    expect((await create({ bundle_identifier: 'com.example.one', name })).project.name).toBe(name);
    expect((await create({ bundle_identifier: 'com.example.two', name })).project.name).toBe(`${'x'.repeat(98)} 2`);
  });

  it('is refused if a project of the platform has the app, and names that project', async () => {
    const created = await create();
    const again = await post({ platform: 'android', bundle_identifier: bundleIdentifier });
    expect(expectRefusal(again, 409, 'already_exists')).toEqual({ project_id: created.project.identifier });
    await create({ platform: 'ios' });
  });

  it('is created once by concurrent requests', async () => {
    const answers = await Promise.all(
      [1, 2, 3].map(() => post({ platform: 'android', bundle_identifier: bundleIdentifier })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
    expect(draftsLeft()).toBe(1);
  });

  it('is refused with invalid values', async () => {
    expectInvalid(await post({ bundle_identifier: bundleIdentifier }), 'body.platform: missing');
    expectInvalid(
      await post({ platform: 'android', name: 'x'.repeat(101), bundle_identifier: '../x', channel: { name: '' } }),
      'body.bundle_identifier: string_pattern_mismatch',
      'body.name: string_too_long',
      'body.channel.name: string_too_short',
    );
    expect(draftsLeft()).toBe(0);
  });

  it('is created by managers and admins only', async () => {
    const { fixture } = scenario;
    for (const [role, status] of [
      ['manager', 201],
      ['member', 403],
    ] as const) {
      const person = await addPerson(fixture, { name: role, organizations: { [fixture.organization_id]: role } });
      const answer = await scenario.admin
        .as(person.accessToken)
        .post(path, { platform: 'ios' }, { organization_id: fixture.organization_id });
      expect(answer.status).toBe(status);
    }
  });

  it('counts for the limit of projects', async () => {
    await using full = await startBuildScenario({ config: { limits: { projects_per_organization: 2 } } });
    const answer = await full.admin.post(path, { platform: 'ios' }, { organization_id: full.fixture.organization_id });
    expect(expectRefusal(answer, 400, 'quota_exceeded')).toEqual({ limit: 2 });
  });
});

describe('a draft without a build', () => {
  const garbage = Buffer.from('PK\u0003\u0004 this is no package');

  it('refuses a package that cannot be read, and takes the right one at the same URL', async () => {
    const created = await create();
    const pending = await initiate(scenario.admin, placeOf(created));
    expect(await sendBytes(pending, garbage)).toBe(201);
    const refused = await complete(scenario.admin, placeOf(created), pending.pending_upload_id, sha256(garbage));
    expectRefusal(refused, 400, 'invalid_input');
    const right = buildSampleApk();
    expect(await sendBytes(pending, right)).toBe(201);
    const answer = await complete(scenario.admin, placeOf(created), pending.pending_upload_id, sha256(right));
    expect(answer.status, answer.text).toBe(201);
  });

  it('is deleted without force, with its pending upload', async () => {
    const created = await create();
    const pending = await initiate(scenario.admin, placeOf(created));
    await sendBytes(pending, garbage);
    expect((await scenario.admin.delete(`/api/v1/projects/${created.project.identifier}`)).status).toBe(204);
    expect((await readProject(created)).status).toBe(404);
    expect(scenario.fixture.app.db.select().from(pendingUploads).all()).toEqual([]);
    await scenario.fixture.sweep('pending-uploads');
    await scenario.fixture.sweep('orphaned-objects');
    expect(await scenario.fixture.app.storage.head(`pending/${pending.pending_upload_id}`)).toBeUndefined();
  });

  it('needs force once it has a build', async () => {
    const created = await create();
    await uploadAnswer(scenario.admin, placeOf(created), buildSampleApk());
    const answer = await scenario.admin.delete(`/api/v1/projects/${created.project.identifier}`);
    expectRefusal(answer, 409, 'dependency_exists');
  });

  it('is deleted by the cleanup job after a day, and no sooner', async () => {
    const created = await create();
    await initiate(scenario.admin, placeOf(created));
    scenario.fixture.clock.advance(23 * HOUR);
    await scenario.fixture.sweep('pending-uploads');
    expect(draftsLeft()).toBe(1);
    const mark = auditMark(scenario.fixture);
    scenario.fixture.clock.advance(2 * HOUR);
    expect(await scenario.fixture.sweep('pending-uploads')).toBe(1);
    expect(draftsLeft()).toBe(0);
    expect(auditRows(scenario.fixture, { after: mark })).toMatchObject([
      { event: 'deleted', type: 'project', identifier: created.project.identifier, actorKind: 'system' },
    ]);
  });

  it('stays while an upload is pending', async () => {
    const created = await create();
    scenario.fixture.clock.advance(DAY - HOUR / 2);
    const { fixture } = scenario;
    const { client } = await signIn(fixture);
    await initiate(client, placeOf(created));
    fixture.clock.advance(HOUR / 2 + 1);
    expect(await fixture.sweep('pending-uploads')).toBe(0);
    expect(draftsLeft()).toBe(1);
  });
});

describe('a project that is no draft', () => {
  it('is never deleted by the cleanup job, and takes unreadable packages', async () => {
    const { fixture, admin, android } = scenario;
    const garbage = Buffer.from('no package at all');
    const build = await uploadAnswer(admin, android, garbage);
    expect(build.inspection_status).toBe('unreadable');
    const before = fixture.app.db.select().from(projects).all().length;
    fixture.clock.advance(30 * DAY);
    await fixture.sweep('pending-uploads');
    expect(fixture.app.db.select().from(projects).all()).toHaveLength(before);
  });
});
