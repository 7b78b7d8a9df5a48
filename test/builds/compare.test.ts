// Two builds compared, and the size budget of a project.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildInspections } from '../../src/data/tables/tables.ts';
import { createIdentity } from '../inspection/build-signature.ts';
import { buildApk, buildIpa, sampleDevices } from '../support/fixtures.ts';
import { ABSENT, auditMark, auditRows, expectInvalid, expectRefusal, type Json } from '../support/harness.ts';
import { addPerson } from '../support/people.ts';
import { type Build, type BuildScenario, startBuildScenario, uploadAnswer, uploadBuild } from './scenario.ts';

let scenario: BuildScenario;
beforeAll(async () => {
  scenario = await startBuildScenario();
});
afterAll(() => scenario?.fixture.stop());

interface Comparison extends Json {
  before: { identifier: string; parts: { frameworks: number } | null };
  after: { identifier: string; parts: { frameworks: number } | null };
  size_change_bytes: number;
}

const path = (after: Build | string, before: Build | string) =>
  `/api/v1/builds/${typeof after === 'string' ? after : after.identifier}/compare/${typeof before === 'string' ? before : before.identifier}`;

async function compare(after: Build, before: Build): Promise<Comparison> {
  const answer = await scenario.admin.get<Comparison>(path(after, before));
  expect(answer.status, answer.text).toBe(200);
  return answer.body;
}

const part = (name: string, size: number) => ({ name, data: Buffer.alloc(size, 1), isStored: true });
const same = { added: [], removed: [], added_count: 0, removed_count: 0 };

