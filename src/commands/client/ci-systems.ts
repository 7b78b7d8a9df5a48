// What CI systems say about a build, in the variables that their documentation describes.
import { readFileSync, statSync } from 'node:fs';
import { readProperties } from './java-properties.ts';

/** Fields of the source of a build as a system states them, unchecked. */
export interface StatedSource {
  commit?: string | undefined;
  branch?: string | undefined;
  tag?: string | undefined;
  pull_request?: string | undefined;
  /** May be the address of a git remote. */
  repository_url?: string | undefined;
  run_url?: string | undefined;
  author?: string | undefined;
  /** The person who started the run, if the author of the commit is unknown. */
  starter?: string | undefined;
}

/** Returns the value of a variable, or undefined if it is missing or empty. */
type Read = (name: string) => string | undefined;

interface CiSystem {
  name: string;
  /** The variable that the system sets in each of its runs. */
  mark: string;
  read(value: Read): StatedSource;
}

/** Event files and properties are larger only by mistake. */
const MAX_FILE_BYTES = 8 * 1024 * 1024;

/** In this order: several systems set variables of Jenkins or GitLab, so those with a mark of their own come first. */
export const ciSystems: readonly CiSystem[] = [
  // https://docs.github.com/en/actions/reference/variables-reference. Gitea and Forgejo set the same.
  { name: 'GitHub Actions', mark: 'GITHUB_ACTIONS', read: readGitHub },
  {
    // https://developer.apple.com/documentation/xcode/environment-variable-reference
    name: 'Xcode Cloud',
    mark: 'CI_XCODE_CLOUD',
    read: (value) => ({
      commit: value('CI_PULL_REQUEST_SOURCE_COMMIT') ?? value('CI_COMMIT'),
      branch: value('CI_PULL_REQUEST_SOURCE_BRANCH') ?? value('CI_BRANCH'),
      tag: value('CI_TAG'),
      pull_request: value('CI_PULL_REQUEST_NUMBER'),
      repository_url: repositoryOfPullRequest(value('CI_PULL_REQUEST_HTML_URL')),
      run_url: value('CI_BUILD_URL'),
    }),
  },
  {
    // https://docs.gitlab.com/ci/variables/predefined_variables/
    name: 'GitLab CI/CD',
    mark: 'GITLAB_CI',
    read: (value) => ({
      // The commit of a pipeline for merged results exists only in the pipeline.
      commit: value('CI_MERGE_REQUEST_SOURCE_BRANCH_SHA') ?? value('CI_COMMIT_SHA'),
      branch: value('CI_MERGE_REQUEST_SOURCE_BRANCH_NAME') ?? value('CI_COMMIT_BRANCH'),
      tag: value('CI_COMMIT_TAG'),
      pull_request: value('CI_MERGE_REQUEST_IID') ?? value('CI_EXTERNAL_PULL_REQUEST_IID'),
      repository_url: value('CI_PROJECT_URL'),
      run_url: value('CI_PIPELINE_URL'),
      author: nameOf(value('CI_COMMIT_AUTHOR')),
    }),
  },
  {
    // https://docs.bitrise.io/en/bitrise-ci/references/available-environment-variables.html
    name: 'Bitrise',
    mark: 'BITRISE_IO',
    read: (value) => ({
      commit: value('BITRISE_GIT_COMMIT') ?? value('GIT_CLONE_COMMIT_HASH'),
      branch: value('BITRISE_GIT_BRANCH'),
      tag: value('BITRISE_GIT_TAG'),
      pull_request: value('BITRISE_PULL_REQUEST'),
      repository_url: value('GIT_REPOSITORY_URL'),
      run_url: value('BITRISE_BUILD_URL'),
      author: value('GIT_CLONE_COMMIT_AUTHOR_NAME'),
    }),
  },
  {
    // https://circleci.com/docs/reference/variables/
    name: 'CircleCI',
    mark: 'CIRCLECI',
    read: (value) => ({
      commit: value('CIRCLE_SHA1'),
      branch: value('CIRCLE_BRANCH'),
      tag: value('CIRCLE_TAG'),
      pull_request: value('CIRCLE_PR_NUMBER') ?? lastNumber(value('CIRCLE_PULL_REQUEST')),
      repository_url: value('CIRCLE_REPOSITORY_URL'),
      run_url: value('CIRCLE_BUILD_URL'),
      starter: value('CIRCLE_USERNAME'),
    }),
  },
  {
    // https://learn.microsoft.com/en-us/azure/devops/pipelines/build/variables
    name: 'Azure Pipelines',
    mark: 'TF_BUILD',
    read: readAzure,
  },
  {
    // https://buildkite.com/docs/pipelines/configure/environment-variables
    name: 'Buildkite',
    mark: 'BUILDKITE',
    read: (value) => ({
      commit: value('BUILDKITE_COMMIT'),
      branch: value('BUILDKITE_BRANCH'),
      tag: value('BUILDKITE_TAG'),
      // "false" if it isn't one.
      pull_request: value('BUILDKITE_PULL_REQUEST'),
      repository_url: value('BUILDKITE_REPO'),
      run_url: value('BUILDKITE_BUILD_URL'),
      author: value('BUILDKITE_BUILD_AUTHOR'),
      starter: value('BUILDKITE_BUILD_CREATOR'),
    }),
  },
  // https://www.jetbrains.com/help/teamcity/predefined-build-parameters.html
  { name: 'TeamCity', mark: 'TEAMCITY_VERSION', read: readTeamCity },
  {
    // https://www.jenkins.io/doc/book/pipeline/jenkinsfile/#using-environment-variables and its plugins for git and branches
    name: 'Jenkins',
    mark: 'JENKINS_URL',
    read: readJenkins,
  },
];

