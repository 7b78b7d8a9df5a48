// What a CI runner does after a push to a pull request, started by the post-receive hook of a forge (forge.ts): it checks out the merge that
// the forge would test, and runs the steps of the workflow in the repository with the variables of GitHub Actions.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { ForgeFacts } from './forge.ts';

interface Step {
  uses?: string;
  run?: string;
  env?: Record<string, string>;
}

interface Workflow {
  on: unknown;
  jobs: Record<string, { env?: Record<string, string>; steps: Step[] }>;
}

const [factsFile = ''] = process.argv.slice(2);
const facts = JSON.parse(readFileSync(factsFile, 'utf8')) as ForgeFacts;

for (const line of readFileSync(0, 'utf8').trim().split('\n')) {
  const [, commit = '', ref = ''] = line.split(' ');
  if (ref === `refs/heads/${facts.pull.branch}`) runPullRequest(commit);
}

function runPullRequest(head: string): void {
  const run = mkdtempSync(join(facts.folder, 'run-'));
  const workspace = join(run, 'workspace');
  const merge = checkOut(workspace, head);
  const workflow = parse(readFileSync(join(workspace, '.github/workflows/preview.yml'), 'utf8')) as Workflow;
  if (workflow.on !== 'pull_request') throw new Error('the workflow is not for pull requests');
  const env = runnerVariables(run, workspace, head, merge);
  for (const job of Object.values(workflow.jobs)) {
    for (const step of job.steps) {
      // The checkout has happened.
      if (step.run === undefined) continue;
      process.stdout.write(`Run ${step.run}\n`);
      execFileSync('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', step.run], {
        cwd: workspace,
        env: { ...env, ...evaluateAll(job.env), ...evaluateAll(step.env) },
        stdio: ['ignore', 'inherit', 'inherit'],
      });
    }
  }
}

/** As `actions/checkout` with `fetch-depth: 0` leaves the workspace: at a merge into the base, which no branch has. */
function checkOut(workspace: string, head: string): string {
  const git = (...words: string[]) => execFileSync('git', words, { cwd: workspace, encoding: 'utf8' }).trim();
  mkdirSync(workspace);
  git('init', '--quiet');
  git('remote', 'add', 'origin', facts.repository);
  git('fetch', '--quiet', 'origin', '+refs/heads/*:refs/remotes/origin/*');
  git('checkout', '--quiet', '--detach', `refs/remotes/origin/${facts.pull.base}`);
  git(
    '-c',
    'user.name=Forge',
    '-c',
    'user.email=forge@example.com',
    'merge',
    '--quiet',
    '--no-ff',
    '-m',
    'Merge',
    head,
  );
  return git('rev-parse', 'HEAD');
}

function evaluateAll(env: Record<string, string> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(env).map(([name, value]) => [name, evaluate(value)]));
}

function evaluate(value: string): string {
  return value.replace(/\$\{\{ (secrets|github)\.(\w+) \}\}/g, (_, kind: string, name: string) => {
    const found = kind === 'secrets' ? facts.secrets[name] : name === 'token' ? facts.token : undefined;
    if (found === undefined) throw new Error(`the forge has no ${kind}.${name}`);
    return found;
  });
}

/** https://docs.github.com/en/actions/reference/variables-reference, of a pull request. */
function runnerVariables(run: string, workspace: string, head: string, merge: string): NodeJS.ProcessEnv {
  const { number, branch, base } = facts.pull;
  const file = (name: string, content: string) => {
    writeFileSync(join(run, name), content);
    return join(run, name);
  };
  const event = {
    action: 'synchronize',
    number,
    pull_request: { number, head: { ref: branch, sha: head }, base: { ref: base } },
  };
  return {
    PATH: process.env.PATH,
    HOME: run,
    CI: 'true',
    GITHUB_ACTIONS: 'true',
    GITHUB_ACTOR: 'ada',
    GITHUB_API_URL: facts.api,
    GITHUB_BASE_REF: base,
    GITHUB_EVENT_NAME: 'pull_request',
    GITHUB_EVENT_PATH: file('event.json', JSON.stringify(event)),
    GITHUB_HEAD_REF: branch,
    GITHUB_OUTPUT: file('output', ''),
    GITHUB_REF: `refs/pull/${number}/merge`,
    GITHUB_REF_NAME: `${number}/merge`,
    GITHUB_REF_TYPE: 'branch',
    GITHUB_REPOSITORY: facts.name,
    GITHUB_RUN_ID: '1658821493',
    GITHUB_RUN_NUMBER: '3',
    GITHUB_SERVER_URL: 'https://git.example.com',
    GITHUB_SHA: merge,
    GITHUB_STEP_SUMMARY: file('summary', ''),
    GITHUB_WORKSPACE: workspace,
    RUNNER_OS: 'Linux',
    RUNNER_TEMP: run,
    ...facts.runner,
  };
}
