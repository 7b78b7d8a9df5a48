// Reads what git knows about a folder. Without git or a repository, everything is undefined.
import { execFile } from 'node:child_process';

/** Git answers these within milliseconds; a network file system may hang. */
const TIMEOUT_MS = 5_000;
const MAX_BYTES = 2 * 1024 * 1024;

export interface GitFacts {
  commit: string | undefined;
  branch: string | undefined;
  tag: string | undefined;
  /** The address of the remote, as it is configured. */
  remote: string | undefined;
}

interface Place {
  cwd: string;
  env: Readonly<Record<string, string | undefined>>;
}

/** Returns the commit that is checked out, its branch and tag, and the remote. */
export async function readGit(place: Place): Promise<GitFacts> {
  // Outside of a repository, one process finds that instead of four.
  const isRepository = (await git(place, ['rev-parse', '--git-dir'])) !== undefined;
  if (!isRepository) return { commit: undefined, branch: undefined, tag: undefined, remote: undefined };
  const [commit, branch, tag, remote] = await Promise.all([
    git(place, ['rev-parse', '--verify', '--quiet', 'HEAD']),
    git(place, ['symbolic-ref', '--short', '--quiet', 'HEAD']),
    git(place, ['describe', '--tags', '--exact-match', 'HEAD']),
    git(place, ['config', '--get', 'remote.origin.url']),
  ]);
  return { commit, branch, tag, remote };
}

/** Returns the name of the author of a commit, which is a hash or HEAD. */
export function readAuthor(place: Place, commit: string): Promise<string | undefined> {
  return git(place, ['-c', 'log.showSignature=false', 'log', '-1', '--format=%aN', commit, '--']);
}

/** Returns the full hash of a commit (hexadecimal digits), or undefined if the clone doesn't contain it. */
export function findCommit(place: Place, commit: string): Promise<string | undefined> {
  return git(place, ['rev-parse', '--verify', '--quiet', `${commit}^{commit}`]);
}

/** Returns whether the clone lacks a part of its history. */
export async function isShallow(place: Place): Promise<boolean> {
  return (await git(place, ['rev-parse', '--is-shallow-repository'])) === 'true';
}

/** Returns the subjects of a range's commits without merges, the newest first, at most `limit`; undefined if git fails. */
export async function readSubjects(place: Place, range: string, limit: number): Promise<string[] | undefined> {
  const args = [
    '-c',
    'log.showSignature=false',
    'log',
    '--no-merges',
    '--format=%s%x00',
    `--max-count=${limit}`,
    range,
    '--',
  ];
  const output = await gitOutput(place, args);
  return output
    ?.split('\0')
    .map((subject) => subject.trim())
    .filter((subject) => subject !== '');
}

/** Returns the number of a range's commits without merges, or undefined if git fails. */
export async function countCommits(place: Place, range: string): Promise<number | undefined> {
  const count = Number(await git(place, ['rev-list', '--count', '--no-merges', range, '--']));
  return Number.isSafeInteger(count) ? count : undefined;
}

/** Returns the first line that a command prints, or undefined if it fails. */
async function git(place: Place, args: readonly string[]): Promise<string | undefined> {
  const line = (await gitOutput(place, args))?.split('\n', 1)[0]?.trim();
  return line === '' ? undefined : line;
}

/** Returns what a command prints, or undefined if it fails. Nothing that the repository configures runs. */
function gitOutput({ cwd, env }: Place, args: readonly string[]): Promise<string | undefined> {
  const quiet = { ...env, GIT_TERMINAL_PROMPT: '0', GIT_OPTIONAL_LOCKS: '0', GIT_PAGER: 'cat' };
  const options = { cwd, env: quiet, timeout: TIMEOUT_MS, maxBuffer: MAX_BYTES, windowsHide: true };
  return new Promise((resolve) => {
    try {
      execFile('git', ['--no-pager', ...args], options, (error, stdout) => {
        resolve(error === null ? stdout : undefined);
      });
    } catch {
      resolve(undefined);
    }
  });
}
