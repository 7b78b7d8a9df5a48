// The uploads of this tab. Each turns a file into a build, and optionally releases it to a channel.
import type { CompletedBuild, NextBuildNumber, PendingUpload } from '../../builds/schema.ts';
import type { Project } from '../../projects/schema.ts';
import type { Release } from '../../releases/schema.ts';
import type { Client } from '../api/client.ts';
import { ApiError, ConnectionError } from '../api/errors.ts';
import { isUninstallable } from '../components/build-name.ts';
import type { PackageInfo } from './read-package.ts';
import { RejectedFile } from './rejected-file.ts';
import { computeSha256, type Progress, TransferError, uploadFile } from './transfer.ts';
import { type BuildNumber, createUploadLinks, isSameNumber, type PackageToSend } from './upload-links.ts';

type Stage = 'reading' | 'refused' | 'other_app' | 'asking' | 'sending' | 'completing' | 'done' | 'failed';

export interface Upload {
  id: number;
  file: File;
  project: Project;
  stage: Stage;
  packageInfo?: PackageInfo;
  identity?: BuildNumber;
  progress?: Progress;
  /** Why the file was rejected, the upload failed, or input is required. */
  error?: unknown;
  build?: CompletedBuild;
  /** The next free build number, if the version and build number are taken. */
  nextNumber?: number;
  /** The channel to release the build to once the upload is complete. */
  channelId?: string | undefined;
  /** Whether the project was created for this upload, and is deleted if there is no build. */
  isDraft?: boolean;
  /** The release notes; empty for those of the build. */
  notes?: string;
  release?: Release;
  releaseError?: unknown;
}

export interface UploadsOptions {
  client: Client;
  hashWorker: string;
  /** Returns the URL of the worker that sends to an address, or undefined if the page may send to it. */
  workerFor(url: string): string | undefined;
  /** Returns the maximum size of a package in bytes. */
  maxBytes(): Promise<number>;
  /** Asks the server whether it responds. If it doesn't, the uploads are retried once it does. */
  isServerReachable(): Promise<boolean>;
  /** Resolves after a time in milliseconds. */
  pause(milliseconds: number): Promise<void>;
  /** Called after the user released a build. */
  onReleased(project: Project, channelId: string): void;
  /** Called when cached data is outdated. */
  onChanged(upload: Upload): void;
}

export interface Uploads {
  subscribe(listener: () => void): () => void;
  list(): readonly Upload[];
  add(project: Project, files: readonly File[]): void;
  /** Uploads the package that a project was created for, and releases it. Returns the id of the upload. */
  addFirst(project: Project, file: File, channelId: string): number;
  /** Continues with the version and build number that the user entered. */
  submitIdentity(id: number, identity: BuildNumber): void;
  /** Continues although the package belongs to another app. */
  allowOtherApp(id: number): void;
  retry(id: number): void;
  cancel(id: number): void;
  /** Releases the build immediately, or once the upload is complete. */
  releaseOnto(id: number, channelId: string, notes?: string): void;
  /** Doesn't release the build once the upload is complete. */
  cancelRelease(id: number): void;
}

/** The upload was cut each time it was sent, although the server responds. */
export class UploadInterrupted extends Error {}

/** The pauses before an upload that was cut is sent again. */
const RETRY_PAUSES_MS = [1000, 2000, 4000];

/** How often to request a free build number. Concurrent uploads may take one first. */
const MAX_NUMBERS = 5;

/** What an upload that was cut has tried. */
interface Interruption {
  numbersLeft: number;
  interruptions: number;
  error: unknown;
  signal: AbortSignal;
}

