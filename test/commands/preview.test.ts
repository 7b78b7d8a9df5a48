// taxiway preview: against a server, with forges that record what is sent to them.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import { buildApk } from '../support/fixtures.ts';
import { openWorkshop, type Workshop } from './test-host.ts';

interface Call {
  call: string;
  body: string | undefined;
  authorization: string;
}

let fixture: Fixture;
let workshop: Workshop;
let forge: Server;
let url: string;
let calls: Call[];
let comments: {
  id: number;
  body: string;
  user?: { id?: number; type?: string };
  author_association?: string;
  author?: { id: number };
}[];
let failWith: number;
/** What the forge says about the token; undefined if it doesn't. */
let tokenOwner: object | undefined;
let version = 100;

beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture?.stop());
beforeEach(async () => {
  workshop = openWorkshop();
  version += 1;
  writeFileSync(
    join(workshop.folder, 'app.apk'),
    buildApk({ packageName: 'com.example.preview', versionCode: version }),
  );
  [calls, comments, failWith, tokenOwner] = [[], [], 0, undefined];
  forge = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    const { authorization, 'private-token': own, 'job-token': job } = request.headers;
    const body = text === '' ? undefined : JSON.parse(text).body;
    calls.push({
      call: `${request.method} ${request.url}`,
      body,
      authorization: String(authorization ?? own ?? `job ${job}`),
    });
    response.setHeader('content-type', 'application/json');
    const isAboutToken = /\/(?:user|job)$/.test(request.url ?? '');
    if (failWith !== 0 || (isAboutToken && tokenOwner === undefined)) response.writeHead(failWith || 403).end('{}');
    else if (isAboutToken) response.end(JSON.stringify(tokenOwner));
    else if (request.method === 'GET') {
      const page = Number(new URL(request.url ?? '', url).searchParams.get('page'));
      response.end(JSON.stringify(comments.slice((page - 1) * 100, page * 100)));
    } else {
      const by = { user: { id: 41, type: 'Bot' }, author_association: 'NONE' };
      if (request.method === 'POST') comments.push({ id: 1000 + comments.length, body, ...by });
      response.end('{}');
    }
  });
  await new Promise<void>((resolve) => forge.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(forge.address() as AddressInfo).port}`;
});
afterEach(async () => {
  workshop[Symbol.dispose]();
  await new Promise((resolve) => forge.close(resolve));
});

const run = (words: string[], env: Record<string, string> = {}) =>
  workshop.run(['preview', ...words], {
    env: { TAXIWAY_URL: fixture.url, TAXIWAY_TOKEN: fixture.project_access_token, ...env },
  });
const gitHub = () => ({ GITHUB_REPOSITORY: 'acme/app', GITHUB_TOKEN: 'gh-secret', GITHUB_API_URL: `${url}/api/v3/` });
const gitLab = () => ({ CI_PROJECT_ID: '42', CI_API_V4_URL: `${url}/api/v4` });

describe('publish', () => {
  it('releases to a channel of its own and comments once on GitHub', async () => {
    const publish = () => run(['publish', 'app.apk', '--pull-request', '12', '--no-source'], gitHub());
    const first = await publish();
    expect(first.code, first.stderr).toBe(0);
    expect(first.stdout).toContain('channel   PR 12\n');
    expect(first.stdout).toMatch(/preview {3}PR 12, until \d{4}-/);
    const mark = `<!-- taxiway-preview ${fixture.android_project_id} -->`;
    expect(calls.map(({ call, authorization }) => [call, authorization])).toEqual([
      ['GET /api/v3/repos/acme/app/issues/12/comments?per_page=100&page=1', 'Bearer gh-secret'],
      ['POST /api/v3/repos/acme/app/issues/12/comments', 'Bearer gh-secret'],
    ]);
    expect(comments[0]?.body.startsWith(`${mark}\n### Preview of Fixture Android\n`)).toBe(true);
    expect(comments[0]?.body).toMatch(
      new RegExp(`\\[\\*\\*Install 1\\\\.2\\\\.3 \\\\\\(${version}\\\\\\)\\*\\*\\]\\(http.*/install/channels/`),
    );
    // Without https, forges couldn't load the image.
    expect(comments[0]?.body).not.toContain('<img');

    // More than a page of other comments, one of which quotes the mark.
    comments.unshift(...Array.from({ length: 120 }, (_, id) => ({ id, body: `> ${mark}` })));
    calls = [];
    const again = await publish();
    expect(again.code, again.stderr).toBe(0);
    expect(calls.map(({ call }) => call)).toEqual([
      'GET /api/v3/repos/acme/app/issues/12/comments?per_page=100&page=1',
      'GET /api/v3/repos/acme/app/issues/12/comments?per_page=100&page=2',
      'PATCH /api/v3/repos/acme/app/issues/comments/1000',
    ]);
    expect(first.stdout + first.stderr).not.toContain('gh-secret');
  });

  it.each([
    [{ GITLAB_TOKEN: 'gl-secret', CI_JOB_TOKEN: 'job' }, 'gl-secret', 'user', { id: 71, username: 'project_42_bot' }],
    [{ CI_JOB_TOKEN: 'job' }, 'job job', 'job', { id: 9_001, user: { id: 71, username: 'ada' } }],
  ])('updates only its own comment on GitLab with %o', async (tokens, sent, about, owner) => {
    const body = `<!-- taxiway-preview ${fixture.android_project_id} -->\nOld`;
    tokenOwner = owner;
    comments = [
      { id: 4, body, author: { id: 9_001 === owner.id ? 9_001 : 72 } },
      { id: 5, body, author: { id: 71 } },
    ];
    const env = { ...gitLab(), ...tokens, GITLAB_CI: 'true', CI_MERGE_REQUEST_IID: '13' };
    const { code, stderr } = await run(['publish', 'app.apk'], env);
    expect(code, stderr).toBe(0);
    expect(calls.map(({ call, authorization }) => [call, authorization])).toEqual([
      ['GET /api/v4/projects/42/merge_requests/13/notes?per_page=100&page=1', sent],
      [`GET /api/v4/${about}`, sent],
      ['PUT /api/v4/projects/42/merge_requests/13/notes/5', sent],
    ]);
  });

  it.each([
    ['someone else', { id: 71 }],
    ['nobody that GitLab names', undefined],
    ['an unreadable user', { name: 'bot' }],
  ])('comments again on GitLab if the token belongs to %s', async (_, owner) => {
    tokenOwner = owner;
    comments = [{ id: 5, body: `<!-- taxiway-preview ${fixture.android_project_id} -->\nOld`, author: { id: 72 } }];
    const env = { ...gitLab(), GITLAB_TOKEN: 'gl-secret' };
    const { code, stderr } = await run(['publish', 'app.apk', '--pull-request', '13', '--no-source'], env);
    expect(code, stderr).toBe(0);
    expect(calls.map(({ call }) => call)).toEqual([
      'GET /api/v4/projects/42/merge_requests/13/notes?per_page=100&page=1',
      'GET /api/v4/user',
      'POST /api/v4/projects/42/merge_requests/13/notes',
    ]);
  });

  it('compares the author with the owner of the token on Gitea, which names no association', async () => {
    const body = `<!-- taxiway-preview ${fixture.android_project_id} -->\nInstall`;
    tokenOwner = { id: -2, login: 'gitea-actions' };
    comments = [{ id: 5, body, user: { id: 72 } }];
    const publish = () => run(['publish', 'app.apk', '--pull-request', '16', '--no-source'], gitHub());
    await publish();
    expect(calls.slice(-2).map(({ call }) => call)).toEqual([
      'GET /api/v3/user',
      'POST /api/v3/repos/acme/app/issues/16/comments',
    ]);
    comments = [
      { id: 5, body, user: { id: 72 } },
      { id: 6, body, user: { id: -2 } },
    ];
    await publish();
    expect(calls.at(-1)?.call).toBe('PATCH /api/v3/repos/acme/app/issues/comments/6');
  });

  it('writes notes of the commits of the pull request, then of those since the last build', async () => {
    const git = (...words: string[]) =>
      execFileSync('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', ...words], {
        cwd: workshop.folder,
        encoding: 'utf8',
      }).trim();
    const commit = (subject: string) => git('commit', '--quiet', '--allow-empty', '-m', subject);
    git('init', '--quiet', '--initial-branch=main');
    commit('Old');
    git('update-ref', 'refs/remotes/origin/main', 'HEAD');
    commit('First');
    commit('Second');
    const publish = () =>
      run(['publish', 'app.apk', '--pull-request', '31', '--notes-from-git', '--json', '--no-comment'], {
        GITHUB_ACTIONS: 'true',
        GITHUB_BASE_REF: 'main',
        GITHUB_SHA: git('rev-parse', 'HEAD'),
      });
    const first = await publish();
    expect(first.code, first.stderr).toBe(0);
    expect(JSON.parse(first.stdout).release.release_notes).toBe('- Second\n- First');
    commit('Third');
    const apk = buildApk({ packageName: 'com.example.preview', versionCode: version + 1_000 });
    writeFileSync(join(workshop.folder, 'app.apk'), apk);
    const second = await publish();
    expect(second.code, second.stderr).toBe(0);
    expect(JSON.parse(second.stdout).release.release_notes).toBe('- Third');
  });

  it('leaves the comment of an outsider alone, although it begins with the mark', async () => {
    const mark = `<!-- taxiway-preview ${fixture.android_project_id} -->`;
    const by = (id: number, type: string, author_association: string) => ({
      id,
      body: `${mark}\nInstall`,
      user: { type },
      author_association,
    });
    comments = [by(5, 'User', 'NONE'), by(6, 'User', 'FIRST_TIME_CONTRIBUTOR'), by(7, 'User', 'CONTRIBUTOR')];
    await run(['publish', 'app.apk', '--pull-request', '15', '--no-source'], gitHub());
    expect(calls.at(-1)?.call).toBe('POST /api/v3/repos/acme/app/issues/15/comments');
    // Those of jobs and of people who can write to the repository are its own.
    for (const own of [by(8, 'Bot', 'NONE'), by(8, 'User', 'COLLABORATOR')]) {
      comments = [own];
      await run(['publish', 'app.apk', '--pull-request', '15', '--no-source'], gitHub());
      expect(calls.at(-1)?.call).toBe('PATCH /api/v3/repos/acme/app/issues/comments/8');
    }
  });

  it('warns about an odd token without printing it', async () => {
    const { code, stderr } = await run(['publish', 'app.apk', '--pull-request', '14'], {
      ...gitLab(),
      GITLAB_TOKEN: 'gl-secret\ngl-other',
    });
    expect(code).toBe(0);
    expect(stderr).toContain(
      'Warning: the comment on pull request 14 failed: the token for GitLab contains characters that no token has',
    );
    expect(stderr).not.toContain('gl-secret');
  });

  it('warns and succeeds if the forge refuses the comment', async () => {
    failWith = 403;
    const { code, stderr } = await run(['publish', 'app.apk', '--pull-request', '14'], {
      ...gitLab(),
      CI_JOB_TOKEN: 'job',
    });
    expect(code).toBe(0);
    expect(stderr).toContain('Warning: the comment on pull request 14 failed: GitLab returned 403; set GITLAB_TOKEN');
  });

  it('comments nowhere without a token, and with --no-comment', async () => {
    const without = await run(['publish', 'app.apk', '--pull-request', '14', '--no-source']);
    expect([without.code, calls]).toEqual([0, []]);
    expect(without.stderr).toContain('No comment: set GITHUB_TOKEN');
    const quiet = await run(['publish', 'app.apk', '--pull-request', '14', '--no-source', '--no-comment'], gitHub());
    expect([quiet.code, calls]).toEqual([0, []]);
  });

  it('has only options in its help that it accepts', async () => {
    const { code, stdout } = await run(['publish', '--help']);
    expect([code, stdout]).toEqual([0, expect.stringContaining('--template <id|name>')]);
    expect(stdout).not.toContain('--channel <id|name>');
  });

  it.each<[string[], string]>([
    [['publish', 'app.apk', '--no-source'], 'name the pull request with --pull-request NUMBER'],
    [['publish', 'app.apk', '--pull-request', '0'], '--pull-request must be a whole number from 1'],
    [['publish', 'app.apk', '--pull-request', '1', '--channel', 'beta'], '--channel is the preview itself'],
  ])('rejects %j', async (words, message) => {
    const { code, stderr } = await run(words);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });
});

describe('list and close', () => {
  it('show and end what is open', async () => {
    await run(['publish', 'app.apk', '--pull-request', '21', '--no-source']);
    const listed = await run(['list', '--json']);
    expect(JSON.parse(listed.stdout).map((one: { pull_request: number }) => one.pull_request)).toContain(21);
    expect((await run(['list'])).stdout).toMatch(/^PR 21 {2,}until /m);
    expect((await run(['close', '--pull-request', '21'])).stderr).toContain('Ended the preview of pull request 21.\n');
    const again = await run(['close', '--pull-request', '21']);
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('pull request 21 has no open preview')]);
    expect((await run(['list'])).stdout).not.toContain('PR 21');
  });
});
