// From `git push` to the phone of a reviewer: the workflow of docs/previews.md runs on a real APK, the forge gets one comment, and a reader
// without an account opens its QR code on a phone.
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Browser } from 'playwright-core';
import { PNG } from 'pngjs';
import decodeQr from 'qr/decode.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import { buildApk, readApiDemos, sha256 } from '../support/fixtures.ts';
import { api } from '../support/harness.ts';
import { expectAccessible } from './accessibility.ts';
import { closeContexts, keepScreenshot, openBrowser, visit } from './browser.ts';
import { type Forge, gitEnv, startForge } from './forge/forge.ts';
import { type HttpsFront, startHttpsFront } from './https-front.ts';
import { projectDir, runProgram } from './program.ts';

const PULL_REQUEST = 7;
const BUILT_TO = 'app/build/outputs/apk/debug/app-debug.apk';
/** The second build is of the same app, as the next commit would build it. */
const apks = [
  readApiDemos(),
  buildApk({ packageName: 'io.appium.android.apis', versionName: '5.0.1', versionCode: 26, label: 'API Demos' }),
] as const;

let browser: Browser;
let front: HttpsFront;
let fixture: Fixture;
let forge: Forge;
let clone: string;

beforeAll(async () => {
  [browser, front] = await Promise.all([openBrowser(), startHttpsFront()]);
  fixture = await startFixture({ config: { server: { base_url: front.url, trusted_proxies: ['127.0.0.1'] } } });
  front.passTo(fixture.url);
  clone = mkdtempSync(join(tmpdir(), 'taxiway-clone-'));
  writeFileSync(join(clone, '.front.pem'), front.certificate);
  const certificate = join(clone, '.front.pem');
  forge = await startForge({
    name: 'harbor/demos',
    pull: { number: PULL_REQUEST, branch: 'faster-lists', base: 'main' },
    secrets: { TAXIWAY_TOKEN: fixture.project_access_token },
    runner: {
      PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
      NODE_EXTRA_CA_CERTS: certificate,
      CURL_CA_BUNDLE: certificate,
    },
  });
});
afterAll(async () => {
  await closeContexts(browser);
  await forge?.stop();
  await fixture?.stop();
  await front?.stop();
  if (clone !== undefined) rmSync(clone, { recursive: true, force: true });
});

async function git(...words: string[]): Promise<string> {
  const { code, stdout, stderr } = await runProgram('git', words, { cwd: clone, env: gitEnv });
  expect(code, `git ${words.join(' ')}: ${stderr}`).toBe(0);
  return `${stdout}${stderr}`.trim();
}

/** Writes files, and commits them. */
async function commit(subject: string, files: Record<string, string | Buffer>): Promise<string> {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(clone, name)), { recursive: true });
    writeFileSync(join(clone, name), content);
    if (name === 'gradlew') chmodSync(join(clone, name), 0o755);
  }
  await git('add', '--', ...Object.keys(files));
  await git('commit', '--quiet', '-m', subject);
  return git('rev-parse', 'HEAD');
}

/** The workflow of the documentation, with the address of this server. */
function readWorkflow(): string {
  const page = readFileSync(join(projectDir, 'docs/previews.md'), 'utf8');
  const [, workflow = ''] = /```yaml\n(name: Preview\n[\s\S]*?)```/.exec(page) ?? [];
  return workflow.replace('https://builds.example.com', front.url);
}

const previewComments = () => forge.comments.filter(({ body }) => body.includes('Preview of'));

/** What a reader of the pull request without an account sees: the picture of the comment, decoded. */
async function readQrCode(body: string): Promise<string> {
  const [, address = ''] = /<img src="([^"]+)"/.exec(body) ?? [];
  expect(new URL(address).origin).toBe(front.url);
  const picture = await front.send(address);
  expect([picture.status, picture.headers['content-type']]).toEqual([200, 'image/png']);
  const { width, height, data } = PNG.sync.read(picture.bytes);
  return decodeQr({ width, height, data });
}

/** Opens the address of a QR code on a phone, and installs what is there. */
async function openOnPhone(
  address: string,
  expected: { version: string; facts: string[]; notes: string[]; apk: Buffer },
): Promise<void> {
  await visit(browser, address, { device: 'android' }, async ({ page }) => {
    expect(await page.locator('header.app').textContent()).toContain(expected.version);
    expect(await page.locator('dl.facts div').allTextContents()).toEqual(expect.arrayContaining(expected.facts));
    expect(await page.locator('.notes li').allTextContents()).toEqual(expected.notes);
    await expectAccessible(page);
    await keepScreenshot(page, 'walk-from-push-android');
    const started = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Download and install' }).click();
    expect(sha256(readFileSync(await (await started).path()))).toBe(sha256(expected.apk));
  });
}

