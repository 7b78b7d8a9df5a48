// What git says about a folder. Without git or a repository it says nothing.
import { execFile } from 'node:child_process';

/** Git answers these within milliseconds; a network file system may hang. */
const TIMEOUT_MS = 5_000;
const MAX_BYTES = 64 * 1024;

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

/** Returns the first line that a command prints, or undefined if it fails. Nothing that the repository configures runs. */
function git({ cwd, env }: Place, args: readonly string[]): Promise<string | undefined> {
  const quiet = { ...env, GIT_TERMINAL_PROMPT: '0', GIT_OPTIONAL_LOCKS: '0', GIT_PAGER: 'cat' };
  const options = { cwd, env: quiet, timeout: TIMEOUT_MS, maxBuffer: MAX_BYTES, windowsHide: true };
  return new Promise((resolve) => {
    try {
      execFile('git', ['--no-pager', ...args], options, (error, stdout) => {
        const line = stdout.split('\n', 1)[0]?.trim();
        resolve(error === null && line !== '' ? line : undefined);
      });
    } catch {
      resolve(undefined);
    }
  });
}
