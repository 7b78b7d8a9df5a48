// Downloads of builds: signed links, icons and inspections.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mintDownload, nameFile } from '../../src/builds/downloads.ts';
import type { BuildInspection } from '../../src/builds/schema.ts';
import { findBuild } from '../../src/builds/store.ts';
import { StorageError } from '../../src/core/storage.ts';
import { systemContext } from '../../src/core/transact.ts';
import { downloads, projects } from '../../src/data/tables/tables.ts';
import { MINUTE } from '../../src/lib/clock.ts';
import { buildApk, buildIpa, buildPng } from '../support/fixtures.ts';
import { auditMark, auditRows, expectRefusal, type Json } from '../support/harness.ts';
import { addPerson } from '../support/people.ts';
import { type BuildScenario, startBuildScenario, uploadBuild } from './scenario.ts';

let scenario: BuildScenario;
beforeAll(async () => {
  scenario = await startBuildScenario();
});
afterAll(() => scenario?.fixture.stop());

const stamps = (buildId: string) =>
  scenario.fixture.app.db
    .select()
    .from(downloads)
    .all()
    .filter((row) => row.buildId === buildId);

describe('a download', () => {
  it('is a link signed for the caller, and is recorded outside of channels', async () => {
    const { fixture, admin, adminId, ci, android } = scenario;
    const bytes = buildApk();
    const build = await uploadBuild(ci, android, bytes, { version_name: '1.0-β', build_number: 12 });
    const before = auditMark(fixture);
    const answer = await admin.get<{ download_url: string; expires_at: string }>(
      `/api/v1/builds/${build.identifier}/download`,
    );
    expect(answer.status).toBe(200);
    const link = new URL(answer.body.download_url);
    expect(link.searchParams.get('sub')).toBe(`developer:${adminId}`);
    const response = await fetch(link);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/vnd.android.package-archive');
    expect(response.headers.get('content-disposition')).toBe(
      `attachment; filename="Fixture-Android-1.0-_-12.apk"; filename*=UTF-8''Fixture-Android-1.0-%CE%B2-12.apk`,
    );
    expect(Buffer.from(await response.arrayBuffer()).equals(bytes)).toBe(true);
    expect(stamps(build.identifier)).toEqual([
      expect.objectContaining({ developerId: adminId, channelId: null, releaseId: null, capabilityId: null }),
    ]);
    expect(auditRows(fixture, { after: before })).toEqual([]);
  });

  it('with a token is bound to the token', async () => {
    const { ci, android } = scenario;
    const build = await uploadBuild(ci, android, buildApk());
    const { body } = await ci.get(`/api/v1/builds/${build.identifier}/download`);
    const link = new URL(String(body.download_url));
    expect(link.searchParams.get('sub')).toMatch(/^project_access_token:[0-9a-f-]{36}$/);
    expect(stamps(build.identifier)).toEqual([expect.objectContaining({ developerId: null })]);
    link.searchParams.set('sub', 'developer:somebody');
    expect((await fetch(link)).status).toBe(403);
  });

  it('works until the millisecond at which it expires', async () => {
    await using other = await startBuildScenario();
    const { fixture, ci, android } = other;
    const build = await uploadBuild(ci, android, buildApk());
    fixture.clock.set(new Date('2040-01-01T12:00:00.700Z'));
    const { body } = await ci.get(`/api/v1/builds/${build.identifier}/download`);
    expect(body.expires_at).toBe('2040-01-01T12:15:00.000Z');
    for (const [time, status] of [
      ['2040-01-01T12:14:59.999Z', 200],
      ['2040-01-01T12:15:00.000Z', 403],
    ] as const) {
      fixture.clock.set(new Date(time));
      expect((await fetch(String(body.download_url))).status).toBe(status);
    }
  });

  it('expires after 15 minutes, and with the build', async () => {
    await using other = await startBuildScenario();
    const { fixture, admin, ci, android } = other;
    const build = await uploadBuild(ci, android, buildApk());
    const link = async () => String((await ci.get(`/api/v1/builds/${build.identifier}/download`)).body.download_url);
    const first = await link();
    fixture.clock.advance(14 * MINUTE);
    expect((await fetch(first)).status).toBe(200);
    fixture.clock.advance(MINUTE);
    expect((await fetch(first)).status).toBe(403);
    fixture.clock.advance(-15 * MINUTE);
    const second = await link();
    expect((await admin.delete(`/api/v1/builds/${build.identifier}`)).status).toBe(204);
    await fixture.drain();
    expect((await fetch(second)).status).toBe(404);
  });

  it('of a revoked build is rejected', async () => {
    const { ci, android } = scenario;
    const build = await uploadBuild(ci, android, buildApk());
    await ci.post(`/api/v1/builds/${build.identifier}/revoke`);
    const answer = await ci.get(`/api/v1/builds/${build.identifier}/download`);
    expectRefusal(answer, 400, 'operation_not_allowed');
    expect(stamps(build.identifier)).toEqual([]);
  });

  it.each([
    ['does not work', () => Promise.reject(new StorageError('unavailable', 'out of order'))],
    ['no longer has the file', () => Promise.resolve(undefined)],
  ])('returns 503 while the storage %s', async (_name, head) => {
    const { fixture, ci, android } = scenario;
    const build = await uploadBuild(ci, android, buildApk());
    const { head: whole } = fixture.app.storage;
    fixture.app.storage.head = head;
    const answer = await ci.get(`/api/v1/builds/${build.identifier}/download`);
    fixture.app.storage.head = whole;
    expectRefusal(answer, 503, 'storage_backend_unavailable');
    expect(answer.headers.get('retry-after')).toBe('5');
    expect(stamps(build.identifier)).toEqual([]);
  });

  it('requires the role read_download, as does the icon', async () => {
    const { fixture, ci, android } = scenario;
    const build = await uploadBuild(ci, android, buildApk());
    for (const [projectRole, status] of [
      ['read', 404],
      ['read_download', 200],
    ] as const) {
      const person = await addPerson(fixture, {
        organizations: { [android.organization_id]: 'member' },
        projects: { [android.project_id]: projectRole },
      });
      for (const what of ['download', 'icon']) {
        const answer = await person.client.get(`/api/v1/builds/${build.identifier}/${what}`);
        expect(answer.status).toBe(status);
      }
    }
  });

  it('through a capability is counted once', async () => {
    const { fixture, ci, android } = scenario;
    const build = await uploadBuild(ci, android, buildApk());
    const row = findBuild(fixture.app, build.identifier);
    if (row === undefined) throw new Error('the build is gone');
    const ctx = systemContext(fixture.app);
    const ids = { channelId: ctx.ids.next(), releaseId: ctx.ids.next(), capabilityId: ctx.ids.next() };
    for (let time = 0; time < 3; time += 1) {
      const { url, expiresAt } = await mintDownload(ctx, row, { subject: `capability:${ids.capabilityId}`, ...ids });
      expect((await fetch(url, { method: 'HEAD' })).status).toBe(200);
      expect(expiresAt.getTime()).toBeGreaterThan(ctx.clock.now().getTime() + 14 * MINUTE);
    }
    expect(stamps(build.identifier)).toEqual([expect.objectContaining({ ...ids, developerId: null })]);
  });
});

