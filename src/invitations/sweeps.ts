// The cleanup job of expired invitations.
import type { Sweep } from '../core/context.ts';
import { deleteInSteps } from '../core/transact-steps.ts';
import { sweepTesters } from '../testers/sweeps.ts';
import { deleteLapsedInvitations } from './store.ts';

const MAX_INVITATIONS = 1_000;

/** Deletes expired invitations, including those of testers. The audit trail still shows them. */
export const invitationSweep: Sweep = {
  name: 'invitations',
  deletesByAge: true,
  schedule: '47 * * * *',
  async run(ctx) {
    const members = await deleteInSteps(ctx, MAX_INVITATIONS, deleteLapsedInvitations);
    return members + (await sweepTesters(ctx, MAX_INVITATIONS));
  },
};
