// The lock of an organization: what it rejects, and with which code (docs/specification/organizations.md#lock). The HTTP
// layer checks it for every operation with a tenant. Services check it where the organization is only known later: for public
// links and invitations.

import type { App } from '../core/context.ts';
import { AppError, type ErrorCode } from '../lib/errors.ts';
import type { LockReason } from '../lib/lock-reasons.ts';

const lockCodes: Readonly<Record<LockReason, ErrorCode>> = {
  suspended: 'billing_suspended',
  awaiting_payment: 'payment_required',
  grace: 'trial_ended',
};

/** The stored lock of an organization, and when it advances automatically. */
export interface OrganizationLock {
  lockReason: LockReason | null;
  lockAdvancesAt: number | null;
}

/** Returns the lock that holds now: a trial ends to the millisecond, before a cleanup job stores it. */
export function lockOf(
  { clock }: Pick<App, 'clock'>,
  { lockReason, lockAdvancesAt }: OrganizationLock,
): LockReason | null {
  if (lockReason !== null || lockAdvancesAt === null) return lockReason;
  return clock.time() >= lockAdvancesAt ? 'grace' : null;
}

/** Returns the lock that rejects new download links; a suspended organization can still serve downloads for a while. */
function downloadLockOf(app: Pick<App, 'clock'>, lock: OrganizationLock): LockReason | null {
  const reason = lockOf(app, lock);
  if (reason !== 'suspended') return reason;
  return lock.lockAdvancesAt !== null && app.clock.time() >= lock.lockAdvancesAt ? reason : null;
}

/** Whether a lock rejects new download links. */
export function blocksDownloads(app: Pick<App, 'clock'>, lock: OrganizationLock): boolean {
  return downloadLockOf(app, lock) !== null;
}

/** Throws the code of the lock if new download links aren't allowed. */
export function checkDownloadLock(app: Pick<App, 'clock'>, lock: OrganizationLock): void {
  const reason = downloadLockOf(app, lock);
  if (reason !== null) throw locked(reason);
}

/** Throws the code of the lock if writes aren't allowed. */
export function checkWriteLock(app: Pick<App, 'clock'>, lock: OrganizationLock): void {
  const reason = lockOf(app, lock);
  if (reason !== null) throw locked(reason);
}

function locked(lockReason: LockReason): AppError {
  return new AppError(lockCodes[lockReason], undefined, { lock_reason: lockReason });
}
