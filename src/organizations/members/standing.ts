// What follows when somebody's roles become lower: what they gave others in their name is worth no more than they are.

import type { Tx } from '../../core/context.ts';
import { lapseInvitations } from '../../invitations/standing.ts';
import { lapseChannelInvitations } from '../../testers/invitations/standing.ts';
import { tellOfLimitedTokens } from '../../tokens/owners.ts';
import { listOwnedTokens } from '../../tokens/store.ts';

/** Whose roles change, and in which organization; in all of theirs if none is given. */
export interface RoleChange {
  developerId: string;
  organizationId?: string;
}

/**
 * Runs a change of somebody's roles and draws its consequences in the same transaction: invitations that they sent and could
 * not give any more lapse, and the admins of projects are told which access tokens of theirs stopped or became weaker.
 */
export function changeRoles<T>(tx: Tx, { developerId, organizationId }: RoleChange, change: () => T): T {
  const before = listOwnedTokens(tx, developerId, organizationId);
  const result = change();
  tellOfLimitedTokens(tx, developerId, before, listOwnedTokens(tx, developerId, organizationId));
  lapseInvitations(tx, { developerId, organizationId });
  lapseChannelInvitations(tx, { developerId, organizationId });
  return result;
}