/** Returns what the CI system of an environment says about the build; undefined outside of the known systems. */
export function readCiSource(env: Readonly<Record<string, string | undefined>>): StatedSource | undefined {
  const value: Read = (name) => {
    const text = env[name]?.trim();
    return text === undefined || text === '' ? undefined : text;
  };
  return ciSystems.find(({ mark }) => isSet(value(mark)))?.read(value);
}

/** Returns the commit or remote branch that a pull request is merged into, as git names it; undefined outside of pull requests. */
export function readBaseOfPullRequest(env: Readonly<Record<string, string | undefined>>): string | undefined {
  const commit = env.CI_MERGE_REQUEST_DIFF_BASE_SHA?.trim() ?? '';
  if (/^[0-9a-f]{7,64}$/i.test(commit)) return commit;
  const branch = env.GITHUB_BASE_REF?.trim() ?? '';
  return branch === '' ? undefined : `refs/remotes/origin/${branch}`;
}

/** Bitrise, GitHub and others document "false" for other machines. */
const isSet = (mark: string | undefined): boolean => mark !== undefined && mark.toLowerCase() !== 'false';

function readGitHub(value: Read): StatedSource {
  const server = value('GITHUB_SERVER_URL') ?? 'https://github.com';
  const repository = value('GITHUB_REPOSITORY');
  const address = repository === undefined ? undefined : `${server}/${repository}`;
  const run = value('GITHUB_RUN_ID');
  const type = value('GITHUB_REF_TYPE');
  const name = value('GITHUB_REF_NAME');
  const pull = readPullRequest(value('GITHUB_EVENT_PATH'));
  const isPull = pull !== undefined || value('GITHUB_HEAD_REF') !== undefined;
  return {
    // GITHUB_SHA of a pull request is a merge that exists only in the run.
    commit: pull?.commit ?? value('GITHUB_SHA'),
    branch: value('GITHUB_HEAD_REF') ?? (type === 'branch' && !isPull ? name : undefined),
    tag: type === 'tag' ? name : undefined,
    pull_request: pull?.number ?? /^refs\/pull\/(\d+)\//.exec(value('GITHUB_REF') ?? '')?.[1],
    repository_url: address,
    run_url: address === undefined || run === undefined ? undefined : `${address}/actions/runs/${run}`,
    starter: value('GITHUB_ACTOR'),
  };
}

/** Reads number and commit of a pull request from the event file; undefined for other events. */
function readPullRequest(path: string | undefined): { number: string; commit: string | undefined } | undefined {
  try {
    const event = JSON.parse(readBounded(path) ?? 'null') as {
      pull_request?: { number?: unknown; head?: { sha?: unknown } };
    } | null;
    const pull = event?.pull_request;
    if (typeof pull?.number !== 'number') return undefined;
    return { number: String(pull.number), commit: typeof pull.head?.sha === 'string' ? pull.head.sha : undefined };
  } catch {
    return undefined;
  }
}

