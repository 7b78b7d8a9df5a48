// The possible owners of a device: members of the organization and testers with access to it.

import { organizationsReached } from '../channels/audience.ts';
import type { Context } from '../core/context.ts';
import { FIRST_PAGE } from '../core/paging.ts';
import { fieldError } from '../lib/validation.ts';
import { findMember } from '../organizations/members/store.ts';

const MAX_ORGANIZATIONS = 1000;

/** Returns whether a person is a member or tester of an organization. */
export function belongsToOrganization(ctx: Context, organizationId: string, developerId: string): boolean {
  if (findMember(ctx, organizationId, developerId) !== undefined) return true;
  const reached = organizationsReached(ctx, developerId, { before: FIRST_PAGE, limit: MAX_ORGANIZATIONS });
  return reached.some(({ id }) => id === organizationId);
}

/** Rejects an owner from outside of the organization, and unknown accounts with the same error. */
export function checkOwner(ctx: Context, organizationId: string, developerId: string | null | undefined): void {
  if (developerId === null || developerId === undefined) return;
  if (belongsToOrganization(ctx, organizationId, developerId)) return;
  const msg = 'Input should be a member or tester of the organization';
  throw fieldError('body', ['developer_id'], 'value_error', msg);
}
