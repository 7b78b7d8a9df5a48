// One user of one project: does one thing after the other by chance, and knows what must be true at any moment.
import { type Answer, type Ask, type Client, Unanswered } from './client.ts';
import * as model from './model.ts';
import { makeIcon, makePackage, type Payload } from './payloads.ts';
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

/** Works by chance until the server is gone, or does just these things. Throws Wrong, or what else is no lost connection. */
export async function workUntilKilled(worker: Worker, client: Client, script?: readonly Action[]): Promise<void> {
  try {
    for (const action of script ?? []) await action(worker, client);
    while (script === undefined) await doSomething(worker, client);
  } catch (error) {
    if (!(error instanceof Unanswered)) throw error;
  }
}

export type Action = (worker: Worker, client: Client) => Promise<void>;

const MOST_BUILDS = 60;
/** Each as often as it stands here. */
const ACTIONS: readonly Action[] = [
  ...Array<Action>(12).fill(goOnUploading),
  ...Array<Action>(4).fill(release),
  ...Array<Action>(2).fill(rollBack),
  ...Array<Action>(2).fill(switchRelease),
  deleteRelease,
  revokeBuild,
  deleteBuild,
  deleteBuild,
  editNotes,
  setIcon,
  setIcon,
  removeIcon,
  refresh,
  refresh,
  breakUpload,
];

async function doSomething(worker: Worker, client: Client): Promise<void> {
  const action = worker.state.builds.length > MOST_BUILDS ? deleteBuild : worker.random.pick(ACTIONS);
  await action?.(worker, client);
}

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
interface Made {
  identifier: string;
  error?: string;
}

