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
  recognised?: PackageInfo;
  identity?: Identity;
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
  submitIdentity(id: number, identity: Identity): void;
  /** Continues although the package belongs to another app. */
  allowOtherApp(id: number): void;
  retry(id: number): void;
  cancel(id: number): void;
  /** Releases the build immediately, or once the upload is complete. */
  releaseOnto(id: number, channelId: string, notes?: string): void;
  /** Doesn't release the build once the upload is complete. */
  cancelRelease(id: number): void;
}

/** The server reserves the version and build number of an expired upload until a cleanup job deletes it. */
export class NumberReserved extends Error {}

/** The upload was cut each time it was sent, although the server responds. */
export class UploadInterrupted extends Error {}

/** The pauses before an upload that was cut is sent again. */
const RETRY_PAUSES_MS = [1000, 2000, 4000];

/** How often to request a free build number. Concurrent uploads may take one first. */
const MAX_NUMBERS = 5;

/** A link that expires within this time isn't used for a new transfer. */
const LINK_MARGIN_MS = 5_000;

const claimOf = ({ identifier }: Project, { versionName, buildNumber }: Identity) =>
  JSON.stringify([identifier, versionName, buildNumber]);

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
  /** Incomplete uploads of this tab by project, version and build number. Their links can be used again. */
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
      const { readPackage } = await import('./read-package.ts');
      const packageInfo = await readPackage(upload.file, upload.project.platform, await mostBytes());
      change(id, { recognised: packageInfo });
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
  async function identify(id: number, { versionName, ...recognised }: PackageInfo): Promise<void> {
    const upload = find(id);
    if (upload === undefined) return;
    if (versionName === undefined) return change(id, { stage: 'asking' });
    try {
      const buildNumber = recognised.buildNumber ?? (await readNextNumber(upload.project));
      await run(id, { versionName, buildNumber }, recognised.buildNumber === undefined ? MAX_NUMBERS : 1);
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

  /**
   * `numbersLeft` is the number of remaining attempts with another free build number, `interruptions` how often the upload was
   * cut before.
   */
  async function run(id: number, identity: Identity, numbersLeft = 1, interruptions = 0): Promise<void> {
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
        computeSha256(hashWorker, file, signal),
        uploadFile({
          url: pending.upload_url,
          headers: pending.required_headers,
          file,
          worker: workerFor(pending.upload_url),
          signal,
          onProgress,
        }),
      ]);
      change(id, { stage: 'completing' });
      const path = `/builds/${pending.pending_upload_id}/complete`;
      const build = await client.send<CompletedBuild>('POST', path, { query, body: { sha256 }, signal });
      claims.delete(claim);
      change(id, { stage: 'done', build, isDraft: false });
      const whole = find(id);
      if (whole === undefined) return;
      onChanged(whole);
      if (whole.channelId === undefined) return;
      // The channel was selected before the package was inspected. If nobody can install the build, the user must
      // confirm.
      const isReleased = build.released_to.some(({ channel_id: channelId }) => channelId === whole.channelId);
      if (isReleased || isUninstallable(build)) change(id, { channelId: undefined });
      else await releaseNow(id, whole.channelId);
    } catch (error) {
      if (signal.aborted) return;
      if (isCut(error)) {
        const isReachable = await isServerReachable();
        const pauseMs = RETRY_PAUSES_MS[interruptions];
        if (signal.aborted) return;
        if (!isReachable) return change(id, { stage: 'failed', error });
        if (pauseMs === undefined) return change(id, { stage: 'failed', error: new UploadInterrupted() });
        await pause(pauseMs);
        return signal.aborted ? undefined : await run(id, identity, numbersLeft, interruptions + 1);
      }
      // The link no longer works, so the next attempt requests a new one.
      if (isLinkExpired(error) && claims.has(claim)) claims.set(claim, 'ended');
      // The user has to change a build number that is taken. Other errors can be retried.
      const isTaken = error instanceof ApiError && error.code === 'already_exists';
      const isInvalid = error instanceof ApiError && error.code === 'validation_error';
      // The server can't read the package either, and its project can't be named.
      if (find(id)?.isDraft === true && error instanceof ApiError && error.code === 'invalid_input') {
        return refuse(id, error);
      }
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

  /** Returns this tab's link for the same version and build number if it is still valid, otherwise a new one. */
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
      throw isHeld && !isInUse(upload, identity) ? new NumberReserved() : error;
    }
  }

  /** Returns whether another upload of this tab is sending the same version and build number. */
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
      return { ...upload, id, stage: 'recognising' };
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

/** Returns whether a link no longer works: the storage rejects it, or the server doesn't know the upload. */
function isLinkExpired(error: unknown): boolean {
  if (error instanceof TransferError) return error.status >= 400 && error.status < 500;
  return error instanceof ApiError && (error.status === 404 || error.code === 'operation_not_allowed');
}

/** Returns whether there was no response. */
function isCut(error: unknown): boolean {
  return error instanceof ConnectionError || (error instanceof TransferError && error.status === 0);
}

/** Returns whether the upload failed because the server was unreachable. */
export function isInterrupted({ stage, error }: Upload): boolean {
  return stage === 'failed' && isCut(error);
}
