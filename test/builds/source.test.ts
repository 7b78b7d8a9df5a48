// Where a build comes from, its labels and its uploader.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildApk, buildPng, sha256 } from '../support/fixtures.ts';
import { api, auditMark, auditRows, expectInvalid, expectRefusal, type Json } from '../support/harness.ts';
import { addPerson, projectTokenClient } from '../support/people.ts';
import { type BuildScenario, complete, initiate, sendBytes, startBuildScenario, uploadBuild } from './scenario.ts';

const source = {
  commit: '0123456789abcdef0123456789abcdef01234567',
  branch: 'feature/sign-in',
  tag: 'v2.3.1',
  pull_request: 42,
  repository_url: 'https://git.example.com/harbor/app',
  run_url: 'https://ci.example.com/runs/7?job=1',
  author: 'Zoë Harbor',
};

let scenario: BuildScenario;
beforeAll(async () => {
  scenario = await startBuildScenario();
});
afterAll(() => scenario?.fixture.stop());

describe('the source of a build', () => {
  it('is kept from initiate to the build, its list and its releases', async () => {
    const { ci, android } = scenario;
    const labels = ['nightly', 'Release candidate'];
    const sent = { ...source, commit: source.commit.toUpperCase(), branch: ` ${source.branch} `, unknown: 1 };
    const build = await uploadBuild(ci, android, buildApk(), {
      source: sent,
      labels: [' Release candidate', 'nightly'],
    });
    expect([build.source, build.labels]).toEqual([source, labels]);
    expect((await ci.get(`/api/v1/builds/${build.identifier}`)).body).toMatchObject({ source, labels });
    const { items } = (await ci.get<{ items: Json[] }>('/api/v1/builds', { ...android })).body;
    expect(items[0]).toMatchObject({ source, labels });
    const channel = await ci.post('/api/v1/channels', { name: 'beta' }, { ...android });
    const inChannel = { ...android, channel_id: String(channel.body.identifier) };
    const release = await ci.post('/api/v1/releases', { build_id: build.identifier }, inChannel);
    expect(release.body).toMatchObject({ build: { source, labels } });
  });

  it('can be partial, empty or left out', async () => {
    const { ci, android } = scenario;
    const partial = await uploadBuild(ci, android, buildApk(), { source: { branch: 'main', tag: null } });
    expect([partial.source, partial.labels]).toEqual([
      {
        commit: null,
        branch: 'main',
        tag: null,
        pull_request: null,
        repository_url: null,
        run_url: null,
        author: null,
      },
      [],
    ]);
    for (const body of [{ source: {}, labels: [] }, { source: null, labels: null }, { source: { commit: null } }]) {
      const build = await uploadBuild(ci, android, buildApk(), body);
      expect([build.source, build.labels]).toEqual([null, []]);
    }
  });

  it('is that of the completed upload; repeating complete or initiate changes nothing', async () => {
    const { fixture, ci, android } = scenario;
    const identity = { version_name: 'repeated', build_number: 1 };
    const bytes = buildApk();
    const pending = await initiate(ci, android, { ...identity, source: { branch: 'first' }, labels: ['a'] });
    const repeated = { ...identity, source: { branch: 'second' }, labels: ['b'] };
    expectRefusal(await ci.post('/api/v1/builds/initiate', repeated, { ...android }), 409, 'already_exists');
    await sendBytes(pending, bytes);
    const checksum = sha256(bytes);
    const first = await complete(ci, android, pending.pending_upload_id, checksum);
    const before = auditMark(fixture);
    const again = await complete(ci, android, pending.pending_upload_id, checksum);
    expect([first.status, again.status, again.body]).toEqual([201, 201, first.body]);
    expect(first.body).toMatchObject({ source: { branch: 'first' }, labels: ['a'] });
    expect(auditRows(fixture, { after: before })).toEqual([]);
    expectRefusal(await ci.post('/api/v1/builds/initiate', repeated, { ...android }), 409, 'already_exists');
    expect((await ci.get(`/api/v1/builds/${first.body.identifier}`)).body).toMatchObject({ labels: ['a'] });
  });

  const wrongUrl = 'Input should be an http or https URL without a user name or password';
  it.each<[string, Json, string[]]>([
    ['a source that is a text', { source: 'main' }, ['body.source: dict_type']],
    ['a short commit', { source: { commit: 'abcdef' } }, ['body.source.commit: string_pattern_mismatch']],
    ['a long commit', { source: { commit: 'a'.repeat(65) } }, ['body.source.commit: string_pattern_mismatch']],
    ['a commit that is a name', { source: { commit: 'HEAD~12345' } }, ['body.source.commit: string_pattern_mismatch']],
    ['an empty branch', { source: { branch: ' ' } }, ['body.source.branch: string_too_short']],
    ['a long branch', { source: { branch: 'b'.repeat(256) } }, ['body.source.branch: string_too_long']],
    [
      'a branch with a control character',
      { source: { branch: 'a\u001b[2J' } },
      ['body.source.branch: string_pattern_mismatch'],
    ],
    ['a tag that reverses text', { source: { tag: 'v1\u202ecod.exe' } }, ['body.source.tag: string_pattern_mismatch']],
    [
      'an author that isolates text',
      { source: { author: 'Eve\u2066' } },
      ['body.source.author: string_pattern_mismatch'],
    ],
    ['the pull request 0', { source: { pull_request: 0 } }, ['body.source.pull_request: greater_than_equal']],
    ['a pull request with a text', { source: { pull_request: '7' } }, ['body.source.pull_request: int_type']],
    ['a huge pull request', { source: { pull_request: 2 ** 60 } }, ['body.source.pull_request: less_than_equal']],
    ['a script as run', { source: { run_url: 'javascript:alert(1)' } }, ['body.source.run_url: value_error']],
    ['a data URL', { source: { run_url: 'data:text/html,x' } }, ['body.source.run_url: value_error']],
    [
      'another protocol',
      { source: { repository_url: 'ssh://git@example.com/a' } },
      ['body.source.repository_url: value_error'],
    ],
    [
      'a password',
      { source: { repository_url: 'https://user:secret@example.com/a' } },
      ['body.source.repository_url: value_error'],
    ],
    [
      'a user name',
      { source: { repository_url: 'https://token@example.com/a' } },
      ['body.source.repository_url: value_error'],
    ],
    [
      'an empty user name',
      { source: { repository_url: 'https://@example.com/a' } },
      ['body.source.repository_url: value_error'],
    ],
    ['a URL without a host', { source: { repository_url: 'https://' } }, ['body.source.repository_url: value_error']],
    ['a URL with spaces', { source: { run_url: 'https://example.com/a b' } }, ['body.source.run_url: value_error']],
    [
      'a long URL',
      { source: { run_url: `https://example.com/${'r'.repeat(1000)}` } },
      ['body.source.run_url: string_too_long'],
    ],
    ['labels that are one text', { labels: 'nightly' }, ['body.labels: list_type']],
    ['too many labels', { labels: Array.from({ length: 21 }, (_, n) => `l${n}`) }, ['body.labels: too_long']],
    ['a long label', { labels: ['l'.repeat(51)] }, ['body.labels.0: string_too_long']],
    ['an empty label', { labels: ['ok', ' '] }, ['body.labels.1: string_too_short']],
    ['a label twice', { labels: ['Nightly', ' nightly'] }, ['body.labels: value_error']],
    ['a label with a line break', { labels: ['a\nb'] }, ['body.labels.0: string_pattern_mismatch']],
    ['a label that reverses text', { labels: ['\u202eok'] }, ['body.labels.0: string_pattern_mismatch']],
  ])('cannot have %s', async (_name, body, expected) => {
    const { ci, android } = scenario;
    const whole = { version_name: 'rejected', build_number: 1, ...body };
    const answer = await ci.post('/api/v1/builds/initiate', whole, { ...android });
    expectInvalid(answer, ...expected);
    expect(answer.text).not.toContain('secret');
    if (expected[0]?.endsWith('_url: value_error')) expect(answer.text).toContain(wrongUrl);
  });
});