/** A change of what is visible: possible from the request on, true from the answer on. */
async function change<Body>(
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

async function goOnUploading(worker: Worker, client: Client): Promise<void> {
  const open = worker.random.oneIn(4) ? undefined : worker.uploads.at(-1);
  if (open?.pending === undefined) await initiate(worker, client);
  else if (open.bytes !== 'stored') await sendBytes(worker, client, open);
  else await complete(worker, client, open);
}

/** A new upload from its beginning to its end. */
export async function uploadBuild(worker: Worker, client: Client): Promise<void> {
  const upload = await initiate(worker, client);
  await sendBytes(worker, client, upload);
  await complete(worker, client, upload);
}

export async function initiate(worker: Worker, client: Client): Promise<OpenUpload> {
  worker.count += 1;
  const upload: OpenUpload = { number: worker.count, payload: makePackage(worker.random), bytes: 'absent' };
  worker.uploads.push(upload);
  await claim(worker, client, upload, [201]);
  return upload;
}

interface ClaimAnswer {
  pending_upload_id: string;
  upload_url: string;
  required_headers: Record<string, string>;
  /** Of a refusal. */
  details: { claimed_by?: string };
}

/** Asks for the place of an upload; whether an unanswered one was given away is told by the refusal. */
export async function claim(
  worker: Worker,
  client: Client,
  upload: OpenUpload,
  wanted: readonly number[],
): Promise<Answer<ClaimAnswer>> {
  const json = { version_name: `1.${upload.number}`, build_number: upload.number, release_notes: 'first' };
  const target = ['POST', `/api/v1/builds/initiate?${inProject(worker)}`] as const;
  const answer = await expectAnswer<ClaimAnswer>(worker, client, target, wanted, { json });
  if (answer.status !== 201) return answer;
  const { pending_upload_id: id, upload_url: url, required_headers: headers } = answer.body;
  upload.pending = { id, url, headers };
  return answer;
}

export async function sendBytes(
  worker: Worker,
  client: Client,
  upload: OpenUpload,
  breakAfter?: number,
): Promise<void> {
  const { pending, payload } = upload;
  if (pending === undefined) throw new Wrong('the upload has no address');
  const sent = worker.sent.get(pending.id) ?? new Set();
  worker.sent.set(pending.id, sent.add(payload.sha256));
  upload.bytes = 'unknown';
  const ask = { bytes: payload.bytes, headers: pending.headers, token: undefined };
  await expectAnswer(worker, client, ['PUT', pending.url], [201], {
    ...ask,
    ...(breakAfter === undefined ? {} : { breakAfter }),
  });
  upload.bytes = 'stored';
}

export async function complete(worker: Worker, client: Client, upload: OpenUpload): Promise<void> {
  const { number, payload } = upload;
  const build = { number, sha256: payload.sha256, size: payload.bytes.length, notes: 'first', isRevoked: false };
  worker.touched.add(number);
  const answer = await change(worker, model.withBuild(worker.state, build), () =>
    askToComplete(worker, client, upload),
  );
  worker.uploads = worker.uploads.filter((one) => one !== upload);
  worker.ids.set(`build-${number}`, answer.body.identifier);
}

export function askToComplete(
  worker: Worker,
  client: Client,
  { pending, payload }: OpenUpload,
  wanted: readonly number[] = [201],
): Promise<Answer<Made>> {
  const path = `/api/v1/builds/${pending?.id}/complete?${inProject(worker)}`;
  return expectAnswer<Made>(worker, client, ['POST', path], wanted, { json: { sha256: payload.sha256 } });
}

/** A PUT that the client breaks off leaves nothing that could be completed. */
async function breakUpload(worker: Worker, client: Client): Promise<void> {
  const upload = worker.uploads.find((one) => one.pending !== undefined && one.bytes === 'absent');
  if (upload === undefined) return;
  const half = worker.random.between(0, upload.payload.bytes.length - 1);
  await sendBytes(worker, client, upload, half).catch((error: unknown) => {
    if (!(error instanceof Unanswered)) throw error;
  });
  // Whether the server lived through it shows in the next answer.
  const refusal = await askToComplete(worker, client, upload, [400]);
  if (refusal.body.error !== 'operation_not_allowed') throw new Wrong(`complete was refused as ${refusal.body.error}`);
  upload.bytes = 'absent';
}

export async function release(worker: Worker, client: Client): Promise<void> {
  const build = worker.random.pick(worker.state.builds.filter((one) => !one.isRevoked));
  if (build === undefined) return;
  worker.count += 1;
  const key = `release-${worker.count}`;
  const path = `/api/v1/releases?${inProject(worker)}&channel_id=${worker.place.manualChannelId}`;
  const json = { build_id: worker.ids.get(`build-${build.number}`), release_notes: key };
  const next = model.withRelease(worker.state, key, build.number);
  const answer = await change(worker, next, () => expectAnswer<Made>(worker, client, ['POST', path], [201], { json }));
  worker.ids.set(key, answer.body.identifier);
}

async function rollBack(worker: Worker, client: Client): Promise<void> {
  const path = `/api/v1/releases/rollback?${inProject(worker)}&channel_id=${worker.place.manualChannelId}`;
  const [current, previous] = model.servable(worker.state, 'manual');
  if (current === undefined || previous === undefined) {
    await expectAnswer(worker, client, ['POST', path], [400]);
    return;
  }
  const next = model.withReleaseState(worker.state, current.key, 'rolled_back');
  await change(worker, next, () => expectAnswer(worker, client, ['POST', path], [200]));
}

/** One whose id is known: of those made by complete it shows only after the next start. */
function pickRelease(worker: Worker): model.ReleaseState | undefined {
  const { manual, auto } = worker.state;
  return worker.random.pick([...manual, ...auto].filter(({ key }) => worker.ids.has(key)));
}

async function switchRelease(worker: Worker, client: Client): Promise<void> {
  const one = pickRelease(worker);
  if (one === undefined || one.state === 'rolled_back') return;
  const [verb, wanted] = one.state === 'active' ? (['disable', 'disabled'] as const) : (['enable', 'active'] as const);
  const path = `/api/v1/releases/${worker.ids.get(one.key)}/${verb}`;
  const next = model.withReleaseState(worker.state, one.key, wanted);
  await change(worker, next, () => expectAnswer(worker, client, ['POST', path], [200]));
}

async function deleteRelease(worker: Worker, client: Client): Promise<void> {
  const one = pickRelease(worker);
  if (one === undefined) return;
  const path = `/api/v1/releases/${worker.ids.get(one.key)}`;
  const next = model.withoutRelease(worker.state, one.key);
  await change(worker, next, () => expectAnswer(worker, client, ['DELETE', path], [204]));
}

async function revokeBuild(worker: Worker, client: Client): Promise<void> {
  const build = worker.random.pick(worker.state.builds);
  if (build === undefined) return;
  const path = `/api/v1/builds/${worker.ids.get(`build-${build.number}`)}/revoke`;
  const next = model.withBuildChange(worker.state, build.number, { isRevoked: true });
  await change(worker, next, () => expectAnswer(worker, client, ['POST', path], [200]));
}

export async function deleteBuild(worker: Worker, client: Client): Promise<void> {
  const build = worker.random.pick(worker.state.builds);
  if (build === undefined) return;
  worker.touched.add(build.number);
  const path = `/api/v1/builds/${worker.ids.get(`build-${build.number}`)}`;
  const next = model.withoutBuild(worker.state, build.number);
  await change(worker, next, () => expectAnswer(worker, client, ['DELETE', path], [204]));
}

async function editNotes(worker: Worker, client: Client): Promise<void> {
  const build = worker.random.pick(worker.state.builds);
  if (build === undefined) return;
  worker.count += 1;
  const notes = `notes ${worker.count}`;
  const path = `/api/v1/builds/${worker.ids.get(`build-${build.number}`)}`;
  const next = model.withBuildChange(worker.state, build.number, { notes });
  const json = { release_notes: notes };
  await change(worker, next, () => expectAnswer(worker, client, ['PATCH', path], [200], { json }));
}

export async function setIcon(worker: Worker, client: Client): Promise<void> {
  const icon = makeIcon();
  worker.sentIcons.add(icon.sha256);
  const boundary = 'the-boundary';
  const bytes = Buffer.concat([
    Buffer.from(`--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="icon.png"\r\n\r\n`),
    icon.bytes,
    Buffer.from(`\r\n--${boundary}--\r\n`),
  ]);
  const headers = { 'content-type': `multipart/form-data; boundary=${boundary}` };
  const path = `/api/v1/projects/${worker.place.projectId}/icon`;
  const next = { ...worker.state, icon: icon.sha256 };
  await change(worker, next, () => expectAnswer(worker, client, ['POST', path], [201], { bytes, headers }));
}

async function removeIcon(worker: Worker, client: Client): Promise<void> {
  const path = `/api/v1/projects/${worker.place.projectId}/icon`;
  const next = { ...worker.state, icon: null };
  const wanted = worker.state.icon === null ? 404 : 204;
  await change(worker, next, () => expectAnswer(worker, client, ['DELETE', path], [wanted]));
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
