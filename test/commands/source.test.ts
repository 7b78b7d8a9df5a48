// What taxiway upload says about where a build comes from.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ciSystems } from '../../src/commands/client/ci-systems.ts';
import { readProperties } from '../../src/commands/client/java-properties.ts';
import { webAddressOf, withoutCredentials } from '../../src/commands/client/web-address.ts';
import { buildDemoApk } from '../support/fixtures.ts';
import { type FakeServer, PROJECT, startFakeServer, TOKEN } from './fake-server.ts';
import { openWorkshop, type Workshop } from './test-host.ts';

const sha = '0123456789abcdef0123456789abcdef01234567';
const merge = 'fedcba9876543210fedcba9876543210fedcba98';
const upload = ['upload', 'app.apk', '--project', PROJECT];

let fake: FakeServer;
let workshop: Workshop;
beforeAll(async () => {
  fake = await startFakeServer();
  workshop = openWorkshop({ TAXIWAY_URL: `${fake.url}/`, TAXIWAY_TOKEN: TOKEN });
  writeFileSync(join(workshop.folder, 'app.apk'), buildDemoApk());
});
afterEach(() => void fake.seen.splice(0));
afterAll(async () => {
  await fake[Symbol.asyncDispose]();
  workshop[Symbol.dispose]();
});

interface Sent {
  source?: Record<string, unknown>;
  labels?: string[];
}

/** Uploads with an environment and returns what initiate received. */
async function send(env: Record<string, string>, words: string[] = [], cwd = workshop.folder): Promise<Sent> {
  const all = {
    TAXIWAY_URL: `${fake.url}/`,
    TAXIWAY_TOKEN: TOKEN,
    XDG_CONFIG_HOME: join(workshop.folder, 'home'),
    ...env,
  };
  const file = join(workshop.folder, 'app.apk');
  const { code, stderr } = await workshop.run(['upload', file, '--project', PROJECT, ...words], { env: all, cwd });
  expect(code, stderr).toBe(0);
  const body = fake.seen.findLast(({ route }) => route === 'POST /builds/initiate')?.body as Sent;
  return { ...(body.source && { source: body.source }), ...(body.labels && { labels: body.labels }) };
}

function file(name: string, content: string): string {
  const path = join(workshop.folder, name);
  writeFileSync(path, content);
  return path;
}

