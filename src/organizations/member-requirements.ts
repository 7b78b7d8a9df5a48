// The requirements for members apply to members who act as testers too.

import type { DeveloperContext } from '../core/context.ts';
import { authorize } from '../http/access.ts';
import { fromQuery } from '../http/operation.ts';
import { findMember } from './members/store.ts';

const access = { kind: 'organization', permission: 'organization.read', tenant: fromQuery } as const;

/**
 * Checks the requirements of an organization for its members, such as two-factor authentication. Does nothing for other
 * people. Throws `mfa_enrollment_required`.
 */
export function checkMemberRequirements(ctx: DeveloperContext, organizationId: string): void {
  if (findMember(ctx, organizationId, ctx.actor.id) === undefined) return;
  // Checked as a read: the operation itself checks locks, and may be a download.
  const asRead = { ...ctx, request: { ...ctx.request, method: 'GET' } };
  authorize(access, asRead, {}, { organization_id: organizationId });
}
