// Uploads a package: initiate, PUT, complete. Finds a package that was already uploaded instead of uploading it twice.
import { Refusal } from '../../lib/failure.ts';
import { type CommandHost, plainText } from '../host.ts';
import { type Api, ApiRefusal } from './api.ts';
import type { PackageFile, PackageIdentity } from './package-file.ts';
import { createProgress } from './progress.ts';
import { Build, NextBuildNumber, PendingUpload, type Project, pageOf } from './shapes.ts';
import { sendFile } from './transfer.ts';

/** Uploads at the same moment may take the number that the server has just named. */
const MAX_NUMBERS = 5;
/** Of a project, the newest builds among which a package is looked for. */
const MAX_COMPARED = '100';

export interface PackageUpload {
  readonly project: Project;
  readonly file: PackageFile;
  readonly identity: PackageIdentity;
  readonly sha256: string;
  readonly notes: string | undefined;
  /** Take the next free number when version and number belong to another package. */
  readonly takesNextNumber: boolean;
}

/** The build of a package; `isNew` unless the server had it already. */
export interface Delivery {
  readonly build: Build;
  readonly isNew: boolean;
}

interface NumberedUpload extends PackageUpload {
  readonly number: number;
}

/** Sends the package and creates its build, or finds the build that the same bytes became before. Throws Refusal. */
export async function deliver(host: CommandHost, api: Api, parcel: PackageUpload): Promise<Delivery> {
  const claimed = await claimNumber(api, parcel);
  if ('build' in claimed) return { build: claimed.build, isNew: false };
  const numbered = { ...parcel, number: claimed.number };
  await sendBytes(host, numbered, claimed.pending);
  return { build: await complete(api, numbered, claimed.pending), isNew: true };
}

async function claimNumber(
  api: Api,
  parcel: PackageUpload,
): Promise<{ build: Build } | { pending: PendingUpload; number: number }> {
  const { identity } = parcel;
  const own = identity.build_number;
  const mayTakeNext = parcel.takesNextNumber || own === undefined;
  let number = own;
  for (let attempt = 1; ; attempt += 1) {
    if (number === undefined) {
      const build = await findAmongNewest(api, parcel);
      if (build !== undefined) return { build };
      number = await readNextNumber(api, parcel.project);
    }
    const numbered = { ...parcel, number };
    try {
      return { pending: await initiate(api, numbered), number };
    } catch (error) {
      if (!(error instanceof ApiRefusal) || error.status !== 409) throw error;
      const holder = await findAccountByEmail(api, error);
      if (holder !== undefined && isSamePackage(holder, parcel)) return { build: refuseRevoked(holder) };
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

function refuseRevoked(build: Build): Build {
  if (typeof build.revoked_at !== 'string') return build;
  throw new Refusal(`this package was already uploaded as build ${build.identifier}, which was revoked`);
}

/** The build that holds a claimed version and number; undefined for a pending upload and for who may not read builds. */
async function findAccountByEmail(api: Api, { details }: ApiRefusal): Promise<Build | undefined> {
  const id = typeof details === 'object' && details !== null && 'build_id' in details ? details.build_id : undefined;
  if (typeof id !== 'string') return undefined;
  try {
    return await api.send({ method: 'GET', path: `/builds/${encodeURIComponent(id)}` }, Build);
  } catch (error) {
    if (error instanceof ApiRefusal) return undefined;
    throw error;
  }
}

async function findAmongNewest(api: Api, parcel: PackageUpload): Promise<Build | undefined> {
  const query = { ...inProject(parcel.project), limit: MAX_COMPARED };
  try {
    const { items } = await api.send({ method: 'GET', path: '/builds', query }, pageOf(Build));
    return items.find((build) => isSamePackage(build, parcel));
  } catch (error) {
    if (error instanceof ApiRefusal) return undefined;
    throw error;
  }
}

async function readNextNumber(api: Api, project: Project): Promise<number> {
  const request = { method: 'GET', path: '/builds/next-number', query: inProject(project) } as const;
  return (await api.send(request, NextBuildNumber)).build_number;
}

const inProject = (project: Project) => ({ organization_id: project.organization_id, project_id: project.identifier });

function initiate(api: Api, { project, file, identity, notes, number }: NumberedUpload): Promise<PendingUpload> {
  const body = {
    version_name: identity.version_name,
    build_number: number,
    bundle_identifier: identity.bundle_identifier,
    original_filename: file.name,
    ...(notes === undefined ? {} : { release_notes: notes }),
  };
  return api.send({ method: 'POST', path: '/builds/initiate', query: inProject(project), body }, PendingUpload);
}

const describeClaim = ({ identity, number }: NumberedUpload) => plainText(`${identity.version_name} (${number})`);

function explainClaim(error: ApiRefusal, parcel: NumberedUpload, holder: Build | undefined): Refusal {
  const { details } = error;
  const isBuild =
    typeof details === 'object' && details !== null && 'claimed_by' in details && details.claimed_by === 'build';
  const next = 'To use the next free build number, add --next-build-number.';
  if (!isBuild) {
    return new Refusal(
      `${error.message}\nVersion ${describeClaim(parcel)} is used by another build or by an incomplete upload. ` +
        `Use a new build number or version name, or wait about an hour until the incomplete upload expires. ${next}`,
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

async function sendBytes(host: CommandHost, parcel: NumberedUpload, pending: PendingUpload): Promise<void> {
  const { file } = parcel;
  if (file.size > pending.max_size_bytes) {
    throw new Refusal(`${file.name} has ${file.size} bytes; the server accepts at most ${pending.max_size_bytes}`);
  }
  const progress = createProgress(host, 'uploading', file.size);
  try {
    await sendFile(host, file, { url: pending.upload_url, headers: pending.required_headers }, progress);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    throw new Refusal(
      `${error.message}\nThe incomplete upload reserves version ${describeClaim(parcel)} until a few minutes after ` +
        `${plainText(pending.expires_at)}; to try again earlier, use a new build number.`,
    );
  }
}

async function complete(api: Api, parcel: NumberedUpload, pending: PendingUpload): Promise<Build> {
  const { project, file, sha256 } = parcel;
  const request = {
    method: 'POST',
    path: `/builds/${encodeURIComponent(pending.pending_upload_id)}/complete`,
    query: inProject(project),
    body: { sha256 },
    isRepeatable: true,
  } as const;
  const build = await api.send(request, Build);
  if (build.sha256 === sha256 && build.size_bytes === file.size) return build;
  throw new Refusal(
    `the uploaded file differs from ${file.name}: ${build.size_bytes} bytes, SHA-256 ${plainText(build.sha256)}; ` +
      `expected ${file.size} bytes, ${sha256} (build ${build.identifier})`,
  );
}