describe('labels', () => {
  it('can be replaced and removed by people who upload; the source stays', async () => {
    const { fixture, ci, android } = scenario;
    const build = await uploadBuild(ci, android, buildApk(), { source, labels: ['nightly'] });
    const path = `/api/v1/builds/${build.identifier}`;
    const before = auditMark(fixture);
    const change = { labels: ['Tested', ' beta '], source: { branch: 'other' } };
    const edited = await ci.patch(path, change);
    expect([edited.status, edited.body]).toEqual([200, { ...build, labels: ['beta', 'Tested'] }]);
    // The same labels in another order change nothing; another spelling does.
    expect((await ci.patch(path, { labels: ['beta', 'Tested'] })).body.labels).toEqual(['beta', 'Tested']);
    expect((await ci.patch(path, { labels: ['beta', 'tested'] })).body.labels).toEqual(['beta', 'tested']);
    const both = await ci.patch(path, { labels: [], release_notes: 'Both' });
    expect(both.body).toEqual({ ...build, labels: [], release_notes: 'Both' });
    expect((await ci.patch(path, { labels: null })).body.labels).toEqual([]);
    expect(
      auditRows(fixture, { after: before }).map(({ event, type, details }) => [event, type, details.fields]),
    ).toEqual([
      ['edited', 'build', ['labels']],
      ['edited', 'build', ['labels']],
      ['edited', 'build', ['release_notes', 'labels']],
    ]);
    expectInvalid(await ci.patch(path, { labels: ['a', 'A'] }), 'body.labels: value_error');
  });

  it('need the permission to upload, and are deleted with their build', async () => {
    const { fixture, admin, ci, android } = scenario;
    const build = await uploadBuild(ci, android, buildApk(), { labels: ['kept'] });
    const path = `/api/v1/builds/${build.identifier}`;
    const { organization_id: organizationId, project_id: projectId } = android;
    const reader = projectTokenClient(fixture, { organizationId, projectId, role: 'read_download' });
    expectRefusal(await reader.patch(path, { labels: [] }), 403, 'permission_denied');
    const count = () =>
      fixture.app.db.$client
        .prepare('SELECT count(*) FROM build_labels WHERE build_id = ?')
        .pluck()
        .get(build.identifier);
    expect(count()).toBe(1);
    expect((await admin.delete(path)).status).toBe(204);
    expect(count()).toBe(0);
  });
});