function readAzure(value: Read): StatedSource {
  const ref = value('SYSTEM_PULLREQUEST_SOURCEBRANCH') ?? value('BUILD_SOURCEBRANCH');
  const [, kind, name] = /^refs\/(heads|tags|pull)\/(.+)$/.exec(ref ?? '') ?? [];
  const collection = value('SYSTEM_COLLECTIONURI') ?? value('SYSTEM_TEAMFOUNDATIONCOLLECTIONURI');
  const project = value('SYSTEM_TEAMPROJECT');
  const build = value('BUILD_BUILDID');
  const isRun = collection !== undefined && project !== undefined && build !== undefined;
  return {
    commit: value('SYSTEM_PULLREQUEST_SOURCECOMMITID') ?? value('BUILD_SOURCEVERSION'),
    // The branch of a pull request also comes without refs/heads.
    branch: kind === 'heads' ? name : kind === undefined ? ref : undefined,
    tag: kind === 'tags' ? name : undefined,
    // The id of a pull request on GitHub isn't its number.
    pull_request: value('SYSTEM_PULLREQUEST_PULLREQUESTNUMBER') ?? value('SYSTEM_PULLREQUEST_PULLREQUESTID'),
    repository_url: value('BUILD_REPOSITORY_URI'),
    run_url: isRun
      ? `${collection.replace(/\/$/, '')}/${encodeURIComponent(project)}/_build/results?buildId=${build}`
      : undefined,
    author: value('BUILD_SOURCEVERSIONAUTHOR'),
    starter: value('BUILD_REQUESTEDFOR'),
  };
}

/** TeamCity has the branch and the repository only in files. */
function readTeamCity(value: Read): StatedSource {
  const build = readProperties(readBounded(value('TEAMCITY_BUILD_PROPERTIES_FILE')) ?? '');
  const all = readProperties(readBounded(build.get('teamcity.configuration.properties.file')) ?? '');
  const property = (name: string) => {
    const text = (all.get(name) ?? build.get(name))?.trim();
    return text === undefined || text === '' || text === '<default>' ? undefined : text;
  };
  const ref =
    property('teamcity.pullRequest.source.branch') ?? property('teamcity.build.branch') ?? property('vcsroot.branch');
  const [, kind, name] = /^refs\/(heads|tags|pull|merge-requests)\/(.+)$/.exec(ref ?? '') ?? [];
  return {
    commit: value('BUILD_VCS_NUMBER') ?? property('build.vcs.number'),
    branch: kind === 'heads' ? name : kind === undefined ? ref : undefined,
    tag: kind === 'tags' ? name : undefined,
    pull_request: property('teamcity.pullRequest.number'),
    repository_url: property('vcsroot.url'),
    run_url: value('BUILD_URL'),
  };
}

function readJenkins(value: Read): StatedSource {
  const pullRequest = value('CHANGE_ID') ?? value('ghprbPullId');
  const tag = value('TAG_NAME');
  const branch = value('CHANGE_BRANCH') ?? value('ghprbSourceBranch');
  const built =
    value('BRANCH_NAME') ?? value('GIT_LOCAL_BRANCH') ?? value('GIT_BRANCH')?.replace(/^(?:refs\/heads|origin)\//, '');
  return {
    commit: value('ghprbActualCommit') ?? value('GIT_COMMIT'),
    // BRANCH_NAME is PR-7 for a pull request, and the tag for a tag.
    branch: branch ?? (pullRequest === undefined && tag === undefined ? built : undefined),
    tag,
    pull_request: pullRequest,
    repository_url: value('GIT_URL') ?? value('GIT_URL_1'),
    run_url: value('BUILD_URL'),
    author: value('CHANGE_AUTHOR_DISPLAY_NAME') ?? value('GIT_AUTHOR_NAME'),
  };
}

/** Returns the name of "Name <email>". */
function nameOf(author: string | undefined): string | undefined {
  return author?.replace(/\s*<[^<>]*>\s*$/, '');
}

function lastNumber(address: string | undefined): string | undefined {
  return /\/(\d+)\/?$/.exec(address ?? '')?.[1];
}

/** Returns the address before the part about the pull request. */
function repositoryOfPullRequest(address: string | undefined): string | undefined {
  return /^(.+?)\/(?:-\/merge_requests|pull|pulls|pull-requests)\/\d+\/?$/.exec(address ?? '')?.[1];
}

function readBounded(path: string | undefined): string | undefined {
  if (path === undefined) return undefined;
  try {
    const stat = statSync(path);
    return stat.isFile() && stat.size <= MAX_FILE_BYTES ? readFileSync(path, 'utf8') : undefined;
  } catch {
    return undefined;
  }
}
