// The part of the invitation cleanup for testers.

import type { Context } from '../core/context.ts';
import { deleteInSteps } from '../core/transact-steps.ts';
import { DAY } from '../lib/clock.ts';
import { tidyAnnouncements } from './announcements/service.ts';
import { deleteEndedInvitations } from './invitations/store.ts';
import { sweepJoinLinks } from './join-links/service.ts';
import { sweepAccessRequests } from './requests/service.ts';

/** Accepted invitations stay listed for a while, to show the origin of the access. */
const ACCEPTED_KEPT_MS = 30 * DAY;

/**
 * Deletes expired channel invitations, join links and requests for access, and resumes stalled announcements. Returns the number of rows deleted, at most
 * `max` of each kind.
 */
export async function sweepTesters(ctx: Context, max: number): Promise<number> {
  const invitations = await deleteInSteps(ctx, max, (tx, rows) =>
    deleteEndedInvitations(tx, tx.now - ACCEPTED_KEPT_MS, rows),
  );
  const links = await sweepJoinLinks(ctx, max);
  const requests = await sweepAccessRequests(ctx, max);
  return invitations + links + requests + (await tidyAnnouncements(ctx, max));
}
