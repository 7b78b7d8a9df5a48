// The links that this tab sends packages to, one for each project, version and build number.
import type { PendingUpload } from '../../builds/schema.ts';
import type { Project } from '../../projects/schema.ts';
import type { Client } from '../api/client.ts';
import { ApiError } from '../api/errors.ts';
import { TransferError } from './transfer.ts';

/** The server reserves the version and build number of an expired upload until a cleanup job deletes it. */
export class NumberReserved extends Error {}

export interface BuildNumber {
  versionName: string;
  buildNumber: number;
}

/** The package that a link is for. */
export interface PackageToSend extends BuildNumber {
  project: Project;
  filename: string;
  bundleIdentifier: string | undefined;
  /** Whether another upload of this tab is sending the same version and build number. */
  isSentAlready: boolean;
}

export interface UploadLinks {
  /**
   * Returns this tab's link for the same version and build number if it still works, otherwise a new one. Throws NumberReserved if the
   * server still reserves the number for a link of this tab that has expired.
   */
  provide(wanted: PackageToSend, signal: AbortSignal): Promise<PendingUpload>;
  /** Forgets the link of a package that has become a build. */
  complete(project: Project, number: BuildNumber): void;
  /** Marks the link as expired if the error says so, so that the next attempt requests a new one. */
  noteError(project: Project, number: BuildNumber, error: unknown): void;
}

/** A link that expires within this time isn't used for a new transfer. */
const MARGIN_MS = 5_000;

const MAX_FILENAME_LENGTH = 255;

/** Whether both are the same version and build number of the same project. */
export function isSameNumber(
  left: { project: Project; number: BuildNumber },
  right: { project: Project; number: BuildNumber },
): boolean {
  return keyOf(left.project, left.number) === keyOf(right.project, right.number);
}

function keyOf({ identifier }: Project, { versionName, buildNumber }: BuildNumber): string {
  return JSON.stringify([identifier, versionName, buildNumber]);
}

/** Creates the links of a tab. */
export function createUploadLinks(client: Client): UploadLinks {
  const links = new Map<string, PendingUpload | 'expired'>();

  async function request(wanted: PackageToSend, signal: AbortSignal): Promise<PendingUpload> {
    const { project, filename, bundleIdentifier } = wanted;
    return client.send<PendingUpload>('POST', '/builds/initiate', {
      query: { organization_id: project.organization_id, project_id: project.identifier },
      body: {
        version_name: wanted.versionName,
        build_number: wanted.buildNumber,
        original_filename: filename.slice(0, MAX_FILENAME_LENGTH),
        ...(bundleIdentifier === undefined ? {} : { bundle_identifier: bundleIdentifier }),
      },
      signal,
    });
  }

  return {
    async provide(wanted, signal) {
      const key = keyOf(wanted.project, wanted);
      const known = links.get(key);
      const isUsable = known !== undefined && known !== 'expired' && !wanted.isSentAlready;
      if (isUsable && Date.parse(known.expires_at) - Date.now() > MARGIN_MS) return known;
      try {
        const pending = await request(wanted, signal);
        links.set(key, pending);
        return pending;
      } catch (error) {
        const isReserved = error instanceof ApiError && error.details.claimed_by === 'pending_upload';
        throw known !== undefined && isReserved && !wanted.isSentAlready ? new NumberReserved() : error;
      }
    },
    complete: (project, number) => void links.delete(keyOf(project, number)),
    noteError(project, number, error) {
      const key = keyOf(project, number);
      if (isLinkExpired(error) && links.has(key)) links.set(key, 'expired');
    },
  };
}

/** Returns whether a link no longer works: the storage rejects it, or the server doesn't know the upload. */
function isLinkExpired(error: unknown): boolean {
  if (error instanceof TransferError) return error.status >= 400 && error.status < 500;
  return error instanceof ApiError && (error.status === 404 || error.code === 'operation_not_allowed');
}
