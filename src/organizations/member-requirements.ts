// The requirements for members apply to members who act as testers too, and those for the sign-in to all testers.

import { mayWrite } from '../core/actor.ts';
import type { Context, DeveloperContext } from '../core/context.ts';
import type { developers } from '../data/tables/tables.ts';
import { authorize, checkSignInMethod } from '../http/access.ts';
import { fromQuery } from '../http/operation.ts';
import { AppError } from '../lib/errors.ts';
import { ALL_SCOPES } from '../permissions.ts';
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

/**
 * Returns whether a token without a session may still act for a person: as their personal access token would be accepted, with the
 * requirements for members if they are one.
 */
export function admitsTokenOf(
  ctx: Context,
  organizationId: string,
  developer: typeof developers.$inferSelect,
): boolean {
  if (developer.lockedAt !== null || !mayWrite(developer)) return false;
  if (findMember(ctx, organizationId, developer.id) === undefined) return true;
  const actor = {
    kind: 'personal_access_token' as const,
    id: developer.id,
    name: '',
    developerId: developer.id,
    organizationId,
    scopes: ALL_SCOPES,
    mayWrite: true,
    factors: { hasTotp: developer.totpEnabledAt !== null, hasPasskey: developer.passkeyCount > 0 },
  };
  try {
    authorize(
      access,
      { ...ctx, actor, request: { ...ctx.request, method: 'GET' } },
      {},
      { organization_id: organizationId },
    );
    return true;
  } catch (error) {
    if (error instanceof AppError) return false;
    throw error;
  }
}
