// The uploads of this tab: each goes its way from a dropped file to a build, and onto a channel when one was picked meanwhile.
import type { CompletedBuild, NextBuildNumber, PendingUpload } from '../../builds/schema.ts';
import type { Project } from '../../projects/schema.ts';
import type { Release } from '../../releases/schema.ts';
import type { Client } from '../api/client.ts';
import { ApiError, LostConnection } from '../api/errors.ts';
import { isForNobody } from '../parts/build-name.ts';
import { type Recognised, recognise, WrongFile } from './recognise.ts';
import { computeHash, type Progress, sendBytes, TransferFailure } from './transfer.ts';

type Stage = 'recognising' | 'refused' | 'other_app' | 'asking' | 'sending' | 'completing' | 'done' | 'failed';

interface Identity {
  versionName: string;
  buildNumber: number;
}

export interface Upload {
  id: number;
  file: File;
  project: Project;
  stage: Stage;
  recognised?: Recognised;
  identity?: Identity;
  progress?: Progress;
  /** Why it was refused, failed, or has to be asked about. */
  error?: unknown;
  build?: CompletedBuild;
  /** Offered when version and number are taken. */
  nextNumber?: number;
  /** Where it is to be released once it is a build. */
  channelId?: string | undefined;
  release?: Release;
  releaseError?: unknown;
}

export interface UploadsParts {
  client: Client;
  hashWorker: string;
  /** Largest package that the server takes. */
  mostBytes(): Promise<number>;
  /** Told where a person released. */
  onReleased(project: Project, channelId: string): void;
  /** Told when something new is to be read. */
  onChanged(upload: Upload): void;
}

export interface Uploads {
  watch(listener: () => void): () => void;
  list(): readonly Upload[];
  add(project: Project, files: readonly File[]): void;
  /** Goes on with what a person typed. */
  answer(id: number, identity: Identity): void;
  /** Goes on although the package is another app than the project's. */
  allowOtherApp(id: number): void;
  retry(id: number): void;
  cancel(id: number): void;
  /** Releases it, at once or as soon as it is a build. */
  releaseOnto(id: number, channelId: string): void;
}

/** The server keeps version and number for a link that has ended until it is swept. */
export class ClaimHeld extends Error {}

/** Uploads at the same moment may take the number that the server has just named. */
const MOST_NUMBERS = 5;

/** So long before its end a link is not used for a transfer that begins. */
const LINK_MARGIN_MS = 5_000;

const claimOf = ({ identifier }: Project, { versionName, buildNumber }: Identity) =>
  JSON.stringify([identifier, versionName, buildNumber]);

