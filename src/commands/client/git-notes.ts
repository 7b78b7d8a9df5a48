// Release notes from git: the subjects of the commits since the build that is live on a channel.
import { Refusal } from '../../lib/failure.ts';
import { MAX_RELEASE_NOTES } from '../../lib/markdown/notes-limit.ts';
import * as z from '../../lib/zod.ts';
import { type CommandHost, plainText } from '../host.ts';
import type { Api } from './api.ts';
import { readBaseOfPullRequest } from './ci-systems.ts';
import { countCommits, findCommit, isShallow, readGit, readSubjects } from './git.ts';
import { type Build, type Channel, Release } from './shapes.ts';
import { nameBuild } from './status.ts';

const MAX_SUBJECT = 200;
/** Subjects that are read; the others are counted. */
const MAX_READ = 500;
/** Subjects if nobody knows where to begin. */
const FALLBACK = 20;
/** Room for the line that counts the others. */
const MAX_MORE = 40;

const Source = z.object({ commit: z.string().nullish() }).nullish();

/**
 * Returns notes with the subjects of the commits since the build that is live on the channel, without merges; undefined if there are
 * none. For the first build of a channel in a pull request, those of the pull request. If that commit isn't known or isn't in the clone, says so and returns the last 20 subjects. Throws Refusal outside
 * of a repository.
 */
export async function readGitNotes(
  host: CommandHost,
  api: Api,
  channel: Channel,
  platform: string,
): Promise<string | undefined> {
  if ((await readGit(host)).commit === undefined) {
    throw new Refusal(`--notes-from-git: ${plainText(host.cwd)} isn't in a Git repository with a commit`);
  }
  const live = await findLiveBuild(api, channel, platform);
  const start = await findStart(host, channel, live);
  const range = start === undefined ? 'HEAD' : `${start}..HEAD`;
  const limit = start === undefined ? FALLBACK : MAX_READ;
  const subjects = await readSubjects(host, range, limit);
  if (subjects === undefined) throw new Refusal('--notes-from-git: git failed to list the commits');
  if (subjects.length === 0) {
    host.say('No commits since the build that is live on the channel, so there are no notes from git.\n');
    return undefined;
  }
  const total = start === undefined ? subjects.length : ((await countCommits(host, range)) ?? subjects.length);
  return writeNotes(subjects, total);
}

/** Returns a list in Markdown that fits into notes, with the number of the subjects that don't. */
export function writeNotes(subjects: readonly string[], total: number): string {
  let notes = '';
  let listed = 0;
  for (const subject of subjects) {
    const line = `- ${cleanSubject(subject)}\n`;
    if (notes.length + line.length > MAX_RELEASE_NOTES - MAX_MORE) break;
    notes += line;
    listed += 1;
  }
  const more = total - listed;
  return more > 0 ? `${notes}- … and ${more} more` : notes.trimEnd();
}

/** Returns a subject in one line without control characters, whose begin doesn't look like a heading or list. */
function cleanSubject(subject: string): string {
  const line = subject
    .toWellFormed()
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .replace(/\p{Cf}/gu, '')
    .trim();
  const cut = line.length > MAX_SUBJECT ? `${line.slice(0, MAX_SUBJECT - 1).replace(/[\ud800-\udbff]$/, '')}…` : line;
  return cut.replace(/^(?=[#>+*-])/, '\\').replace(/^(\d{1,9})(?=[.)])/, '$1\\');
}

async function findLiveBuild(api: Api, channel: Channel, platform: string): Promise<Build | undefined> {
  const query = {
    organization_id: channel.organization_id,
    project_id: channel.project_id,
    channel_id: channel.identifier,
  };
  const current = await api.send({ method: 'GET', path: '/releases/current', query }, z.array(Release));
  return current.find(({ build }) => build.platform === platform)?.build;
}

/** Returns the commit of the live build if it's in the clone; otherwise says why not. */
async function findStart(host: CommandHost, channel: Channel, live: Build | undefined): Promise<string | undefined> {
  const name = plainText(channel.name);
  const without = `the notes have the last ${FALLBACK} subjects`;
  if (live === undefined) {
    const base = await findBase(host);
    if (base !== undefined) return base;
    host.say(`No build is live on ${name} yet; ${without}.\n`);
    return undefined;
  }
  const commit = Source.safeParse(live.source).data?.commit;
  if (typeof commit !== 'string' || !/^[0-9a-f]{7,64}$/i.test(commit)) {
    host.say(`${nameBuild(live)}, which is live on ${name}, has no commit; ${without}.\n`);
    return undefined;
  }
  const found = await findCommit(host, commit);
  if (found !== undefined) return found;
  const why = (await isShallow(host))
    ? 'this clone is shallow. Fetch its history with "git fetch --unshallow", or with fetch-depth: 0 in GitHub Actions'
    : "it isn't in this clone";
  host.say(`${nameBuild(live)} of commit ${commit.slice(0, 12)} is live on ${name}, but ${why}; ${without}.\n`);
  return undefined;
}

/** Returns the commit that a pull request of the CI system begins after, if the clone has it. */
async function findBase(host: CommandHost): Promise<string | undefined> {
  const base = readBaseOfPullRequest(host.env);
  return base === undefined ? undefined : findCommit(host, base);
}
