// Uploads of a worker: started, sent, aborted, completed.
import { type Answer, type Client, Unanswered } from './client.ts';
import { withBuild } from './model.ts';
import { makePackage } from './payloads.ts';
import { change, expectAnswer, inProject, type Made, type OpenUpload, type Worker, Wrong } from './worker.ts';

export async function goOnUploading(worker: Worker, client: Client): Promise<void> {
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

async function sendBytes(worker: Worker, client: Client, upload: OpenUpload, breakAfter?: number): Promise<void> {
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
  const answer = await change(worker, withBuild(worker.state, build), () => askToComplete(worker, client, upload));
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
export async function breakUpload(worker: Worker, client: Client): Promise<void> {
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