describe('the name of a downloaded file', () => {
  it.each([
    ['Sample', '1.2.3', 'Sample-1.2.3-45.apk'],
    ['Ünique / App', '1', 'Ünique-App-1-45.apk'],
    ['../../etc/passwd', '..', 'etc-passwd-45.apk'],
    ['"; filename=x', '1\u202e', 'filename-x-1-45.apk'],
    ['🚀', '-', '45.apk'],
    ['n'.repeat(300), '1', `${'n'.repeat(100)}-45.apk`],
  ])('of %j %j is %j', (project, versionName, expected) => {
    const build = { platform: 'android', versionName, buildNumber: 45, packageBuildNumber: '7' } as const;
    expect(nameFile(build, project)).toBe(expected);
    const text = { platform: 'ios', versionName: '1.0', buildNumber: 8, packageBuildNumber: '1.0 (β)' } as const;
    expect(nameFile(text, 'Tide')).toBe('Tide-1.0-1.0-β.ipa');
  });
});

describe('an icon', () => {
  it('comes from the package', async () => {
    const { ci, android } = scenario;
    const icon = buildPng(96, 96, [1, 2, 3, 255]);
    const build = await uploadBuild(ci, android, buildApk({ icon }));
    const response = await fetch(String(build.icon_url).replace(/^https?:\/\/[^/]+/, scenario.fixture.url));
    expect(response.status).toBe(401);
    const answer = await ci.get(`/api/v1/builds/${build.identifier}/icon`);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('image/png');
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    expect(answer.headers.get('cache-control')).toBe('private, max-age=86400, immutable');
  });

  it('is not found if the package has none', async () => {
    const { ci, android } = scenario;
    const build = await uploadBuild(ci, android, Buffer.from('no archive'));
    expectRefusal(await ci.get(`/api/v1/builds/${build.identifier}/icon`), 404, 'not_found');
  });
});

