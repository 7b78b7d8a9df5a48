// Domain code that runs in transactions of other domains, which must not import it.
import type { Hooks } from './core/context.ts';
import { revokeUnbackedInvitations } from './invitations/sender-role.ts';
import { announceRelease } from './testers/announcements/service.ts';
import { revokeUnbackedChannelInvitations } from './testers/invitations/sender-role.ts';
import { noteMemberRemoval } from './testers/join-links/removals.ts';
import { revokeUnbackedJoinLinks } from './testers/join-links/sender-role.ts';
import { checkWaitingDevices } from './testers/waiting-devices/service.ts';
import { watchOwnedTokens } from './tokens/owners.ts';

export const hooks: Hooks = {
  roleChange: [
    watchOwnedTokens,
    (tx, change) => () => revokeUnbackedInvitations(tx, change),
    (tx, change) => () => revokeUnbackedChannelInvitations(tx, change),
    (tx, change) => () => revokeUnbackedJoinLinks(tx, change),
    (tx, change) => () => noteMemberRemoval(tx, change),
  ],
  currentChanged: [checkWaitingDevices],
  releaseCreated: [announceRelease],
};
