// One comment on a pull request, found again by a mark in its text: updated if it's there, otherwise created. The token of the job is only
// sent to the forge.

import { describeFailure, Refusal, UsageError } from '../../lib/failure.ts';
import * as z from '../../lib/zod.ts';
import { type CommandHost, plainText } from '../host.ts';

const TIMEOUT_MS = 20_000;
const PAGE_SIZE = 100;
/** More comments aren't searched; a new one is created then. */
const MAX_PAGES = 20;

const Comment = z.object({
  id: z.number(),
  body: z.string().nullish(),
  user: z.object({ type: z.string().nullish() }).nullish(),
  author_association: z.string().nullish(),
  author: z.object({ id: z.number() }).nullish(),
});
/** What GitLab responds about the person of a token, and about the job of its token. */
const GitLabUser = z.object({ id: z.number() });
const GitLabJob = z.object({ user: GitLabUser });
const Comments = z.array(Comment);
type Comment = z.output<typeof Comment>;

/** What GitHub calls people who can write to a repository. */
const INSIDERS = ['OWNER', 'MEMBER', 'COLLABORATOR'];

export interface Forge {
  readonly name: 'GitHub' | 'GitLab';
  /** Address of the comments of a pull request, and of one of them. */
  list(pullRequest: number): string;
  one(pullRequest: number, id: number): string;
  readonly updateMethod: 'PATCH' | 'PUT';
  readonly headers: Readonly<Record<string, string>>;
  /** Where GitLab says who comments with the token, because its comments don't say who can write to the project. */
  readonly user?: { url: string; idOf(answer: unknown): number | undefined };
}

/** Returns the forge whose CI runs the command, with the token of the job; undefined if there is none. */
export function findForge({ env }: Pick<CommandHost, 'env'>): Forge | undefined {
  const value = (name: string) => (env[name]?.trim() === '' ? undefined : env[name]?.trim());
  const repository = value('GITHUB_REPOSITORY');
  const gitHubToken = value('GITHUB_TOKEN');
  if (repository !== undefined && gitHubToken !== undefined) {
    const base = `${apiAddress(value('GITHUB_API_URL') ?? 'https://api.github.com')}/repos/${repository.split('/').map(encodeURIComponent).join('/')}`;
    return {
      name: 'GitHub',
      list: (pullRequest) => `${base}/issues/${pullRequest}/comments`,
      one: (_pullRequest, id) => `${base}/issues/comments/${id}`,
      updateMethod: 'PATCH',
      headers: {
        accept: 'application/vnd.github+json',
        'x-github-api-version': '2022-11-28',
        authorization: `Bearer ${gitHubToken}`,
      },
    };
  }
  const project = value('CI_PROJECT_ID');
  const api = value('CI_API_V4_URL');
  const own = value('GITLAB_TOKEN');
  const token = own ?? value('CI_JOB_TOKEN');
  if (project === undefined || api === undefined || token === undefined) return undefined;
  const base = apiAddress(api);
  const notes = (pullRequest: number) =>
    `${base}/projects/${encodeURIComponent(project)}/merge_requests/${pullRequest}/notes`;
  return {
    name: 'GitLab',
    list: notes,
    one: (pullRequest, id) => `${notes(pullRequest)}/${id}`,
    updateMethod: 'PUT',
    headers: own === undefined ? { 'job-token': token } : { 'private-token': token },
    user:
      own === undefined
        ? { url: `${base}/job`, idOf: (answer) => GitLabJob.safeParse(answer).data?.user.id }
        : { url: `${base}/user`, idOf: (answer) => GitLabUser.safeParse(answer).data?.id },
  };
}

function apiAddress(text: string): string {
  const url = URL.parse(text);
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    throw new UsageError(`GITHUB_API_URL or CI_API_V4_URL must be an http or https URL: ${plainText(text)}`);
  }
  return text.replace(/\/+$/, '');
}

/** Updates the comment with the mark, or creates it. Throws Refusal with the reason if the forge doesn't accept it. */
export async function writeComment(forge: Forge, pullRequest: number, mark: string, text: string): Promise<void> {
  const body = JSON.stringify({ body: `${mark}\n${text}` });
  const existing = await findComment(forge, pullRequest, mark);
  if (existing === undefined) await send(forge, 'POST', forge.list(pullRequest), body);
  else await send(forge, forge.updateMethod, forge.one(pullRequest, existing), body);
}

async function findComment(forge: Forge, pullRequest: number, mark: string): Promise<number | undefined> {
  let own: number | undefined;
  for (let page = 1; page <= MAX_PAGES; page += 1) {
    const comments = Comments.safeParse(
      await read(forge, `${forge.list(pullRequest)}?per_page=${PAGE_SIZE}&page=${page}`),
    );
    if (!comments.success) throw unexpectedResponse(forge);
    // At the beginning, so that a comment that quotes it isn't replaced.
    const marked = comments.data.filter(({ body }) => body?.startsWith(mark) === true);
    if (marked.length > 0) own ??= await findOwnId(forge);
    const found = marked.find((comment) => isTrusted(comment, own));
    if (found !== undefined) return found.id;
    if (comments.data.length < PAGE_SIZE) return undefined;
  }
  return undefined;
}

/** Returns the id of the user who comments with the token; undefined on GitHub, whose jobs' tokens belong to no user. */
async function findOwnId(forge: Forge): Promise<number | undefined> {
  if (forge.user === undefined) return undefined;
  const id = forge.user.idOf(await read(forge, forge.user.url));
  if (id === undefined) throw unexpectedResponse(forge);
  return id;
}

/**
 * Whether the author of a comment is the job or, on GitHub, a person with write access. Anyone else could change it later: the link that people
 * trust would be theirs.
 */
function isTrusted({ user, author_association: association, author }: Comment, own: number | undefined): boolean {
  if (own !== undefined) return author?.id === own;
  return user?.type !== 'User' || association == null || INSIDERS.includes(association);
}

async function read(forge: Forge, url: string): Promise<unknown> {
  const answer = await send(forge, 'GET', url);
  return answer.json().catch(() => undefined);
}

const unexpectedResponse = (forge: Forge) => new Refusal(`${forge.name} returned an unexpected response`);

async function send(forge: Forge, method: string, url: string, body?: string): Promise<Response> {
  let answer: Response;
  try {
    answer = await fetch(url, {
      method,
      headers: {
        'user-agent': 'taxiway',
        ...forge.headers,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body }),
      // A redirect could send the token elsewhere.
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    throw new Refusal(`cannot reach ${forge.name}: ${describeFailure(cause)}`);
  }
  if (answer.ok) return answer;
  const hint =
    forge.name === 'GitLab' && 'job-token' in forge.headers ? '; set GITLAB_TOKEN to a token with the scope api' : '';
  throw new Refusal(`${forge.name} returned ${answer.status}${hint}`);
}
