// Uploads a package: initiate, PUT, complete. Finds a package that was already uploaded instead of uploading it twice.
import type { SourceInput } from '../../builds/source-schema.ts';
import { Refusal } from '../../lib/failure.ts';
import * as z from '../../lib/zod.ts';
import { type CommandHost, plainText } from '../host.ts';
import { type Api, ApiRefusal } from './api.ts';
import type { PackageFile, PackageIdentity } from './package-file.ts';
import { createProgress } from './progress.ts';
import { Build, NextBuildNumber, PendingUpload, type Project, pageOf } from './shapes.ts';
import { sendFile } from './transfer.ts';

/** Concurrent uploads may take the number that the server has just returned. */
const MAX_NUMBERS = 5;
/** Number of the newest builds of a project that are compared with the package. */
const MAX_COMPARED = '100';

export interface PackageUpload {
  readonly project: Project;
  readonly file: PackageFile;
  readonly identity: PackageIdentity;
  readonly sha256: string;
  readonly notes: string | undefined;
  readonly origin: { readonly source: SourceInput | undefined; readonly labels: readonly string[] };
  /** Whether to take the next free number if another package has the version and number. */
  readonly takesNextNumber: boolean;
}

/** The build of a package. */
export interface UploadResult {
  readonly build: Build;
  /** Whether the server didn't have it before. */
  readonly isNew: boolean;
  /** Whether another job can have released it: one that uploaded the same package at the same time, or before. */
  readonly mayBeReleased: boolean;
}

interface NumberedUpload extends PackageUpload {
  readonly number: number;
}

/** A started upload. Its version and number are reserved, or left to the package. */
interface StartedUpload {
  readonly pending: PendingUpload;
  readonly number: number;
  readonly isReserved: boolean;
}

/** Errors of servers that can't read version and number from the package. */
const MissingFields = z.object({ errors: z.array(z.object({ type: z.literal('missing') })).min(1) });

/** Uploads the package and creates its build, or returns the existing build of the same package. Throws Refusal. */
export async function uploadPackage(host: CommandHost, api: Api, upload: PackageUpload): Promise<UploadResult> {
  const started = (await leaveToPackage(api, upload)) ?? (await claimNumber(api, upload));
  if ('build' in started) return { build: started.build, isNew: false, mayBeReleased: true };
  const { pending, number, isReserved } = started;
  const numbered = { ...upload, number };
  await sendBytes(host, numbered, pending, isReserved);
  const build = await complete(api, numbered, pending);
  // The server may have had the package already. Ids are ordered by time.
  const isOlder =
    pending.pending_upload_id.length === build.identifier.length && build.identifier < pending.pending_upload_id;
  return { build, isNew: !isOlder, mayBeReleased: !isReserved };
}

/**
 * Starts an upload that reserves nothing, so that the command can be repeated after it was interrupted; a reservation would block it for
 * an hour. Returns undefined if the version and number have to be reserved, or are taken by a new build.
 */
async function leaveToPackage(api: Api, upload: PackageUpload): Promise<StartedUpload | undefined> {
  const { version_name: version, build_number: number, isOwn } = upload.identity;
  if (!isOwn || number === undefined || upload.takesNextNumber) return undefined;
  const newest = await listNewest(api, upload.project, 'all');
  if (newest.some((build) => build.version_name === version && build.build_number === number)) return undefined;
  try {
    return { pending: await initiate(api, upload, { identity_from_package: true }), number, isReserved: false };
  } catch (error) {
    if (!(error instanceof ApiRefusal)) throw error;
    if (MissingFields.safeParse(error.details).success) return undefined;
    throw await explainRefusal(api, error, { ...upload, number });
  }
}

/** Explains the refusal of an upload whose version and number are taken; returns others unchanged. Throws Refusal for a revoked build. */
async function explainRefusal(api: Api, error: ApiRefusal, upload: NumberedUpload): Promise<Refusal> {
  if (error.status !== 409) return error;
  const holder = await findClaimingBuild(api, error);
  if (holder !== undefined && isSamePackage(holder, upload)) requireActive(holder);
  return explainClaim(error, upload, holder);
}

async function claimNumber(api: Api, upload: PackageUpload): Promise<{ build: Build } | StartedUpload> {
  const { identity } = upload;
  const own = identity.build_number;
  const mayTakeNext = upload.takesNextNumber || own === undefined;
  let number = own;
  for (let attempt = 1; ; attempt += 1) {
    if (number === undefined) {
      const build = await findAmongNewest(api, upload);
      if (build !== undefined) return { build };
      number = await readNextNumber(api, upload.project);
    }
    const numbered = { ...upload, number };
    try {
      const claim = { version_name: identity.version_name, build_number: number };
      return { pending: await initiate(api, numbered, claim), number, isReserved: true };
    } catch (error) {
      if (!(error instanceof ApiRefusal) || error.status !== 409) throw error;
      const holder = await findClaimingBuild(api, error);
      if (holder !== undefined && isSamePackage(holder, upload)) return { build: requireActive(holder) };
      if (!mayTakeNext || attempt === MAX_NUMBERS) throw explainClaim(error, numbered, holder);
      number = undefined;
    }
  }
}

function isSamePackage(build: Build, { identity, file, sha256 }: PackageUpload): boolean {
  return (
    build.sha256.toLowerCase() === sha256 &&
    build.size_bytes === file.size &&
    build.version_name === identity.version_name
  );
}

