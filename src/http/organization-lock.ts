// The lock of an organization: what it rejects, and with which code (docs/specification/organizations.md#lock). The HTTP
// layer checks it for every operation with a tenant. Services check it where the organization is only known later: for public
// links and invitations.

import type { organizations } from '../data/tables/tables.ts';
import { AppError } from '../lib/errors.ts';

/** Why an organization is locked; null if it isn't. */
export type LockReason = (typeof organizations.$inferSelect)['lockReason'];

const lockCodes = {
  suspended: 'billing_suspended',
  awaiting_payment: 'payment_required',
  grace: 'trial_ended',
} as const;

/** Whether a lock rejects new download links; a suspended organization can still serve downloads. */
export function blocksDownloads(lockReason: LockReason): lockReason is Exclude<LockReason, null | 'suspended'> {
  return lockReason !== null && lockReason !== 'suspended';
}

/** Throws the code of the lock if new download links aren't allowed. */
export function checkDownloadLock(lockReason: LockReason): void {
  if (blocksDownloads(lockReason)) throw locked(lockReason);
}

/** Throws the code of the lock if writes aren't allowed. */
export function checkWriteLock(lockReason: LockReason): void {
  if (lockReason !== null) throw locked(lockReason);
}

function locked(lockReason: NonNullable<LockReason>): AppError {
  return new AppError(lockCodes[lockReason], undefined, { lock_reason: lockReason });
}