describe('the uploader', () => {
  it('has a name, and a picture for everyone who can read the builds', async () => {
    const { fixture, android } = scenario;
    const { organization_id: organization, project_id: project } = android;
    const roles = {
      organizations: { [organization]: 'member' },
      projects: { [project]: 'read_download_upload' },
    } as const;
    const uploader = await addPerson(fixture, { ...roles, name: 'Ada Quay' });
    const build = await uploadBuild(uploader.client, android, buildApk());
    expect(build.uploaded_by).toEqual({ kind: 'developer', name: 'Ada Quay', avatar_url: null });
    const avatar = `/api/v1/projects/${project}/uploaders/${uploader.id}/avatar`;
    const reader = await addPerson(fixture, { organizations: roles.organizations, projects: { [project]: 'read' } });
    expectRefusal(await reader.client.get(avatar), 404, 'not_found');

    const form = new FormData();
    const bytes = buildPng(4, 4);
    form.append('file', new Blob([new Uint8Array(bytes)], { type: 'image/png' }), 'me.png');
    const base = fixture.config.server.base_url;
    const stored = await fetch(`${base}/api/v1/developers/${uploader.id}/avatar`, {
      method: 'POST',
      headers: { authorization: `Bearer ${uploader.accessToken}` },
      body: form,
    });
    expect(stored.status).toBe(201);
    const { body } = await reader.client.get<{ uploaded_by: { avatar_url: string } }>(
      `/api/v1/builds/${build.identifier}`,
    );
    expect(body.uploaded_by.avatar_url).toMatch(new RegExp(`^${base}${avatar}\\?v=`));
    const image = await fetch(body.uploaded_by.avatar_url, {
      headers: { authorization: `Bearer ${reader.accessToken}` },
    });
    expect([image.status, image.headers.get('content-type')]).toEqual([200, 'image/png']);
    expect(Buffer.from(await image.arrayBuffer()).equals(bytes)).toBe(true);

    // Someone who uploaded nothing, and someone without access.
    expectRefusal(await reader.client.get(avatar.replace(uploader.id, reader.id)), 404, 'not_found');
    const stranger = await addPerson(fixture);
    expectRefusal(await stranger.client.get(avatar), 404, 'not_found');
    expectRefusal(await api(fixture, null).get(avatar), 401, 'unauthorized');
    const elsewhere = avatar.replace(project, scenario.ios.project_id);
    expectRefusal(await scenario.admin.get(elsewhere), 404, 'not_found');
  });
});
