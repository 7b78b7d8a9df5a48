// The requirements for members apply to members who act as testers too, and those for the sign-in to all testers.

import type { DeveloperContext } from '../core/context.ts';
import { authorize, checkSignInMethod } from '../http/access.ts';
import { fromQuery } from '../http/operation.ts';
import { findMember } from './members/store.ts';
import { loadOrganization } from './store.ts';

const access = { kind: 'organization', permission: 'organization.read', tenant: fromQuery } as const;

/**
 * Checks the requirements of an organization for a tester: how the session began, and for its members also those for members,
 * such as two-factor authentication. Throws `mfa_enrollment_required`, and `permission_denied` if the organization doesn't allow
 * signing in by email.
 */
export function checkMemberRequirements(ctx: DeveloperContext, organizationId: string): void {
  if (findMember(ctx, organizationId, ctx.actor.id) === undefined) {
    if (ctx.actor.isByEmail) checkSignInMethod(ctx.actor, loadOrganization(ctx, organizationId));
    return;
  }
  // Checked as a read: the operation itself checks locks, and may be a download.
  const asRead = { ...ctx, request: { ...ctx.request, method: 'GET' } };
  authorize(access, asRead, {}, { organization_id: organizationId });
}