describe('the comparison of two builds', () => {
  it('shows what changes on iOS', async () => {
    const old = buildIpa({ info: { NSMicrophoneUsageDescription: 'a' } });
    const framework = 'Payload/Sample.app/Frameworks/Maps.framework/Maps';
    const fresh = buildIpa({
      minOs: '16.0',
      info: { NSCameraUsageDescription: 'a' },
      profile: {
        Name: 'Other',
        ProvisionedDevices: [sampleDevices[0] ?? '', '00000000-00000000000000AA', '00000000-00000000000000BB'],
        Entitlements: {
          'application-identifier': 'TEAM000001.com.example.sample',
          'get-task-allow': true,
          'aps-environment': 'development',
        },
      },
      parts: [part(framework, 50_000)],
    });
    const [before, after] = [
      await uploadBuild(scenario.admin, scenario.ios, old),
      await uploadBuild(scenario.admin, scenario.ios, fresh),
    ];
    const found = await compare(after, before);
    expect([found.before.identifier, found.after.identifier]).toEqual([before.identifier, after.identifier]);
    expect(found.size_change_bytes).toBe(fresh.length - old.length);
    expect(found).toMatchObject({
      min_os_version: { before: '15.0', after: '16.0' },
      target_sdk: { before: null, after: null },
      permissions: {
        added: ['NSCameraUsageDescription'],
        removed: ['NSMicrophoneUsageDescription'],
        added_count: 1,
        removed_count: 1,
      },
      entitlements: {
        ...same,
        added: ['aps-environment'],
        added_count: 1,
        changed: ['get-task-allow'],
        changed_count: 1,
      },
      certificates: null,
      profile: { name: { before: 'Sample Ad Hoc', after: 'Other' } },
      devices: {
        added: ['00000000-00000000000000AA', '00000000-00000000000000BB'],
        removed: [sampleDevices[1]],
        added_count: 2,
        removed_count: 1,
      },
      libraries: { ...same, added: ['Maps'], added_count: 1, changed: [], changed_count: 0 },
    });
    expect([found.before.parts?.frameworks, found.after.parts?.frameworks]).toEqual([0, 50_000]);
    expect((await compare(before, before)).permissions).toEqual(same);
  });

  it('shows what changes on Android', async () => {
    const versions = (core: string) => [{ name: 'META-INF/androidx.core_core.version', data: Buffer.from(core) }];
    const [before, after] = [
      await uploadBuild(scenario.ci, scenario.android, buildApk({ targetSdk: 34, parts: versions('1.12.0') })),
      await uploadBuild(
        scenario.ci,
        scenario.android,
        buildApk({
          targetSdk: 35,
          permissions: Array.from({ length: 150 }, (_, index) => `com.example.P${String(index).padStart(3, '0')}`),
          parts: versions('1.13.1'),
          signers: [createIdentity('Other')],
        }),
      ),
    ];
    const found = await compare(after, before);
    expect(found).toMatchObject({
      target_sdk: { before: '34', after: '35' },
      permissions: { added_count: 150 },
      entitlements: null,
      profile: null,
      devices: null,
      certificates: { added_count: 1, removed_count: 1 },
      libraries: {
        ...same,
        changed: [{ name: 'androidx.core:core', before: '1.12.0', after: '1.13.1' }],
        changed_count: 1,
      },
    });
    expect((found.permissions as typeof same).added).toHaveLength(100);
  });

  it('compares what is known of unreadable packages, and of builds before parts were measured', async () => {
    const { app } = scenario.fixture;
    const unreadable = await uploadBuild(scenario.admin, scenario.ios, Buffer.from('PK no package'));
    const old = await uploadBuild(scenario.admin, scenario.ios, buildIpa());
    const fresh = await uploadBuild(scenario.admin, scenario.ios, buildIpa({ minOs: '17.0' }));
    const nothing = { permissions: null, entitlements: null, certificates: null, profile: null, devices: null };
    expect(await compare(fresh, unreadable)).toMatchObject({ ...nothing, libraries: null, before: { parts: null } });

    // As 0.2.0 stored it.
    const {
      parts: _parts,
      libraries: _libraries,
      ...stored
    } = JSON.parse(
      app.db
        .select()
        .from(buildInspections)
        .all()
        .find(({ buildId }) => buildId === old.identifier)?.content ?? '',
    ) as Json;
    app.db.$client
      .prepare('update build_inspections set content = ? where build_id = ?')
      .run(JSON.stringify(stored), old.identifier);
    expect(await compare(fresh, old)).toMatchObject({
      before: { parts: null },
      libraries: null,
      permissions: same,
      min_os_version: { before: '15.0', after: '17.0' },
    });
    const inspection = await scenario.admin.get(`/api/v1/builds/${old.identifier}/inspection`);
    expect(inspection.body.content).toMatchObject({ parts: null, libraries: null });
  });

  it('is not found for builds of other projects, and for people without access', async () => {
    const ios = await uploadBuild(scenario.admin, scenario.ios, buildIpa());
    const android = await uploadBuild(scenario.admin, scenario.android, buildApk());
    expectRefusal(await scenario.admin.get(path(ios, android)), 404, 'not_found');
    expectRefusal(await scenario.admin.get(path(ios, ABSENT)), 404, 'not_found');
    expectRefusal(await scenario.admin.get(path(ABSENT, ios)), 404, 'not_found');
    const stranger = await addPerson(scenario.fixture);
    expectRefusal(await stranger.client.get(path(ios, ios)), 404, 'not_found');
    expectInvalid(await scenario.admin.get(path(ios, 'x')), 'path.other_id: uuid_parsing');
  });
});

describe('the size budget of a project', () => {
  it('marks larger builds, and never rejects them', async () => {
    const { admin, ios } = scenario;
    const bytes = buildIpa();
    const project = `/api/v1/projects/${ios.project_id}`;
    expect((await uploadAnswer(admin, ios, bytes)).over_budget_bytes).toBeNull();
    const mark = auditMark(scenario.fixture);
    const changed = await admin.patch(project, { size_budget_bytes: bytes.length - 1 });
    expect(changed.body.size_budget_bytes).toBe(bytes.length - 1);
    const [row] = auditRows(scenario.fixture, { after: mark });
    expect([row?.event, row?.details]).toEqual([
      'edited',
      { changed: { size_budget_bytes: { from: null, to: bytes.length - 1 } } },
    ]);
    expect((await uploadAnswer(admin, ios, bytes)).over_budget_bytes).toBe(1);
    await admin.patch(project, { size_budget_bytes: bytes.length });
    expect((await uploadAnswer(admin, ios, bytes)).over_budget_bytes).toBeNull();
    expectInvalid(await admin.patch(project, { size_budget_bytes: 0 }), 'body.size_budget_bytes: greater_than_equal');
    expect((await admin.patch(project, { size_budget_bytes: null })).body.size_budget_bytes).toBeNull();
  });
});