describe('a run of a CI system', () => {
  const cases: [string, string, () => Record<string, string>, Record<string, unknown>][] = [
    [
      'GitHub Actions',
      'a push',
      () => ({
        CI: 'true',
        GITHUB_ACTIONS: 'true',
        GITHUB_ACTOR: 'octocat',
        GITHUB_EVENT_NAME: 'push',
        GITHUB_EVENT_PATH: file('push.json', JSON.stringify({ ref: 'refs/heads/main', head_commit: { id: sha } })),
        GITHUB_REF: 'refs/heads/feature/sign-in',
        GITHUB_REF_NAME: 'feature/sign-in',
        GITHUB_REF_TYPE: 'branch',
        GITHUB_REPOSITORY: 'harbor/app',
        GITHUB_RUN_ID: '1658821493',
        GITHUB_SERVER_URL: 'https://github.com',
        GITHUB_SHA: sha,
      }),
      {
        commit: sha,
        branch: 'feature/sign-in',
        repository_url: 'https://github.com/harbor/app',
        run_url: 'https://github.com/harbor/app/actions/runs/1658821493',
        author: 'octocat',
      },
    ],
    [
      'GitHub Actions',
      'a pull request',
      () => ({
        GITHUB_ACTIONS: 'true',
        GITHUB_BASE_REF: 'main',
        GITHUB_EVENT_NAME: 'pull_request',
        GITHUB_EVENT_PATH: file('pull.json', JSON.stringify({ pull_request: { number: 42, head: { sha } } })),
        GITHUB_HEAD_REF: 'feature/sign-in',
        GITHUB_REF: 'refs/pull/42/merge',
        GITHUB_REF_NAME: '42/merge',
        GITHUB_REF_TYPE: 'branch',
        GITHUB_REPOSITORY: 'harbor/app',
        GITHUB_RUN_ID: '7',
        GITHUB_SERVER_URL: 'https://github.com',
        GITHUB_SHA: merge,
      }),
      {
        commit: sha,
        branch: 'feature/sign-in',
        pull_request: 42,
        repository_url: 'https://github.com/harbor/app',
        run_url: 'https://github.com/harbor/app/actions/runs/7',
      },
    ],
    [
      'GitHub Actions',
      'a tag, without the event file',
      () => ({
        GITHUB_ACTIONS: 'true',
        GITHUB_EVENT_PATH: '/missing/event.json',
        GITHUB_REF: 'refs/tags/v2.3.1',
        GITHUB_REF_NAME: 'v2.3.1',
        GITHUB_REF_TYPE: 'tag',
        GITHUB_REPOSITORY: 'harbor/app',
        GITHUB_RUN_ID: '7',
        GITHUB_SERVER_URL: 'https://git.example.com',
        GITHUB_SHA: sha,
      }),
      {
        commit: sha,
        tag: 'v2.3.1',
        repository_url: 'https://git.example.com/harbor/app',
        run_url: 'https://git.example.com/harbor/app/actions/runs/7',
      },
    ],
    [
      'GitLab CI/CD',
      'a branch',
      () => ({
        CI: 'true',
        GITLAB_CI: 'true',
        CI_COMMIT_AUTHOR: 'Zoë Harbor <zoe@example.com>',
        CI_COMMIT_BRANCH: 'main',
        CI_COMMIT_REF_NAME: 'main',
        CI_COMMIT_SHA: sha,
        CI_JOB_URL: 'https://gitlab.example.com/harbor/app/-/jobs/9',
        CI_PIPELINE_URL: 'https://gitlab.example.com/harbor/app/-/pipelines/7',
        CI_PROJECT_URL: 'https://gitlab.example.com/harbor/app',
        CI_REPOSITORY_URL: 'https://gitlab-ci-token:secret@gitlab.example.com/harbor/app.git',
      }),
      {
        commit: sha,
        branch: 'main',
        repository_url: 'https://gitlab.example.com/harbor/app',
        run_url: 'https://gitlab.example.com/harbor/app/-/pipelines/7',
        author: 'Zoë Harbor',
      },
    ],
    [
      'GitLab CI/CD',
      'a merge request with merged results',
      () => ({
        GITLAB_CI: 'true',
        CI_COMMIT_AUTHOR: 'Zoë Harbor <zoe@example.com>',
        CI_COMMIT_REF_NAME: 'refs/merge-requests/3/merge',
        CI_COMMIT_SHA: merge,
        CI_MERGE_REQUEST_ID: '90001',
        CI_MERGE_REQUEST_IID: '3',
        CI_MERGE_REQUEST_SOURCE_BRANCH_NAME: 'feature/sign-in',
        CI_MERGE_REQUEST_SOURCE_BRANCH_SHA: sha,
        CI_PIPELINE_URL: 'https://gitlab.com/harbor/app/-/pipelines/7',
        CI_PROJECT_URL: 'https://gitlab.com/harbor/app',
      }),
      {
        commit: sha,
        branch: 'feature/sign-in',
        pull_request: 3,
        repository_url: 'https://gitlab.com/harbor/app',
        run_url: 'https://gitlab.com/harbor/app/-/pipelines/7',
        author: 'Zoë Harbor',
      },
    ],
    [
      'Bitrise',
      'a pull request',
      () => ({
        CI: 'true',
        BITRISE_IO: 'true',
        BITRISE_BUILD_URL: 'https://app.bitrise.io/build/0f1e2d',
        BITRISE_GIT_BRANCH: 'feature/sign-in',
        BITRISE_GIT_COMMIT: sha,
        BITRISE_GIT_TAG: '',
        BITRISE_PULL_REQUEST: '12',
        BITRISEIO_GIT_BRANCH_DEST: 'main',
        GIT_CLONE_COMMIT_AUTHOR_NAME: 'Zoë Harbor',
        GIT_CLONE_COMMIT_HASH: merge,
        GIT_REPOSITORY_URL: 'git@github.com:harbor/app.git',
      }),
      {
        commit: sha,
        branch: 'feature/sign-in',
        pull_request: 12,
        repository_url: 'https://github.com/harbor/app',
        run_url: 'https://app.bitrise.io/build/0f1e2d',
        author: 'Zoë Harbor',
      },
    ],
    [
      'Jenkins',
      'a branch',
      () => ({
        BRANCH_NAME: 'main',
        BUILD_URL: 'https://jenkins.example.com/job/app/job/main/7/',
        GIT_AUTHOR_NAME: 'Zoë Harbor',
        GIT_BRANCH: 'origin/main',
        GIT_COMMIT: sha,
        GIT_URL: 'https://ci:secret@git.example.com:8443/harbor/app.git',
        JENKINS_URL: 'https://jenkins.example.com/',
      }),
      {
        commit: sha,
        branch: 'main',
        repository_url: 'https://git.example.com:8443/harbor/app',
        run_url: 'https://jenkins.example.com/job/app/job/main/7/',
        author: 'Zoë Harbor',
      },
    ],
    [
      'Jenkins',
      'a pull request',
      () => ({
        BRANCH_NAME: 'PR-8',
        BUILD_URL: 'https://jenkins.example.com/job/app/job/PR-8/1/',
        CHANGE_AUTHOR_DISPLAY_NAME: 'Zoë Harbor',
        CHANGE_BRANCH: 'feature/sign-in',
        CHANGE_ID: '8',
        CHANGE_TARGET: 'main',
        GIT_COMMIT: sha,
        GIT_URL: 'git@bitbucket.org:harbor/app.git',
        JENKINS_URL: 'https://jenkins.example.com/',
      }),
      {
        commit: sha,
        branch: 'feature/sign-in',
        pull_request: 8,
        repository_url: 'https://bitbucket.org/harbor/app',
        run_url: 'https://jenkins.example.com/job/app/job/PR-8/1/',
        author: 'Zoë Harbor',
      },
    ],
    [
      'Jenkins',
      'a tag',
      () => ({
        BRANCH_NAME: 'v2.3.1',
        TAG_NAME: 'v2.3.1',
        GIT_COMMIT: sha,
        JENKINS_URL: 'https://jenkins.example.com/',
      }),
      { commit: sha, tag: 'v2.3.1' },
    ],
    [
      'CircleCI',
      'a pull request',
      () => ({
        CI: 'true',
        CIRCLECI: 'true',
        CIRCLE_BRANCH: 'feature/sign-in',
        CIRCLE_BUILD_URL: 'https://circleci.com/gh/harbor/app/7',
        CIRCLE_PULL_REQUEST: 'https://github.com/harbor/app/pull/42',
        CIRCLE_REPOSITORY_URL: 'git@github.com:harbor/app.git',
        CIRCLE_SHA1: sha,
        CIRCLE_USERNAME: 'octocat',
      }),
      {
        commit: sha,
        branch: 'feature/sign-in',
        pull_request: 42,
        repository_url: 'https://github.com/harbor/app',
        run_url: 'https://circleci.com/gh/harbor/app/7',
        author: 'octocat',
      },
    ],
    [
      'Azure Pipelines',
      'a branch',
      () => ({
        TF_BUILD: 'True',
        BUILD_BUILDID: '7',
        BUILD_BUILDURI: 'vstfs:///Build/Build/7',
        BUILD_REPOSITORY_URI: 'https://harbor@dev.azure.com/harbor/The%20App/_git/app',
        BUILD_REQUESTEDFOR: 'Someone Else',
        BUILD_SOURCEBRANCH: 'refs/heads/feature/sign-in',
        BUILD_SOURCEBRANCHNAME: 'sign-in',
        BUILD_SOURCEVERSION: sha,
        BUILD_SOURCEVERSIONAUTHOR: 'Zoë Harbor',
        SYSTEM_COLLECTIONURI: 'https://dev.azure.com/harbor/',
        SYSTEM_TEAMPROJECT: 'The App',
      }),
      {
        commit: sha,
        branch: 'feature/sign-in',
        repository_url: 'https://dev.azure.com/harbor/The%20App/_git/app',
        run_url: 'https://dev.azure.com/harbor/The%20App/_build/results?buildId=7',
        author: 'Zoë Harbor',
      },
    ],
    [
      'Azure Pipelines',
      'a pull request on GitHub',
      () => ({
        TF_BUILD: 'True',
        BUILD_REPOSITORY_URI: 'https://github.com/harbor/app',
        BUILD_SOURCEBRANCH: 'refs/pull/42/merge',
        BUILD_SOURCEVERSION: merge,
        SYSTEM_PULLREQUEST_PULLREQUESTID: '1803456789',
        SYSTEM_PULLREQUEST_PULLREQUESTNUMBER: '42',
        SYSTEM_PULLREQUEST_SOURCEBRANCH: 'feature/sign-in',
        SYSTEM_PULLREQUEST_SOURCECOMMITID: sha,
      }),
      { commit: sha, branch: 'feature/sign-in', pull_request: 42, repository_url: 'https://github.com/harbor/app' },
    ],
    [
      'Buildkite',
      'a tag',
      () => ({
        BUILDKITE: 'true',
        BUILDKITE_BRANCH: 'v2.3.1',
        BUILDKITE_BUILD_AUTHOR: 'Zoë Harbor',
        BUILDKITE_BUILD_CREATOR: 'Someone Else',
        BUILDKITE_BUILD_URL: 'https://buildkite.com/harbor/app/builds/7',
        BUILDKITE_COMMIT: sha,
        BUILDKITE_PULL_REQUEST: 'false',
        BUILDKITE_REPO: 'ssh://git@git.example.com:2222/harbor/app.git',
        BUILDKITE_TAG: 'v2.3.1',
      }),
      {
        commit: sha,
        branch: 'v2.3.1',
        tag: 'v2.3.1',
        repository_url: 'https://git.example.com/harbor/app',
        run_url: 'https://buildkite.com/harbor/app/builds/7',
        author: 'Zoë Harbor',
      },
    ],
    [
      'TeamCity',
      'a pull request',
      () => ({
        BUILD_NUMBER: '7',
        BUILD_URL: 'https://teamcity.example.com/buildConfiguration/App_Build/901',
        BUILD_VCS_NUMBER: sha,
        TEAMCITY_BUILD_PROPERTIES_FILE: file(
          'build.properties',
          `#Wed\nteamcity.configuration.properties.file=${file(
            'config.properties',
            'teamcity.build.branch=42\nteamcity.pullRequest.number=42\n' +
              'teamcity.pullRequest.source.branch=feature/sign-in\nvcsroot.url=https\\://github.com/harbor/app.git\n',
          )}\n`,
        ),
        TEAMCITY_VERSION: '2025.03 (build 186049)',
      }),
      {
        commit: sha,
        branch: 'feature/sign-in',
        pull_request: 42,
        repository_url: 'https://github.com/harbor/app',
        run_url: 'https://teamcity.example.com/buildConfiguration/App_Build/901',
      },
    ],
    [
      'TeamCity',
      'a branch, without the files',
      () => ({ BUILD_VCS_NUMBER: sha, TEAMCITY_BUILD_PROPERTIES_FILE: '/missing', TEAMCITY_VERSION: '2025.03' }),
      { commit: sha },
    ],
    [
      'Xcode Cloud',
      'a pull request',
      () => ({
        CI: 'TRUE',
        CI_XCODE_CLOUD: 'TRUE',
        CI_BUILD_URL: 'https://appstoreconnect.apple.com/teams/a/apps/1/ci/builds/7/summary',
        CI_COMMIT: merge,
        CI_PULL_REQUEST_HTML_URL: 'https://github.com/harbor/app/pull/42',
        CI_PULL_REQUEST_NUMBER: '42',
        CI_PULL_REQUEST_SOURCE_BRANCH: 'feature/sign-in',
        CI_PULL_REQUEST_SOURCE_COMMIT: sha,
      }),
      {
        commit: sha,
        branch: 'feature/sign-in',
        pull_request: 42,
        repository_url: 'https://github.com/harbor/app',
        run_url: 'https://appstoreconnect.apple.com/teams/a/apps/1/ci/builds/7/summary',
      },
    ],
    [
      'Xcode Cloud',
      'a tag',
      () => ({
        CI_XCODE_CLOUD: 'TRUE',
        CI_COMMIT: sha,
        CI_TAG: 'v2.3.1',
        CI_BUILD_URL: 'https://appstoreconnect.apple.com/7',
      }),
      { commit: sha, tag: 'v2.3.1', run_url: 'https://appstoreconnect.apple.com/7' },
    ],
  ];

  it.each(cases)('%s fills in %s', async (_system, _what, env, source) => {
    expect(await send(env())).toEqual({ source });
  });

  it('is tested for each system that is known', () => {
    expect([...new Set(cases.map(([system]) => system))].toSorted()).toEqual(
      ciSystems.map(({ name }) => name).toSorted(),
    );
  });

  it('leaves out what the server would reject', async () => {
    const odd = {
      BITRISE_IO: 'true',
      BITRISE_BUILD_URL: 'javascript:alert(1)',
      BITRISE_GIT_BRANCH: 'b'.repeat(300),
      BITRISE_GIT_COMMIT: 'HEAD',
      BITRISE_GIT_TAG: 'v\u202e1',
      BITRISE_PULL_REQUEST: 'false',
      GIT_REPOSITORY_URL: '/srv/git/app.git',
    };
    expect(await send(odd)).toEqual({});
    expect(await send({ ...odd, BITRISE_PULL_REQUEST: '5' })).toEqual({ source: { pull_request: 5 } });
    expect(await send({ GITHUB_ACTIONS: 'false', GITHUB_SHA: sha })).toEqual({});
  });

  it('can be overridden and switched off', async () => {
    const env = { BITRISE_IO: 'true', BITRISE_GIT_COMMIT: sha, BITRISE_GIT_BRANCH: 'main' };
    const stated = [
      '--commit',
      'ABCDEF0',
      '--branch',
      'other',
      '--tag',
      'v1',
      '--pull-request',
      '9',
      '--author',
      'Ada',
    ];
    const addresses = ['--repository', 'git@github.com:harbor/app.git', '--run-url', 'https://ci.example.com/7'];
    const source = {
      commit: 'abcdef0',
      branch: 'other',
      tag: 'v1',
      pull_request: 9,
      repository_url: 'https://github.com/harbor/app',
      run_url: 'https://ci.example.com/7',
      author: 'Ada',
    };
    expect(await send(env, [...stated, ...addresses])).toEqual({ source });
    expect(await send(env, ['--branch', 'other'])).toEqual({ source: { commit: sha, branch: 'other' } });
    expect(await send(env, ['--no-source'])).toEqual({});
    expect(await send(env, ['--no-source', '--branch', 'other'])).toEqual({ source: { branch: 'other' } });
  });

  it('can have labels, each once', async () => {
    const labels = ['--label', 'nightly', '--label', ' Smoke ', '--label', 'Nightly'];
    expect(await send({}, labels)).toEqual({ labels: ['nightly', 'Smoke'] });
  });

  it.each([
    [['--commit', 'main'], '--commit: must be 7 to 64 hexadecimal digits'],
    [['--branch', ' '], '--branch: must not be empty\n'],
    [['--author', 'a'.repeat(1001)], '--author: must have at most '],
    [['--pull-request', '0'], '--pull-request: must be a positive number'],
    [['--pull-request', 'seven'], '--pull-request: must be a positive number'],
    [['--run-url', 'javascript:alert(1)'], '--run-url: must be an http or https URL without a user name or password'],
    [['--run-url', 'https://me:secret@example.com'], '--run-url: must be an http or https URL'],
    [['--repository', '../app'], '--repository: must be an http or https URL'],
    [['--label', ''], '--label: must not be empty\n'],
    [['--label', 'l'.repeat(51)], '--label: must have at most 50 characters\n'],
    [Array.from({ length: 21 }, (_, n) => ['--label', `l${n}`]).flat(), '--label: must be given at most 20 times\n'],
  ])('rejects %j before it sends anything', async (words, message) => {
    const { code, stderr } = await workshop.run([...upload, ...words]);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message) });
    expect(stderr).not.toContain('secret');
    expect(fake.routes()).toEqual([]);
  });
});