/** The uploads. */
export function createUploads({ client, hashWorker, mostBytes, onReleased, onChanged }: UploadsParts): Uploads {
  const listeners = new Set<() => void>();
  const controllers = new Map<number, AbortController>();
  /** What this tab began and did not complete, by project, version and number: their links can be used again. */
  const claims = new Map<string, PendingUpload | 'ended'>();
  let uploads: readonly Upload[] = [];
  let next = 1;

  function change(id: number, changes: Partial<Upload>): void {
    uploads = uploads.map((upload) => (upload.id === id ? { ...upload, ...changes } : upload));
    for (const listener of listeners) listener();
  }
  const find = (id: number) => uploads.find((upload) => upload.id === id);

  async function begin(id: number): Promise<void> {
    const upload = find(id);
    if (upload === undefined) return;
    try {
      const recognised = await recognise(upload.file, upload.project.platform, await mostBytes());
      change(id, { recognised });
      const { bundle_identifier: pinned } = upload.project;
      const isOtherApp = pinned !== null && (recognised.bundleIdentifier ?? pinned) !== pinned;
      if (isOtherApp) change(id, { stage: 'other_app' });
      else await identify(id, recognised);
    } catch (error) {
      change(id, { stage: error instanceof WrongFile ? 'refused' : 'failed', error });
    }
  }

  /** Sends a package that says what it is; only one that cannot be read is asked about. */
  async function identify(id: number, { versionName, ...recognised }: Recognised): Promise<void> {
    const upload = find(id);
    if (upload === undefined) return;
    if (versionName === undefined) return change(id, { stage: 'asking' });
    try {
      const buildNumber = recognised.buildNumber ?? (await readNextNumber(upload.project));
      await run(id, { versionName, buildNumber }, recognised.buildNumber === undefined ? MOST_NUMBERS : 1);
    } catch (error) {
      change(id, { stage: 'failed', error });
    }
  }

  async function identifyAgain(id: number, { versionName }: Identity, numbersLeft: number): Promise<void> {
    const upload = find(id);
    if (upload === undefined) return;
    try {
      await run(id, { versionName, buildNumber: await readNextNumber(upload.project) }, numbersLeft);
    } catch (error) {
      change(id, { stage: 'failed', error });
    }
  }

  async function readNextNumber({ organization_id, identifier }: Project): Promise<number> {
    const query = { organization_id, project_id: identifier };
    return (await client.send<NextBuildNumber>('GET', '/builds/next-number', { query })).build_number;
  }

  /** `numbersLeft`: how many free numbers may still be asked for when others take them first. */
  async function run(id: number, identity: Identity, numbersLeft = 1): Promise<void> {
    const controller = new AbortController();
    controllers.set(id, controller);
    const { signal } = controller;
    change(id, { stage: 'sending', identity, error: undefined });
    const upload = find(id);
    if (upload === undefined) return;
    const { file, project } = upload;
    const claim = claimOf(project, identity);
    try {
      const query = { organization_id: project.organization_id, project_id: project.identifier };
      const pending = await provideLink(upload, identity, signal);
      const onProgress = (progress: Progress) => change(id, { progress });
      const [sha256] = await Promise.all([
        computeHash(hashWorker, file, signal),
        sendBytes({ url: pending.upload_url, headers: pending.required_headers, file, signal, onProgress }),
      ]);
      change(id, { stage: 'completing' });
      const path = `/builds/${pending.pending_upload_id}/complete`;
      const build = await client.send<CompletedBuild>('POST', path, { query, body: { sha256 }, signal });
      claims.delete(claim);
      change(id, { stage: 'done', build });
      const whole = find(id);
      if (whole === undefined) return;
      onChanged(whole);
      if (whole.channelId === undefined) return;
      // Chosen before anybody knew that nobody can install it, so it is asked again; or released there automatically.
      const isReleased = build.released_to.some(({ channel_id: channelId }) => channelId === whole.channelId);
      if (isReleased || isForNobody(build)) change(id, { channelId: undefined });
      else await releaseNow(id, whole.channelId);
    } catch (error) {
      if (signal.aborted) return;
      // A link that the storage or the server no longer takes: the next try asks for a fresh one.
      if (hasEnded(error) && claims.has(claim)) claims.set(claim, 'ended');
      // A taken number is for the person to change; everything else can be tried again.
      const isTaken = error instanceof ApiError && error.code === 'already_exists';
      const isInvalid = error instanceof ApiError && error.code === 'validation_error';
      if (isTaken && numbersLeft > 1) return await identifyAgain(id, identity, numbersLeft - 1);
      const nextNumber = isTaken ? await readNextNumber(project).catch(() => undefined) : undefined;
      change(id, {
        stage: isTaken || isInvalid ? 'asking' : 'failed',
        error,
        ...(nextNumber === undefined ? {} : { nextNumber }),
      });
    } finally {
      controllers.delete(id);
    }
  }

  /** The link that this tab has for the same version and number while it is good, else a fresh one. */
  async function provideLink(upload: Upload, identity: Identity, signal: AbortSignal): Promise<PendingUpload> {
    const { project, file, recognised } = upload;
    const claim = claimOf(project, identity);
    const known = claims.get(claim);
    const isGood = known !== undefined && known !== 'ended' && !isInUse(upload, identity);
    if (isGood && Date.parse(known.expires_at) - Date.now() > LINK_MARGIN_MS) return known;
    try {
      const pending = await client.send<PendingUpload>('POST', '/builds/initiate', {
        query: { organization_id: project.organization_id, project_id: project.identifier },
        body: {
          version_name: identity.versionName,
          build_number: identity.buildNumber,
          original_filename: file.name.slice(0, 255),
          ...(recognised?.bundleIdentifier === undefined ? {} : { bundle_identifier: recognised.bundleIdentifier }),
        },
        signal,
      });
      claims.set(claim, pending);
      return pending;
    } catch (error) {
      const isHeld = known !== undefined && error instanceof ApiError && error.details.claimed_by === 'pending_upload';
      throw isHeld && !isInUse(upload, identity) ? new ClaimHeld() : error;
    }
  }

  /** Whether another upload of this tab is sending the same version and number right now. */
  function isInUse({ id, project }: Upload, identity: Identity): boolean {
    const claim = claimOf(project, identity);
    return uploads.some(
      (other) =>
        other.id !== id &&
        (other.stage === 'sending' || other.stage === 'completing') &&
        other.identity !== undefined &&
        claimOf(other.project, other.identity) === claim,
    );
  }

  async function releaseNow(id: number, channelId: string): Promise<void> {
    const upload = find(id);
    if (upload?.build === undefined) return;
    change(id, { releaseError: undefined });
    try {
      const release = await client.send<Release>('POST', '/releases', {
        query: {
          organization_id: upload.project.organization_id,
          project_id: upload.project.identifier,
          channel_id: channelId,
        },
        body: { build_id: upload.build.identifier },
      });
      change(id, { release });
      onReleased(upload.project, channelId);
      onChanged(upload);
    } catch (releaseError) {
      change(id, { releaseError });
    }
  }

  return {
    watch(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    list: () => uploads,
    add(project, files) {
      const added = files.map<Upload>((file) => {
        const id = next;
        next += 1;
        return { id, file, project, stage: 'recognising' };
      });
      uploads = [...uploads, ...added];
      for (const listener of listeners) listener();
      for (const { id } of added) void begin(id);
    },
    answer: (id, identity) => void run(id, identity),
    allowOtherApp(id) {
      const recognised = find(id)?.recognised;
      change(id, { stage: 'recognising' });
      if (recognised !== undefined) void identify(id, recognised);
    },
    retry(id) {
      const upload = find(id);
      if (upload?.identity !== undefined) void run(id, upload.identity);
      else {
        change(id, { stage: 'recognising', error: undefined });
        void begin(id);
      }
    },
    cancel(id) {
      controllers.get(id)?.abort(new DOMException('cancelled', 'AbortError'));
      uploads = uploads.filter((upload) => upload.id !== id);
      for (const listener of listeners) listener();
    },
    releaseOnto(id, channelId) {
      change(id, { channelId });
      if (find(id)?.build !== undefined) void releaseNow(id, channelId);
    },
  };
}

/** Whether a link is of no more use: the storage refuses it, or the server knows no open upload behind it. */
function hasEnded(error: unknown): boolean {
  if (error instanceof TransferFailure) return error.status >= 400 && error.status < 500;
  return error instanceof ApiError && (error.status === 404 || error.code === 'operation_not_allowed');
}

/** Whether trying again may help, once the connection is back. */
export function isInterrupted({ stage, error }: Upload): boolean {
  const isLost = error instanceof LostConnection || (error instanceof TransferFailure && error.status === 0);
  return stage === 'failed' && isLost;
}
