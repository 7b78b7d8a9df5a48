// What membership asks of somebody who comes as a tester.

import type { DeveloperContext } from '../core/context.ts';
import { authorize } from '../http/access.ts';
import { fromQuery } from '../http/operation.ts';
import { findMember } from '../organizations/members/store.ts';

const access = { kind: 'organization', permission: 'organization.read', tenant: fromQuery } as const;

/**
 * Holds members of an organization to what it asks of members, such as a second factor, whichever way they come. Others it
 * does not concern. Throws mfa_enrollment_required.
 */
export function checkMemberRequirements(ctx: DeveloperContext, organizationId: string): void {
  if (findMember(ctx, organizationId, ctx.actor.id) === undefined) return;
  // Asked as a read: whether a lock refuses is for the operation, which may be a download.
  const asRead = { ...ctx, request: { ...ctx.request, method: 'GET' } };
  authorize(access, asRead, {}, { organization_id: organizationId });
}
