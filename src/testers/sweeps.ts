// What the sweep of invitations does for testers.

import type { Context } from '../core/context.ts';
import { DAY } from '../lib/clock.ts';
import { tidyAnnouncements } from './announcements/service.ts';
import { deleteEndedInvitations } from './invitations/store.ts';

/** An accepted invitation stays in the list for a while, so that it shows who came by it. */
const ACCEPTED_KEPT_MS = 30 * DAY;

/** Removes lapsed invitations into channels and takes up what stalled; answers how many rows went, at most `most` of each kind. */
export function sweepTesters(ctx: Context, most: number): number {
  const invitations = ctx.transact((tx) => deleteEndedInvitations(tx, tx.now - ACCEPTED_KEPT_MS, most), {
    bookkeeping: true,
  });
  return invitations + tidyAnnouncements(ctx, most);
}
