// The data stored about a person as a tester, for the archive of personal data. Without token hashes.
import { and, eq, isNull, or } from 'drizzle-orm';
import type { App } from '../core/context.ts';
import {
  accessRequests,
  channelInvitations,
  channelMutes,
  joinLinkSignUps,
  joinLinks,
  testerGrants,
  testerGroupMembers,
  testerRemovals,
} from '../data/tables/tables.ts';

/**
 * Returns rows by subject. `verifiedEmail` is empty while the address isn't verified, because its pending access may
 * belong to another person.
 */
export function collectTesterData({ db }: Pick<App, 'db'>, developerId: string, verifiedEmail: string) {
  return {
    tester_grants: db
      .select()
      .from(testerGrants)
      .where(
        or(
          eq(testerGrants.developerId, developerId),
          and(eq(testerGrants.email, verifiedEmail), isNull(testerGrants.developerId)),
        ),
      )
      .all(),
    tester_groups: db
      .select()
      .from(testerGroupMembers)
      .where(
        or(
          eq(testerGroupMembers.developerId, developerId),
          and(eq(testerGroupMembers.email, verifiedEmail), isNull(testerGroupMembers.developerId)),
        ),
      )
      .all(),
    channel_invitations: db
      .select()
      .from(channelInvitations)
      .where(or(eq(channelInvitations.acceptedBy, developerId), eq(channelInvitations.email, verifiedEmail)))
      .all()
      .map(({ tokenHash: _hash, ...invitation }) => invitation),
    join_links: db
      .select()
      .from(joinLinks)
      .where(eq(joinLinks.createdBy, developerId))
      .all()
      .map(({ tokenHash: _hash, ...link }) => link),
    join_link_sign_ups: db.select().from(joinLinkSignUps).where(eq(joinLinkSignUps.developerId, developerId)).all(),
    tester_removals: db.select().from(testerRemovals).where(eq(testerRemovals.developerId, developerId)).all(),
    // Without the channel and the answer, which would show whether the channel exists.
    access_requests: db
      .select({ id: accessRequests.id, createdAt: accessRequests.createdAt })
      .from(accessRequests)
      .where(eq(accessRequests.developerId, developerId))
      .all(),
    muted_channels: db.select().from(channelMutes).where(eq(channelMutes.developerId, developerId)).all(),
  };
}
