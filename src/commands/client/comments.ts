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
  /** GitHub and Gitea. */
  user: z.object({ id: z.number().nullish(), type: z.string().nullish() }).nullish(),
  author_association: z.string().nullish(),
  /** GitLab. */
  author: z.object({ id: z.number() }).nullish(),
});
const Comments = z.array(Comment);
type Comment = z.output<typeof Comment>;
/** Whom a token belongs to: the response itself, or in that about a job of GitLab its user. */
const TokenOwner = z.object({ id: z.number(), user: z.object({ id: z.number() }).optional() });

/** What GitHub calls people who can write to a repository. */
const INSIDERS = ['OWNER', 'MEMBER', 'COLLABORATOR'];

export interface Forge {
  readonly name: 'GitHub' | 'GitLab';
  /** Address of the comments of a pull request, and of one of them. */
  list(pullRequest: number): string;
  one(pullRequest: number, id: number): string;
  /** Address that says whom the token belongs to. */
  readonly tokenOwner: string;
  readonly updateMethod: 'PATCH' | 'PUT';
  readonly headers: Readonly<Record<string, string>>;
}

/** Returns the forge whose CI runs the command, with the token of the job; undefined if there is none. */
export function findForge({ env }: Pick<CommandHost, 'env'>): Forge | undefined {
  const value = (name: string) => (env[name]?.trim() === '' ? undefined : env[name]?.trim());
  const repository = value('GITHUB_REPOSITORY');
  const gitHubToken = value('GITHUB_TOKEN');
  if (repository !== undefined && gitHubToken !== undefined) {
    const api = apiAddress(value('GITHUB_API_URL') ?? 'https://api.github.com');
    const base = `${api}/repos/${repository.split('/').map(encodeURIComponent).join('/')}`;
    return {
      name: 'GitHub',
      list: (pullRequest) => `${base}/issues/${pullRequest}/comments`,
      one: (_pullRequest, id) => `${base}/issues/comments/${id}`,
      tokenOwner: `${api}/user`,
      updateMethod: 'PATCH',
      headers: {
        accept: 'application/vnd.github+json',
        'x-github-api-version': '2022-11-28',
        authorization: `Bearer ${gitHubToken}`,
      },
    };
  }
  const project = value('CI_PROJECT_ID');
  const address = value('CI_API_V4_URL');
  const own = value('GITLAB_TOKEN');
  const token = own ?? value('CI_JOB_TOKEN');
  if (project === undefined || address === undefined || token === undefined) return undefined;
  const api = apiAddress(address);
  const notes = (pullRequest: number) =>
    `${api}/projects/${encodeURIComponent(project)}/merge_requests/${pullRequest}/notes`;
  return {
    name: 'GitLab',
    list: notes,
    one: (pullRequest, id) => `${notes(pullRequest)}/${id}`,
    tokenOwner: `${api}/${own === undefined ? 'job' : 'user'}`,
    updateMethod: 'PUT',
    headers: own === undefined ? { 'job-token': token } : { 'private-token': token },
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
  let owner: Promise<number | undefined> | undefined;
  const isOwn = async (comment: Comment) => {
    const association = comment.author_association ?? undefined;
    if (association !== undefined) return comment.user?.type !== 'User' || INSIDERS.includes(association);
    const author = comment.author?.id ?? comment.user?.id ?? undefined;
    owner ??= findTokenOwner(forge);
    return author !== undefined && author === (await owner);
  };
  for (let page = 1; page <= MAX_PAGES; page += 1) {
    const answer = await send(forge, 'GET', `${forge.list(pullRequest)}?per_page=${PAGE_SIZE}&page=${page}`);
    const comments = Comments.safeParse(await answer.json().catch(() => undefined));
    if (!comments.success) throw new Refusal(`${forge.name} returned an unexpected response`);
    for (const comment of comments.data) {
      // At the beginning, so that a comment that quotes it isn't replaced. A stranger's comment isn't updated: its author could replace
      // the link later. GitHub's tokens of jobs have no user, but GitHub returns who can write to the repository.
      if (comment.body?.startsWith(mark) === true && (await isOwn(comment))) return comment.id;
    }
    if (comments.data.length < PAGE_SIZE) return undefined;
  }
  return undefined;
}

/** Returns the id of the user whom the token belongs to; undefined if the forge doesn't say so. */
async function findTokenOwner(forge: Forge): Promise<number | undefined> {
  try {
    const answer = await send(forge, 'GET', forge.tokenOwner);
    const found = TokenOwner.safeParse(await answer.json().catch(() => undefined)).data;
    return forge.tokenOwner.endsWith('/job') ? found?.user?.id : found?.id;
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}

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
    // Without a cause, a header is invalid, and the message contains it.
    if (error instanceof TypeError && error.cause === undefined)
      throw new Refusal(`the token for ${forge.name} contains characters that no token has`);
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    throw new Refusal(`cannot reach ${forge.name}: ${describeFailure(cause)}`);
  }
  if (answer.ok) return answer;
  const hint =
    forge.name === 'GitLab' && 'job-token' in forge.headers ? '; set GITLAB_TOKEN to a token with the scope api' : '';
  throw new Refusal(`${forge.name} returned ${answer.status}${hint}`);
}
