// The client commands against a real server: from an empty folder to a release that a phone can install.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/config.ts';
import { createServer, type Server } from '../../src/server.ts';
import { buildIpa, readApiDemos, sha256 } from '../support/fixtures.ts';
import { openWorkshop, type Workshop } from './test-host.ts';

const PASSWORD = 'correct horse battery';
const apk = readApiDemos();

let workshop: Workshop;
let server: Server;
let organizationId: string;
let projectId: string;
let channelId: string;
let token: string;

async function call(path: string, body: unknown, accessToken: string): Promise<Record<string, string>> {
  const response = await fetch(`${server.url}/api/v1${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${accessToken}` },
    body: JSON.stringify(body),
  });
  const answer: Record<string, string> = JSON.parse(await response.text());
  if (!response.ok) throw new Error(JSON.stringify(answer));
  return answer;
}

const withPassword = () => ({ stdin: Readable.from([PASSWORD]) });
const asProject = () => ({ env: { TAXIWAY_URL: server.url, TAXIWAY_TOKEN: token } });

beforeAll(async () => {
  workshop = openWorkshop();
  writeFileSync(join(workshop.folder, 'config.toml'), '[server]\nport = 0\n[log]\nlevel = "silent"\n');
  writeFileSync(join(workshop.folder, 'app.apk'), apk);
  const account = ['--email', 'dana@example.com', '--password-stdin', '--verified', '--organization', 'Northwind'];
  const created = await workshop.run(['developer', 'create', ...account, '--json'], withPassword());
  organizationId = JSON.parse(created.stdout).organization_id;

  server = await createServer(loadConfig({ env: {}, cwd: workshop.folder }));
  await server.start();
  const { access_token: accessToken = '' } = await call(
    '/login',
    { email: 'dana@example.com', password: PASSWORD },
    '',
  );
  const inOrganization = `?organization_id=${organizationId}`;
  for (const platform of ['ios', 'android']) {
    projectId = (await call(`/projects${inOrganization}`, { name: 'Runner', platform }, accessToken)).identifier ?? '';
  }
  const inProject = `${inOrganization}&project_id=${projectId}`;
  channelId = (await call(`/channels${inProject}`, { name: 'beta', public: true }, accessToken)).identifier ?? '';
  await call(`/channels${inProject}`, { name: 'nightly', auto_distribute: true }, accessToken);
  const secret = await call(`/project-access-tokens${inProject}`, { name: 'ci', role: 'maintainer' }, accessToken);
  token = secret.token ?? '';
});

afterAll(async () => {
  await server.stop();
  workshop[Symbol.dispose]();
});

describe('with a stored session', () => {
  beforeAll(async () => {
    const words = ['login', '--url', server.url, '--email', 'dana@example.com', '--password-stdin'];
    expect((await workshop.run(words, withPassword())).code).toBe(0);
  });

  it('uploads, releases and prints an install page that works', async () => {
    const words = ['upload', 'app.apk', '--project', 'Runner', '--channel', 'beta', '--notes', 'First', '--json'];
    const { code, stdout, stderr } = await workshop.run(words);
    expect({ code, stderr }).toMatchObject({ code: 0 });
    const { build, release, install_url: installUrl } = JSON.parse(stdout);
    expect(build).toMatchObject({
      project_id: projectId,
      sha256: sha256(apk),
      size_bytes: apk.length,
      release_notes: 'First',
      bundle_identifier: 'io.appium.android.apis',
      inspection_status: 'ok',
    });
    expect(release).toMatchObject({ channel_id: channelId, is_current: true, state: 'active' });
    expect(installUrl).toBe(`${server.app.config.server.base_url}/install/channels/${channelId}`);
    expect((await fetch(installUrl)).status).toBe(200);
  });

  it('finds the build of the same package', async () => {
    const { code, stderr } = await workshop.run(['upload', 'app.apk', '--project', 'Runner']);
    expect(code).toBe(0);
    expect(stderr).toContain('app.apk is already on the server as build ');
    expect(stderr).not.toContain('labels');
    const labeled = await workshop.run(['upload', 'app.apk', '--project', 'Runner', '--label', 'nightly']);
    expect(labeled.code).toBe(0);
    expect(labeled.stderr).toContain('Its labels stay as they are.\n');
  });

  it('uploads an .ipa to the iOS project of the same name', async () => {
    writeFileSync(join(workshop.folder, 'app.ipa'), buildIpa());
    const { code, stdout, stderr } = await workshop.run(['upload', 'app.ipa', '--project', 'Runner', '--json']);
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(JSON.parse(stdout).build).toMatchObject({ platform: 'ios' });
  });
});

