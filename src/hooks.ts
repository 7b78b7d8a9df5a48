// Domain code that runs in transactions of other domains, which must not import it.
import { endBillingOf } from './billing/cancellation.ts';
import { meterMovedPackage } from './billing/gates.ts';
import { countSeats, startBilling } from './billing/lifecycle.ts';
import type { Hooks } from './core/context.ts';
import { endEnrollmentsOf } from './enrollment/store.ts';
import { endFeedTokensOf } from './feeds/tokens.ts';
import { revokeInvitationsOfRemoved } from './invitations/removed-member.ts';
import { endInvitationsOf, revokeUnbackedInvitations } from './invitations/sender-role.ts';
import { endShareLinksOf } from './share-links/service.ts';
import { queueNewDevice } from './stores/queue.ts';
import { announceRelease } from './testers/announcements/service.ts';
import { endChannelInvitationsOf, revokeUnbackedChannelInvitations } from './testers/invitations/sender-role.ts';
import { noteMemberRemoval } from './testers/join-links/removals.ts';
import { endJoinLinksOf, revokeUnbackedJoinLinks } from './testers/join-links/sender-role.ts';
import { checkWaitingDevices } from './testers/waiting-devices/service.ts';
import { disownTokens, watchOwnedTokens } from './tokens/owners.ts';

export const hooks: Hooks = {
  roleChange: [
    watchOwnedTokens,
    (tx, change) => () => revokeUnbackedInvitations(tx, change),
    (tx, change) => () => revokeInvitationsOfRemoved(tx, change),
    (tx, change) => () => revokeUnbackedChannelInvitations(tx, change),
    (tx, change) => () => revokeUnbackedJoinLinks(tx, change),
    (tx, change) => () => noteMemberRemoval(tx, change),
  ],
  accountTakenOver: [
    disownTokens,
    endShareLinksOf,
    endFeedTokensOf,
    endInvitationsOf,
    endChannelInvitationsOf,
    endJoinLinksOf,
    endEnrollmentsOf,
  ],
  currentChanged: [checkWaitingDevices],
  organizationCreated: [startBilling],
  membersChanged: [countSeats],
  organizationRemoved: [endBillingOf],
  deviceAdded: [queueNewDevice],
  releaseCreated: [announceRelease],
  packageMoved: [meterMovedPackage],
};