/** Creates the uploads. */
export function createUploads({
  client,
  hashWorker,
  workerFor,
  maxBytes: mostBytes,
  isServerReachable,
  pause,
  onReleased,
  onChanged,
}: UploadsOptions): Uploads {
  const listeners = new Set<() => void>();
  const controllers = new Map<number, AbortController>();
  const links = createUploadLinks(client);
  /** By upload, what was sent but isn't complete. */
  const sent = new Map<number, { pendingUploadId: string; sha256: string }>();
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
      const { readPackage } = await import('./read-package.ts');
      const packageInfo = await readPackage(upload.file, upload.project.platform, await mostBytes());
      change(id, { packageInfo });
      const { bundle_identifier: pinned } = upload.project;
      const isOtherApp = pinned !== null && (packageInfo.bundleIdentifier ?? pinned) !== pinned;
      if (isOtherApp) change(id, { stage: 'other_app' });
      else await identify(id, packageInfo);
    } catch (error) {
      if (error instanceof RejectedFile) refuse(id, error);
      else change(id, { stage: 'failed', error });
    }
  }

  /** The file can't become a build, so the project that was created for it isn't needed. */
  function refuse(id: number, error: unknown): void {
    change(id, { stage: 'refused', error });
    discardDraft(id);
  }

  /** Deletes the project of an upload without a build. If the request fails, the server deletes it later. */
  function discardDraft(id: number): void {
    const upload = find(id);
    if (upload?.isDraft !== true || upload.build !== undefined) return;
    change(id, { isDraft: false });
    void client.send('DELETE', `/projects/${upload.project.identifier}`).then(
      () => onChanged(upload),
      () => undefined,
    );
  }

  /** Starts the upload if the package contains its version; otherwise asks the user for it. */
  async function identify(id: number, { versionName, buildNumber: known }: PackageInfo): Promise<void> {
    const upload = find(id);
    if (upload === undefined) return;
    if (versionName === undefined) return change(id, { stage: 'asking' });
    try {
      const buildNumber = known ?? (await readNextNumber(upload.project));
      await run(id, { versionName, buildNumber }, known === undefined ? MAX_NUMBERS : 1);
    } catch (error) {
      change(id, { stage: 'failed', error });
    }
  }

  async function identifyAgain(id: number, { versionName }: BuildNumber, numbersLeft: number): Promise<void> {
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

  /**
   * Sends the package and completes the upload. `numbersLeft` is the number of remaining attempts with another free build number,
   * `interruptions` how often the upload was cut before.
   */
  async function run(id: number, identity: BuildNumber, numbersLeft = 1, interruptions = 0): Promise<void> {
    const controller = new AbortController();
    controllers.set(id, controller);
    try {
      await createBuild(id, identity, controller.signal);
    } catch (error) {
      if (controller.signal.aborted) return;
      if (isCut(error)) await runAgain(id, identity, { numbersLeft, interruptions, error, signal: controller.signal });
      else await handleFailure(id, identity, numbersLeft, error);
    } finally {
      controllers.delete(id);
    }
  }

  async function createBuild(id: number, identity: BuildNumber, signal: AbortSignal): Promise<void> {
    change(id, { stage: 'sending', identity, error: undefined });
    const upload = find(id);
    if (upload === undefined) return;
    const { file, project } = upload;
    const pending = await links.provide(packageToSend(upload, identity), signal);
    const earlier = sent.get(id);
    const isSent = earlier?.pendingUploadId === pending.pending_upload_id;
    const sha256 = isSent ? earlier.sha256 : await transfer(id, file, pending, signal);
    sent.set(id, { pendingUploadId: pending.pending_upload_id, sha256 });
    change(id, { stage: 'completing' });
    const path = `/builds/${pending.pending_upload_id}/complete`;
    const query = { organization_id: project.organization_id, project_id: project.identifier };
    const build = await client.send<CompletedBuild>('POST', path, { query, body: { sha256 }, signal });
    links.complete(project, identity);
    sent.delete(id);
    change(id, { stage: 'done', build, isDraft: false });
    await releaseCompleted(id, build);
  }

  /** Sends the file to its link. Returns its checksum. */
  async function transfer(id: number, file: File, pending: PendingUpload, signal: AbortSignal): Promise<string> {
    const [sha256] = await Promise.all([
      computeSha256(hashWorker, file, signal),
      uploadFile({
        url: pending.upload_url,
        headers: pending.required_headers,
        file,
        worker: workerFor(pending.upload_url),
        signal,
        onProgress: (progress) => change(id, { progress }),
      }),
    ]);
    return sha256;
  }

  function packageToSend({ id, project, file, packageInfo }: Upload, identity: BuildNumber): PackageToSend {
    const isSentAlready = uploads.some(
      (other) =>
        other.id !== id &&
        (other.stage === 'sending' || other.stage === 'completing') &&
        other.identity !== undefined &&
        isSameNumber({ project: other.project, number: other.identity }, { project, number: identity }),
    );
    return {
      ...identity,
      project,
      filename: file.name,
      bundleIdentifier: packageInfo?.bundleIdentifier,
      isSentAlready,
    };
  }

  /** The channel was selected before the package was inspected. If nobody can install the build, the user must confirm. */
  async function releaseCompleted(id: number, build: CompletedBuild): Promise<void> {
    const upload = find(id);
    if (upload === undefined) return;
    onChanged(upload);
    const { channelId } = upload;
    if (channelId === undefined) return;
    const isReleased = build.released_to.some((channel) => channel.channel_id === channelId);
    if (isReleased || isUninstallable(build)) change(id, { channelId: undefined });
    else await releaseNow(id, channelId);
  }

  /** Sends an upload that was cut again, after a pause. If the server doesn't respond, the upload waits until it does. */
  async function runAgain(
    id: number,
    identity: BuildNumber,
    { numbersLeft, interruptions, error, signal }: Interruption,
  ): Promise<void> {
    const isReachable = await isServerReachable();
    const pauseMs = RETRY_PAUSES_MS[interruptions];
    if (signal.aborted) return;
    if (!isReachable) return change(id, { stage: 'failed', error });
    if (pauseMs === undefined) return change(id, { stage: 'failed', error: new UploadInterrupted() });
    await pause(pauseMs);
    if (!signal.aborted) await run(id, identity, numbersLeft, interruptions + 1);
  }

  /** Takes another build number, asks the user for one, or says why the upload failed, so that they can retry it. */
  async function handleFailure(id: number, identity: BuildNumber, numbersLeft: number, error: unknown): Promise<void> {
    const upload = find(id);
    if (upload === undefined) return;
    links.noteError(upload.project, identity, error);
    if (isAboutPackage(error)) sent.delete(id);
    const code = error instanceof ApiError ? error.code : undefined;
    // The server can't read the package either, and its project can't be named.
    if (upload.isDraft === true && code === 'invalid_input') return refuse(id, error);
    const isTaken = code === 'already_exists';
    if (isTaken && numbersLeft > 1) return identifyAgain(id, identity, numbersLeft - 1);
    const nextNumber = isTaken ? await readNextNumber(upload.project).catch(() => undefined) : undefined;
    change(id, {
      stage: isTaken || code === 'validation_error' ? 'asking' : 'failed',
      error,
      ...(nextNumber === undefined ? {} : { nextNumber }),
    });
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
        body: {
          build_id: upload.build.identifier,
          ...(upload.notes === undefined || upload.notes === '' ? {} : { release_notes: upload.notes }),
        },
      });
      change(id, { release });
      onReleased(upload.project, channelId);
      onChanged(upload);
    } catch (releaseError) {
      change(id, { releaseError });
    }
  }

  function start(wanted: readonly Omit<Upload, 'id' | 'stage'>[]): void {
    const added = wanted.map<Upload>((upload) => {
      const id = next;
      next += 1;
      return { ...upload, id, stage: 'reading' };
    });
    uploads = [...uploads, ...added];
    for (const listener of listeners) listener();
    for (const { id } of added) void begin(id);
  }

  return {
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    list: () => uploads,
    add: (project, files) => start(files.map((file) => ({ file, project }))),
    addFirst(project, file, channelId) {
      const id = next;
      start([{ file, project, channelId, isDraft: true }]);
      return id;
    },
    submitIdentity: (id, identity) => void run(id, identity),
    allowOtherApp(id) {
      const packageInfo = find(id)?.packageInfo;
      change(id, { stage: 'reading' });
      if (packageInfo !== undefined) void identify(id, packageInfo);
    },
    retry(id) {
      const upload = find(id);
      if (upload?.identity !== undefined) void run(id, upload.identity);
      else {
        change(id, { stage: 'reading', error: undefined });
        void begin(id);
      }
    },
    cancel(id) {
      controllers.get(id)?.abort(new DOMException('canceled', 'AbortError'));
      sent.delete(id);
      discardDraft(id);
      uploads = uploads.filter((upload) => upload.id !== id);
      for (const listener of listeners) listener();
    },
    releaseOnto(id, channelId, notes) {
      change(id, { channelId, ...(notes === undefined ? {} : { notes }) });
      if (find(id)?.build !== undefined) void releaseNow(id, channelId);
    },
    cancelRelease: (id) => change(id, { channelId: undefined }),
  };
}

/** Returns whether the server rejects the bytes or the link, instead of completing them only now. */
function isAboutPackage(error: unknown): boolean {
  return error instanceof ApiError && [400, 404, 409, 413].includes(error.status);
}

/** Returns whether there was no response. */
function isCut(error: unknown): boolean {
  return error instanceof ConnectionError || (error instanceof TransferError && error.status === 0);
}

/** Returns whether the upload failed because the server was unreachable. */
export function isInterrupted({ stage, error }: Upload): boolean {
  return stage === 'failed' && isCut(error);
}