describe('git', () => {
  const identity = { GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' };
  const git = (cwd: string, ...words: string[]) =>
    execFileSync('git', ['-c', 'user.name=Zoë Harbor', '-c', 'user.email=zoe@example.com', ...words], {
      cwd,
      env: { ...process.env, ...identity },
      encoding: 'utf8',
    }).trim();

  it('fills in commit, branch, tag, repository and author, without credentials', async () => {
    const folder = join(workshop.folder, 'repository');
    mkdirSync(folder);
    git(folder, 'init', '--quiet', '--initial-branch', 'feature/local');
    expect(await send(identity, [], folder)).toEqual({ source: { branch: 'feature/local' } });
    git(folder, 'commit', '--quiet', '--allow-empty', '--message', 'First');
    git(folder, 'remote', 'add', 'origin', 'https://zoe:secret@git.example.com/harbor/app.git');
    const commit = git(folder, 'rev-parse', 'HEAD');
    const source = {
      commit,
      branch: 'feature/local',
      repository_url: 'https://git.example.com/harbor/app',
      author: 'Zoë Harbor',
    };
    expect(await send(identity, [], folder)).toEqual({ source });
    git(folder, 'tag', 'v2.3.1');
    git(folder, 'checkout', '--quiet', '--detach');
    const { branch: _, ...detached } = source;
    expect(await send(identity, [], folder)).toEqual({ source: { ...detached, tag: 'v2.3.1' } });

    // In a run, only the CI system knows the branch; git has the author.
    const run = {
      ...identity,
      CIRCLECI: 'true',
      CIRCLE_BRANCH: 'main',
      CIRCLE_SHA1: commit,
      CIRCLE_USERNAME: 'octocat',
    };
    expect(await send(run, [], folder)).toEqual({ source: { ...detached, branch: 'main' } });
    expect(await send(identity, ['--no-source'], folder)).toEqual({});
  });

  it.skipIf(process.platform === 'win32')('is asked once outside of a repository', async () => {
    const calls = join(workshop.folder, 'git-calls');
    const bin = join(workshop.folder, 'bin');
    mkdirSync(bin);
    writeFileSync(join(bin, 'git'), `#!/bin/sh\necho "$*" >>'${calls}'\nexit 128\n`, { mode: 0o755 });
    expect(await send({ PATH: bin })).toEqual({});
    expect(readFileSync(calls, 'utf8')).toBe('--no-pager rev-parse --git-dir\n');
  });

  it('reports nothing if it is missing', async () => {
    expect(await send({ PATH: '/missing' }, [], join(workshop.folder, 'repository'))).toEqual({});
  });
});

describe('addresses of repositories', () => {
  it.each([
    ['https://github.com/harbor/app.git', 'https://github.com/harbor/app'],
    ['https://token@github.com/harbor/app', 'https://github.com/harbor/app'],
    ['https://user:pass%40word@git.example.com:8443/a/b.git/?token=x#y', 'https://git.example.com:8443/a/b'],
    ['http://git.example.com/a', 'http://git.example.com/a'],
    ['git@github.com:harbor/app.git', 'https://github.com/harbor/app'],
    ['github.com:harbor/app.git', 'https://github.com/harbor/app'],
    ['git@gitlab.example.com:/group/sub/app.git', 'https://gitlab.example.com/group/sub/app'],
    ['ssh://git@git.example.com:2222/a/b.git', 'https://git.example.com/a/b'],
    ['git://git.example.com/a/b', 'https://git.example.com/a/b'],
    ['git@ssh.dev.azure.com:v3/harbor/The%20App/app', 'https://dev.azure.com/harbor/The%20App/_git/app'],
    ['/srv/git/app.git', undefined],
    ['../app', undefined],
    ['C:\\repositories\\app', undefined],
    ['C:/repositories/app', undefined],
    ['file:///srv/git/app.git', undefined],
    ['javascript:alert(1)', undefined],
    ['zoe:secret@git.example.com/app', undefined],
    ['', undefined],
  ])('become what people can open: %s', (remote, address) => {
    expect(webAddressOf(remote)).toBe(address);
  });

  it('lose user name and password', () => {
    expect(withoutCredentials('https://a:b@ci.example.com/run/7?x=1')).toBe('https://ci.example.com/run/7?x=1');
    expect(withoutCredentials('https://ci.example.com/job/PR-8/')).toBe('https://ci.example.com/job/PR-8/');
    expect(withoutCredentials('vstfs:///Build/7')).toBeUndefined();
  });
});

it('reads properties files with continued lines, escapes and comments', () => {
  const text = '# comment\n! another\na=1\nb : two\nc\\ d=e\\=f\\u00e9\\\n   g\\tend\nempty=\nurl=https\\://x/y\n\n';
  expect(Object.fromEntries(readProperties(text))).toEqual({
    a: '1',
    b: 'two',
    'c d': 'e=fég\tend',
    empty: '',
    url: 'https://x/y',
  });
});