describe('with a project access token', () => {
  it("needs no project, and reports the channel's automatic release", async () => {
    const words = ['upload', 'app.apk', '--build-number', '1001', '--channel', 'nightly', '--mandatory', '--json'];
    const { code, stdout, stderr } = await workshop.run(words, asProject());
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(JSON.parse(stdout)).toMatchObject({
      build: { build_number: 1001 },
      release: { mandatory: true, is_current: true },
      install_url: expect.stringContaining('/install/channels/'),
    });
  });

  it('lists builds and promotes one to another channel', async () => {
    const listed = await workshop.run(['builds', '--json'], asProject());
    const [newest, ...older] = JSON.parse(listed.stdout);
    expect(newest.build_number).toBe(1001);
    expect(older).toHaveLength(1);
    const words = ['release', newest.identifier, '--channel', channelId, '--notes', 'Promoted', '--json'];
    const { code, stdout } = await workshop.run(words, asProject());
    expect(code).toBe(0);
    expect(JSON.parse(stdout).release).toMatchObject({ release_notes: 'Promoted', is_current: true });

    const told = await workshop.run(['release', newest.identifier, '--channel', channelId], asProject());
    expect(told.stderr).toBe(
      "Phones can't open this link: set server.base_url in the server's config.toml to an address they can reach.\n",
    );
  });

  it('does not release a build again if its upload is repeated after an older one was released again', async () => {
    const upload = (number: string) =>
      workshop.run(['upload', 'app.apk', '--build-number', number, '--channel', 'beta', '--json'], asProject());
    const first = JSON.parse((await upload('2001')).stdout);
    const second = JSON.parse((await upload('2002')).stdout);
    const words = ['release', first.build.identifier, '--channel', 'beta', '--json'];
    const { release } = JSON.parse((await workshop.run(words, asProject())).stdout);
    expect(release.is_current).toBe(true);
    const again = await upload('2002');
    expect(JSON.parse(again.stdout).release).toMatchObject({
      identifier: second.release.identifier,
      is_current: false,
    });
    expect(again.stderr).toContain('beta has a newer release. To release this build again: ');
  });

  it.each(['1001', '01900000-0000-7000-8000-0000000000ff'])('rejects an unknown build: %s', async (id) => {
    const { code, stderr } = await workshop.run(['release', id, '--channel', 'beta'], asProject());
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: `taxiway: build "${id}" not found; "taxiway builds" lists builds with their IDs\n`,
    });
  });

  it('does not see other projects', async () => {
    const { code, stderr } = await workshop.run(['builds', '--project', 'Walker'], asProject());
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(/^taxiway: no project has the ID or the exact name "Walker"; projects: [^,]+\n$/),
    });
  });
});

describe('next to the running server', () => {
  it('checks its data, and runs cleanup jobs', async () => {
    const { code, stdout } = await workshop.run(['check']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^ok {4}objects +\d+ objects, none missing$/m);
    const swept = await workshop.run(['sweep', 'pending-uploads', '--json']);
    expect(JSON.parse(swept.stdout)).toEqual({ name: 'pending-uploads', removed: 0 });
  });
});
