// A join link keeps adding people, so it works only while its creator may still create one.
import type { App, RoleChange, Tx } from '../../core/context.ts';
import { MAX_RECORDED, TAKEN_OVER } from '../../core/role-changes.ts';
import { presentRoles } from '../../organizations/members/roles.ts';
import { projectRoleAllows } from '../../permissions.ts';
import { recordJoinLink } from './record.ts';
import { type JoinLinkRow, listCurrentLinksBy, revokeLink, revokeLinksBy } from './store.ts';

/** Links revoked with a role. The rest is rejected on use, and listed as revoked. */
const MAX = 500;

/** Returns whether the person behind a link may still create join links in its project. */
export function isBackedByCreator(
  app: Pick<App, 'db'>,
  row: Pick<JoinLinkRow, 'organizationId' | 'projectId' | 'backedBy'>,
): boolean {
  const { projectRole } = presentRoles(app, row.backedBy, row);
  return projectRole !== undefined && projectRoleAllows(projectRole, 'channel_invitation.manage');
}

/** Revokes the links of a person who may no longer create them. */
export function revokeUnbackedJoinLinks(tx: Tx, { developerId, organizationId }: RoleChange): void {
  for (const row of listCurrentLinksBy(tx, { developerId, organizationId, limit: MAX })) {
    if (isBackedByCreator(tx, row) || revokeLink(tx, row) === undefined) continue;
    recordJoinLink(tx, 'join_link.revoked', row, { reason: 'sender_role', created_by: developerId });
  }
}

/** Revokes the links of an account that another person may have created. */
export function endJoinLinksOf(tx: Tx, developerId: string): void {
  for (const row of revokeLinksBy(tx, developerId).slice(0, MAX_RECORDED)) {
    recordJoinLink(tx, 'join_link.revoked', row, { reason: TAKEN_OVER, created_by: developerId });
  }
}