describe('an inspection', () => {
  it('returns the content of the archive', async () => {
    const { admin, ios } = scenario;
    const build = await uploadBuild(
      admin,
      ios,
      buildIpa({ name: 'Hello <b>', bundleIdentifier: 'com.example.hello', version: '3.1', build: '7' }),
      { version_name: '3.1', build_number: 7, bundle_identifier: 'com.example.hello' },
    );
    const { status, body } = await admin.get<Json>(`/api/v1/builds/${build.identifier}/inspection`);
    expect(status).toBe(200);
    expect(body).toEqual({
      build_id: build.identifier,
      inspection_status: 'ok',
      reason: null,
      content: expect.objectContaining({
        platform: 'ios',
        application_name: 'Hello <b>',
        bundle_identifier: 'com.example.hello',
        version_name: '3.1',
        build_number: '7',
        signing: expect.objectContaining({ kind: 'ad-hoc', provisioned_devices: expect.any(Array) }),
      }),
      mismatches: [],
      warnings: expect.any(Array),
    });
    expect(body.content).not.toHaveProperty('warnings');
  });

  it('lists mismatches with the declared values', async () => {
    const { fixture, ci, android } = scenario;
    const build = await uploadBuild(ci, android, buildApk({ versionName: '2.0', versionCode: 20 }), {
      version_name: '2.1',
      build_number: 21,
      bundle_identifier: 'com.example.declared',
    });
    fixture.app.db.update(projects).set({ bundleIdentifier: 'com.example.project' }).run();
    const { body } = await ci.get<Json>(`/api/v1/builds/${build.identifier}/inspection`);
    fixture.app.db.update(projects).set({ bundleIdentifier: null }).run();
    expect(body.mismatches).toEqual([
      { field: 'bundle_identifier', declared: 'com.example.declared', found: 'com.example.sample' },
      { field: 'version_name', declared: '2.1', found: '2.0' },
      { field: 'build_number', declared: '21', found: '20' },
      { field: 'project_bundle_identifier', declared: 'com.example.project', found: 'com.example.sample' },
    ]);
  });

  it('of earlier versions has null for what they did not record', async () => {
    const { fixture, ci, android } = scenario;
    const build = await uploadBuild(ci, android, buildApk());
    const path = `/api/v1/builds/${build.identifier}/inspection`;
    const { body: now } = await ci.get<BuildInspection>(path);
    expect(now.content).toMatchObject({ needs_splits: false, signing: { verified: true, verified_until_sdk: null } });
    const remove = "json_remove(content, '$.needs_splits', '$.signing.verified_until_sdk')";
    fixture.app.db.$client
      .prepare(`update build_inspections set content = ${remove} where build_id = ?`)
      .run(build.identifier);
    const { body: earlier } = await ci.get<BuildInspection>(path);
    expect(earlier).toEqual({ ...now, content: { ...now.content, needs_splits: null } });
  });

  it('has times with milliseconds, also from earlier versions', async () => {
    const { fixture, admin, android, ios } = scenario;
    const moment = '20[0-9-]{8}T00:00:00\\.000Z';
    const cases = [
      { project: android, archive: buildApk(), times: 1 },
      { project: ios, archive: buildIpa(), times: 3 },
    ];
    for (const { project, archive, times } of cases) {
      const build = await uploadBuild(admin, project, archive);
      const path = `/api/v1/builds/${build.identifier}/inspection`;
      const now = await admin.get(path);
      expect(now.text.match(new RegExp(moment, 'g'))).toHaveLength(times);
      fixture.app.db.$client
        .prepare("update build_inspections set content = replace(content, '.000Z', 'Z') where build_id = ?")
        .run(build.identifier);
      expect((await admin.get(path)).text).toBe(now.text);
    }
  });

  it('of an unreadable archive returns the reason', async () => {
    const { ci, android } = scenario;
    const build = await uploadBuild(ci, android, Buffer.from('no archive'));
    const { body } = await ci.get<Json>(`/api/v1/builds/${build.identifier}/inspection`);
    expect(body).toEqual({
      build_id: build.identifier,
      inspection_status: 'unreadable',
      reason: expect.stringMatching(/./),
      content: null,
      mismatches: [],
      warnings: [],
    });
  });
});
