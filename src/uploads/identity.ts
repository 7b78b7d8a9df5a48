// The identity of an upload (project, version name, build number): reserved by initiate, or read from the package by complete
// (docs/specification/builds.md#upload).

import { deriveBuildNumber } from '../builds/build-number.ts';
import { initiateBody } from '../builds/schema.ts';
import { chooseNextNumber } from '../builds/service.ts';
import * as store from '../builds/store.ts';
import type { App, Tx } from '../core/context.ts';
import type { InspectionOutcome } from '../inspection/inspect.ts';
import { AppError } from '../lib/errors.ts';

/** What an inspection found in a package that isn't rejected. */
export type KeptOutcome = Exclude<InspectionOutcome, { status: 'rejected' }>;

/** What a build's identity will be. If initiate hasn't reserved it, another build may have it, and the number may still be open. */
export type OwnIdentity =
  | { isReserved: true; versionName: string; buildNumber: number }
  | { isReserved: false; versionName: string; buildNumber: number | undefined };

/**
 * Returns the identity of a build: what initiate sent, completed from the package. The number is undefined if the package has none
 * that can be derived. Throws `invalid_input` for a missing version name; the bytes stay, so that others can replace them.
 */
export function readIdentity(pending: store.PendingRow, outcome: KeptOutcome): OwnIdentity {
  if (isWhole(pending)) {
    return { isReserved: true, versionName: pending.versionName, buildNumber: pending.buildNumber };
  }
  if (outcome.status === 'unreadable') {
    throw new AppError(
      'invalid_input',
      `The package can't be read: ${outcome.reason} Send version_name and build_number with initiate to upload it anyway`,
    );
  }
  const versionName = pending.versionName ?? outcome.inspection.version_name;
  if (versionName === null || versionName === undefined || !isVersionName(versionName)) {
    throw new AppError('invalid_input', 'The package has no usable version name. Send version_name with initiate');
  }
  const buildNumber = pending.buildNumber ?? deriveBuildNumber(outcome.inspection.build_number);
  return { isReserved: false, versionName, buildNumber };
}

/** Whether initiate would accept a version name of a package. */
function isVersionName(text: string): boolean {
  return initiateBody.shape.version_name.safeParse(text).success;
}

/** Whether an upload has its whole identity, which it then reserves. */
export function isWhole<Row extends store.PendingRow>(
  row: Row,
): row is Row & { versionName: string; buildNumber: number } {
  return row.versionName !== null && row.buildNumber !== null;
}

/** Returns the number of a new build: the next free one if it's open. Throws `already_exists` if the identity is taken. */
export function claimNumber(tx: Tx, projectId: string, { isReserved, versionName, buildNumber }: OwnIdentity): number {
  if (buildNumber === undefined) {
    let next = chooseNextNumber(tx, projectId);
    // Another upload may be getting it from its package.
    while (tx.locks.isHeld(identityLock({ projectId, versionName, buildNumber: next }))) next += 1;
    return next;
  }
  if (!isReserved) refuseClaimed(store.findClaim(tx, { projectId, versionName, buildNumber }));
  return buildNumber;
}

/**
 * Throws `already_exists` if a build, a pending upload, or one that is being completed has the identity that an upload reserves with
 * initiate.
 */
export function refuseReserved(tx: Tx, identity: store.Identity): void {
  refuseClaimed(store.findClaim(tx, identity) ?? findReservation(tx, identity));
}

/** The lock that reserves an identity while an upload that got it from its package is completed. */
export function identityLock({ projectId, versionName, buildNumber }: store.Identity): string {
  return `identity ${projectId} ${buildNumber} ${versionName}`;
}

function findReservation({ locks }: Pick<App, 'locks'>, identity: store.Identity): store.Claim | undefined {
  return locks.isHeld(identityLock(identity)) ? { by: 'upload' } : undefined;
}

/** Throws if another build or upload has the version and build number. */
export function refuseClaimed(claim: store.Claim | undefined): void {
  if (claim?.by === 'build') {
    throw new AppError('already_exists', 'A build with this version name and build number already exists', {
      claimed_by: 'build',
      build_id: claim.buildId,
    });
  }
  if (claim !== undefined) {
    throw new AppError(
      'already_exists',
      'A pending upload has this version name and build number. It must be completed, or expire and be cleaned up',
      { claimed_by: 'pending_upload' },
    );
  }
}