function requireActive(build: Build): Build {
  if (typeof build.revoked_at !== 'string') return build;
  throw new Refusal(`this package was already uploaded as build ${build.identifier}, which was revoked`);
}

/** Returns the build with the claimed version and number, or undefined for a pending upload or if the token can't read builds. */
async function findClaimingBuild(api: Api, { details }: ApiRefusal): Promise<Build | undefined> {
  const id = typeof details === 'object' && details !== null && 'build_id' in details ? details.build_id : undefined;
  if (typeof id !== 'string') return undefined;
  try {
    return await api.send({ method: 'GET', path: `/builds/${encodeURIComponent(id)}` }, Build);
  } catch (error) {
    if (error instanceof ApiRefusal) return undefined;
    throw error;
  }
}

async function findAmongNewest(api: Api, upload: PackageUpload): Promise<Build | undefined> {
  const newest = await listNewest(api, upload.project, 'active');
  return newest.find((build) => isSamePackage(build, upload));
}

/** Returns the newest builds of a project, or none if the token can't read builds. */
async function listNewest(api: Api, project: Project, status: 'active' | 'all'): Promise<Build[]> {
  const query = { ...inProject(project), status, limit: MAX_COMPARED };
  try {
    return (await api.send({ method: 'GET', path: '/builds', query }, pageOf(Build))).items;
  } catch (error) {
    if (error instanceof ApiRefusal) return [];
    throw error;
  }
}

async function readNextNumber(api: Api, project: Project): Promise<number> {
  const request = { method: 'GET', path: '/builds/next-number', query: inProject(project) } as const;
  return (await api.send(request, NextBuildNumber)).build_number;
}

const inProject = (project: Project) => ({ organization_id: project.organization_id, project_id: project.identifier });

function initiate(
  api: Api,
  upload: PackageUpload,
  claim: { version_name?: string; build_number?: number; identity_from_package?: true },
): Promise<PendingUpload> {
  const { project, file, identity, notes, origin } = upload;
  const body = {
    ...claim,
    bundle_identifier: identity.bundle_identifier,
    original_filename: file.name,
    size_bytes: file.size,
    ...(notes === undefined ? {} : { release_notes: notes }),
    ...(origin.source === undefined ? {} : { source: origin.source }),
    ...(origin.labels.length === 0 ? {} : { labels: origin.labels }),
  };
  return api.send({ method: 'POST', path: '/builds/initiate', query: inProject(project), body }, PendingUpload);
}

const describeClaim = ({ identity, number }: NumberedUpload) => plainText(`${identity.version_name} (${number})`);

function explainClaim(error: ApiRefusal, upload: NumberedUpload, holder: Build | undefined): Refusal {
  const { details } = error;
  const isBuild =
    typeof details === 'object' && details !== null && 'claimed_by' in details && details.claimed_by === 'build';
  const next = 'To use the next free build number, add --next-build-number.';
  if (!isBuild) {
    return new Refusal(
      `${error.message}\nVersion ${describeClaim(upload)} is used by another build or by an incomplete upload. ` +
        `Use a new build number or version name, or wait until the incomplete upload expires (by default after an hour). ${next}`,
    );
  }
  const other =
    holder === undefined
      ? ''
      : `Build ${holder.identifier} is another package (SHA-256 ${plainText(holder.sha256)}).\n`;
  return new Refusal(
    `${error.message}\n${other}Use a new build number or version name. ${next} To release the existing build: "taxiway release".`,
  );
}

async function sendBytes(
  host: CommandHost,
  upload: NumberedUpload,
  pending: PendingUpload,
  isReserved: boolean,
): Promise<void> {
  const { file } = upload;
  if (file.size > pending.max_size_bytes) {
    throw new Refusal(`${file.name} has ${file.size} bytes; the server accepts at most ${pending.max_size_bytes}`);
  }
  const progress = createProgress(host, 'uploading', file.size);
  try {
    await sendFile(host, file, { url: pending.upload_url, headers: pending.required_headers }, progress);
  } catch (error) {
    if (!(error instanceof Refusal) || !isReserved) throw error;
    throw new Refusal(
      `${error.message}\nThe incomplete upload reserves version ${describeClaim(upload)} until a few minutes after ` +
        `${plainText(pending.expires_at)}; to try again earlier, use a new build number.`,
    );
  }
}

async function complete(api: Api, upload: NumberedUpload, pending: PendingUpload): Promise<Build> {
  const { project, file, sha256 } = upload;
  const request = {
    method: 'POST',
    path: `/builds/${encodeURIComponent(pending.pending_upload_id)}/complete`,
    query: inProject(project),
    body: { sha256 },
    isRepeatable: true,
  } as const;
  const build = await api.send(request, Build).catch(async (error: unknown) => {
    throw error instanceof ApiRefusal ? await explainRefusal(api, error, upload) : error;
  });
  if (build.sha256 === sha256 && build.size_bytes === file.size) return build;
  throw new Refusal(
    `the uploaded file differs from ${file.name}: ${build.size_bytes} bytes, SHA-256 ${plainText(build.sha256)}; ` +
      `expected ${file.size} bytes, ${sha256} (build ${build.identifier})`,
  );
}
