// The actions of a worker: all visible changes, random or scripted.
import { type Client, Unanswered } from './client.ts';
import * as model from './model.ts';
import { makeIcon } from './payloads.ts';
import { breakUpload, goOnUploading } from './uploads.ts';
import { change, expectAnswer, inProject, type Made, refresh, type Worker } from './worker.ts';

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

const MAX_BUILDS = 60;
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
  const action = worker.state.builds.length > MAX_BUILDS ? deleteBuild : worker.random.pick(ACTIONS);
  await action?.(worker, client);
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
