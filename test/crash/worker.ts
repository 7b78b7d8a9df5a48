// One user of one project, who tracks the expected state by the responses.
import type { Answer, Ask, Client } from './client.ts';
import * as model from './model.ts';
import type { Payload } from './payloads.ts';
import type { Random } from './random.ts';

export interface Account {
  email: string;
  password: string;
}

export interface Place {
  organizationId: string;
  projectId: string;
  autoChannelId: string;
  manualChannelId: string;
}

export interface Session {
  accessToken: string;
  refreshToken: string;
}

/** An upload that is not a build yet. */
export interface OpenUpload {
  number: number;
  payload: Payload;
  /** Absent while the answer to initiate is. */
  pending?: { id: string; url: string; headers: Record<string, string> };
  /** What is known of the bytes: none came, a PUT got no answer, they are stored. */
  bytes: 'absent' | 'unknown' | 'stored';
}

export interface Worker {
  readonly random: Random;
  readonly account: Account;
  readonly place: Place;
  session: Session;
  /** What is true. */
  state: model.ProjectState;
  /** What may be true instead: the request for it has no answer yet. */
  possible: model.ProjectState | undefined;
  /** Whether an exchange of the refresh token has no answer yet. */
  isRefreshing: boolean;
  uploads: OpenUpload[];
  /** Ids of builds (by number) and releases (by key), as they were answered. */
  readonly ids: Map<string, string>;
  /** Digests of what was sent as the bytes of each upload, and as icons. */
  readonly sent: Map<string, Set<string>>;
  readonly sentIcons: Set<string>;
  /** Builds whose bytes are to be looked at after the next start. */
  readonly touched: Set<number>;
  /** What was answered with success, by kind. */
  readonly done: Map<string, number>;
  count: number;
}

export function createWorker(random: Random, account: Account, place: Place, session: Session): Worker {
  return {
    random,
    account,
    place,
    session,
    state: model.emptyProject,
    possible: undefined,
    isRefreshing: false,
    uploads: [],
    ids: new Map(),
    sent: new Map(),
    sentIcons: new Set(),
    touched: new Set(),
    done: new Map(),
    count: 0,
  };
}

/** Something answered otherwise than the user's knowledge allows. */
export class Wrong extends Error {}

export function inProject({ place }: Worker): string {
  return `organization_id=${place.organizationId}&project_id=${place.projectId}`;
}

/** Asks with the session of the worker, and wants one of these answers. */
export async function expectAnswer<Body = Record<string, unknown>>(
  worker: Worker,
  client: Client,
  [method, path]: readonly [string, string],
  wanted: readonly number[],
  ask: Ask = {},
): Promise<Answer<Body>> {
  const answer = await client.ask<Body>(method, path, { token: worker.session.accessToken, ...ask });
  if (wanted.includes(answer.status)) {
    if (answer.status < 300) worker.done.set(method, (worker.done.get(method) ?? 0) + 1);
    return answer;
  }
  throw new Wrong(`${method} ${path.split('?')[0]} answered ${answer.status} ${answer.bytes.toString('utf8', 0, 300)}`);
}

/** What an answer says of what was made, or of the refusal. */
export interface Made {
  identifier: string;
  error?: string;
}

/** A change of what is visible: possible from the request on, true from the answer on. */
export async function change<Body>(
  worker: Worker,
  next: model.ProjectState,
  work: () => Promise<Answer<Body>>,
): Promise<Answer<Body>> {
  worker.possible = next;
  const answer = await work();
  worker.state = next;
  worker.possible = undefined;
  return answer;
}

interface Tokens {
  access_token: string;
  refresh_token: string;
}

/** Exchanges the refresh token; wants one of these answers. */
export async function refresh(worker: Worker, client: Client, wanted: readonly number[] = [200]): Promise<void> {
  worker.isRefreshing = true;
  const json = { refresh_token: worker.session.refreshToken };
  const answer = await expectAnswer<Tokens>(worker, client, ['POST', '/api/v1/login/refresh'], wanted, {
    json,
    token: undefined,
  });
  worker.isRefreshing = false;
  worker.session =
    answer.status === 200
      ? { accessToken: answer.body.access_token, refreshToken: answer.body.refresh_token }
      : await signIn(client, worker.account);
}

export async function signIn(client: Client, { email, password }: Account): Promise<Session> {
  const answer = await client.ask<Tokens>('POST', '/api/v1/login', { json: { email, password } });
  if (answer.status !== 200) throw new Wrong(`signing in answered ${answer.status} ${answer.bytes.toString('utf8')}`);
  return { accessToken: answer.body.access_token, refreshToken: answer.body.refresh_token };
}
