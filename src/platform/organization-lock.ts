// The lock of an organization: what it refuses, and with which code (specification part 7 rule 1). The kernel asks for every
// operation with a tenant; services ask where the organization is known later: behind public links and invitations.
import { AppError } from './errors.ts';
import type { organizations } from './tables/tables.ts';

/** Why an organization is locked; null when it is not. */
export type LockReason = (typeof organizations.$inferSelect)['lockReason'];

const lockCodes = {
  suspended: 'billing_suspended',
  awaiting_payment: 'payment_required',
  grace: 'trial_ended',
} as const;

/** Refuses the minting of a download link; a suspended organization still serves them. Throws the code of the lock. */
export function checkDownloadLock(lockReason: LockReason): void {
  if (lockReason !== null && lockReason !== 'suspended') throw locked(lockReason);
}

/** Refuses a write. Throws the code of the lock. */
export function checkWriteLock(lockReason: LockReason): void {
  if (lockReason !== null) throw locked(lockReason);
}

function locked(lockReason: NonNullable<LockReason>): AppError {
  return new AppError(lockCodes[lockReason], undefined, { lock_reason: lockReason });
}