describe('a pull request', () => {
  let address: string;

  beforeAll(async () => {
    const { organization_id, android_project_id: project_id } = fixture;
    const beta = { name: 'beta', public: true, description: 'For everyone who reviews' };
    expect((await api(fixture).post('/api/v1/channels', beta, { organization_id, project_id })).status).toBe(201);
    await git('init', '--quiet', '--initial-branch=main');
    await git('remote', 'add', 'origin', forge.facts.repository);
    // The build runs what the pull request and its dependencies contain, so it must not see the tokens.
    const gradlew = `#!/bin/sh\nset -e\n[ "$1" = assembleDebug ]\n[ -z "$TAXIWAY_TOKEN$GITHUB_TOKEN" ]\nmkdir -p ${dirname(BUILT_TO)}\ncp app.apk ${BUILT_TO}\n`;
    await commit('Begin the app', { gradlew, '.github/workflows/preview.yml': readWorkflow() });
    await git('push', '--quiet', 'origin', 'main');
    await git('checkout', '--quiet', '-b', 'faster-lists');
  });

  it('gets a comment when a branch is pushed, whose QR code leads to the app', async () => {
    await commit('Draw lists once', { 'lists.txt': 'once' });
    const head = await commit('Scroll without jumps', { 'app.apk': apks[0] });
    const pushed = await git('push', 'origin', 'faster-lists');
    expect(pushed).toContain(`remote: channel   PR ${PULL_REQUEST}`);
    expect(pushed).toContain(`remote: Commented on pull request ${PULL_REQUEST}.`);
    expect(pushed).not.toContain(fixture.project_access_token);
    expect(forge.writes).toEqual([`POST /repos/harbor/demos/issues/${PULL_REQUEST}/comments`]);
    expect(previewComments()).toHaveLength(1);
    const body = previewComments()[0]?.body ?? '';
    expect(body).toContain('[**Install 5\\.0\\.0 \\(25\\)**](');
    expect(body).not.toContain(fixture.project_access_token);

    address = await readQrCode(body);
    expect(body).toContain(`](${address})`);
    const facts = [`Pull request#${PULL_REQUEST}`, `Commit${head.slice(0, 7)}`];
    await openOnPhone(address, {
      version: 'Version 5.0.0 (25)',
      facts,
      notes: ['Scroll without jumps', 'Draw lists once'],
      apk: apks[0],
    });

    const query = { organization_id: fixture.organization_id, project_id: fixture.android_project_id, commit: head };
    const { body: found } = await api(fixture).get('/api/v1/builds', query);
    expect(found.items).toMatchObject([
      {
        sha256: sha256(apks[0]),
        source: {
          commit: head,
          branch: 'faster-lists',
          pull_request: PULL_REQUEST,
          repository_url: 'https://git.example.com/harbor/demos',
          run_url: 'https://git.example.com/harbor/demos/actions/runs/1658821493',
          author: 'Ada Example',
        },
      },
    ]);
  });

  it('keeps the one comment when another commit is pushed, and its QR code leads to the new build', async () => {
    const head = await commit('Count the rows', { 'app.apk': apks[1] });
    await git('push', 'origin', 'faster-lists');
    expect(forge.writes.slice(1)).toEqual(['PATCH /repos/harbor/demos/issues/comments/101']);
    expect(previewComments()).toHaveLength(1);
    const body = previewComments()[0]?.body ?? '';
    expect(body).toContain('[**Install 5\\.0\\.1 \\(26\\)**](');
    expect(await readQrCode(body)).toBe(address);
    const facts = [`Commit${head.slice(0, 7)}`];
    await openOnPhone(address, { version: 'Version 5.0.1 (26)', facts, notes: ['Count the rows'], apk: apks[1] });
  });

  it('has a page that no longer works when the preview is closed', async () => {
    const { organization_id, android_project_id: project_id } = fixture;
    const { body } = await api(fixture).get<{ items: { identifier: string }[] }>('/api/v1/previews', {
      organization_id,
      project_id,
    });
    expect((await api(fixture).delete(`/api/v1/previews/${body.items[0]?.identifier}`)).status).toBe(204);
    const page = await front.send(address);
    expect([page.status, page.text.includes('API Demos')]).toEqual([404, false]);
  });
});
