// Checks after a start that acknowledged changes are there, and others completely or not at all.
import { sha256 } from '../support/fixtures.ts';
import type { Client } from './client.ts';
import { type ProjectState, type ReleaseState, servable } from './model.ts';
import { askToComplete, claim, complete } from './uploads.ts';
import { expectAnswer, inProject, type OpenUpload, refresh, type Worker, Wrong } from './worker.ts';

/** Compares the server with the worker's knowledge, settles what was open, and looks at the bytes of what was touched. */
export async function recover(worker: Worker, client: Client): Promise<void> {
  // An unanswered exchange may have used the token up; an answered one never.
  await refresh(worker, client, worker.isRefreshing ? [200, 401] : [200]);
  await settleState(worker, client);
  for (const upload of [...worker.uploads]) await settleUpload(worker, client, upload);
  for (const number of worker.touched) await checkBytes(worker, client, number);
  worker.touched.clear();
}

async function settleState(worker: Worker, client: Client): Promise<void> {
  const seen = await observe(worker, client);
  const text = JSON.stringify(seen.state);
  const isDone = worker.possible !== undefined && text === JSON.stringify(worker.possible);
  if (!isDone && text !== JSON.stringify(worker.state)) {
    throw new Wrong(
      `the project is ${text}; known is ${JSON.stringify(worker.state)}, possible ${JSON.stringify(worker.possible)}`,
    );
  }
  for (const [key, id] of seen.ids) {
    if ((worker.ids.get(key) ?? id) !== id) throw new Wrong(`${key} is another one than was answered`);
    worker.ids.set(key, id);
  }
  worker.state = seen.state;
  worker.possible = undefined;
}

interface SeenBuild {
  identifier: string;
  build_number: number;
  sha256: string;
  size_bytes: number;
  release_notes: string | null;
  revoked_at: string | null;
}

interface SeenRelease {
  identifier: string;
  release_notes: string | null;
  state: ReleaseState['state'];
  is_current: boolean;
  build: SeenBuild;
}

/** The project as the API shows it, in the form of the model, with the ids of what is in it. */
async function observe(worker: Worker, client: Client): Promise<{ state: ProjectState; ids: Map<string, string> }> {
  const ids = new Map<string, string>();
  const readAll = async <Item>(path: string): Promise<Item[]> => {
    const target = ['GET', `${path}&${inProject(worker)}&limit=1000`] as const;
    const { body } = await expectAnswer<{ items: Item[]; next_cursor: string | null }>(worker, client, target, [200]);
    if (body.next_cursor !== null) throw new Wrong('there is more than a page');
    return body.items.reverse();
  };
  const builds = (await readAll<SeenBuild>('/api/v1/builds?status=all')).map((build) => {
    ids.set(`build-${build.build_number}`, build.identifier);
    return {
      number: build.build_number,
      sha256: build.sha256,
      size: build.size_bytes,
      notes: build.release_notes,
      isRevoked: build.revoked_at !== null,
    };
  });
  const current: string[] = [];
  const readReleases = async (channelId: string): Promise<ReleaseState[]> => {
    const releases = await readAll<SeenRelease>(`/api/v1/releases?channel_id=${channelId}`);
    return releases.map(({ identifier, release_notes: notes, state, is_current: isCurrent, build }) => {
      const key = notes ?? `auto-${build.build_number}`;
      ids.set(key, identifier);
      if (isCurrent) current.push(key);
      return { key, number: build.build_number, state };
    });
  };
  const auto = await readReleases(worker.place.autoChannelId);
  const manual = await readReleases(worker.place.manualChannelId);
  const iconTarget = ['GET', `/api/v1/projects/${worker.place.projectId}/icon`] as const;
  const icon = await expectAnswer(worker, client, iconTarget, [200, 404]);
  const state = { builds, auto, manual, icon: icon.status === 200 ? sha256(icon.bytes) : null };
  const expected = (['auto', 'manual'] as const).flatMap((channel) => servable(state, channel)[0]?.key ?? []);
  if (current.join() !== expected.join()) throw new Wrong(`served is ${current.join()}, expected ${expected.join()}`);
  return { state, ids };
}

async function settleUpload(worker: Worker, client: Client, upload: OpenUpload): Promise<void> {
  const forget = (): void => {
    worker.uploads = worker.uploads.filter((one) => one !== upload);
  };
  const identifier = worker.ids.get(`build-${upload.number}`);
  if (identifier !== undefined) {
    // Complete was done and not answered: asked again, it answers the same build.
    const answer = await askToComplete(worker, client, upload);
    if (answer.body.identifier !== identifier) throw new Wrong('complete again made another build');
    forget();
  } else if (upload.pending === undefined) {
    const answer = await claim(worker, client, upload, [201, 409]);
    if (answer.status === 201) return;
    if (answer.body.details.claimed_by !== 'pending_upload') throw new Wrong('a build holds the claim of no build');
    forget();
  } else if (upload.bytes === 'stored') {
    await complete(worker, client, upload);
  } else if (upload.bytes === 'unknown' && worker.random.oneIn(2)) {
    await completeUnknown(worker, client, upload);
  } else if (worker.random.oneIn(4)) {
    // Left to the sweep.
    forget();
  }
}

/** Nobody knows whether the bytes came: either there are none, or all of them. */
async function completeUnknown(worker: Worker, client: Client, upload: OpenUpload): Promise<void> {
  const answer = await askToComplete(worker, client, upload, [201, 400]);
  if (answer.status === 201) await complete(worker, client, upload);
  else if (answer.body.error === 'operation_not_allowed') upload.bytes = 'absent';
  else throw new Wrong(`complete was refused as ${answer.body.error}`);
}

/** A build's bytes through its link, or, where it is deleted, that nothing of it is left. */
export async function checkBytes(worker: Worker, client: Client, number: number): Promise<void> {
  const id = worker.ids.get(`build-${number}`);
  const build = worker.state.builds.find((one) => one.number === number);
  if (build === undefined) {
    if (id !== undefined) await expectAnswer(worker, client, ['GET', `/api/v1/builds/${id}`], [404]);
    return;
  }
  if (build.isRevoked) return;
  const target = ['GET', `/api/v1/builds/${id}/download`] as const;
  const link = await expectAnswer<{ download_url: string }>(worker, client, target, [200]);
  const { bytes } = await expectAnswer(worker, client, ['GET', link.body.download_url], [200], { token: undefined });
  if (sha256(bytes) !== build.sha256) throw new Wrong(`build ${number} has ${bytes.length} bytes that are not its own`);
}
