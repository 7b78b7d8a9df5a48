// The rules of membership in an organization: managers look after members, admins after everybody, one admin stays.

import { developerIdOf } from '../../core/actor.ts';
import type { Context, OrganizationContext } from '../../core/context.ts';
import { type Page, type PageRequest, readPageByTime } from '../../core/paging.ts';
import { changeRoles } from '../../core/role-changes.ts';
import { timestamp } from '../../lib/clock.ts';
import { AppError, notFound } from '../../lib/errors.ts';
import { type OrganizationRole, organizationRoleReaches } from '../../permissions.ts';
import type { OrganizationMember, OrganizationMemberChange } from './schema.ts';
import {
  countOtherAdmins,
  deleteMembership,
  findMember,
  listMemberRows,
  type MemberRow,
  updateMembership,
} from './store.ts';

function toMember(row: MemberRow): OrganizationMember {
  return {
    developer_id: row.id,
    email: row.email,
    display_name: row.displayName,
    role: row.role,
    created_at: timestamp(row.createdAt),
  };
}

/** The members, the newest first. */
export function listMembers(ctx: OrganizationContext, request: PageRequest): Page<OrganizationMember> {
  return readPageByTime(
    ctx,
    request,
    (before, limit) => listMemberRows(ctx, { organizationId: ctx.organization.id, before, limit }),
    toMember,
  );
}

/**
 * Gives a member another role. Throws not_found for who is no member, insufficient_role when a manager touches or makes
 * anything above a member, and operation_not_allowed when no admin would remain.
 */
export function changeMember(
  ctx: OrganizationContext,
  developerId: string,
  { role }: OrganizationMemberChange,
): OrganizationMember {
  return ctx.transact((tx) => {
    const { id: organizationId, role: ownRole } = ctx.organization;
    const row = findMember(tx, organizationId, developerId);
    if (row === undefined) throw notFound();
    refuseGovernance(ownRole, row.role);
    refuseGovernance(ownRole, role);
    if (row.role === role) return toMember(row);
    if (row.role === 'admin') refuseLastAdmin(tx, organizationId, developerId);
    changeRoles(tx, { developerId, organizationId }, () => updateMembership(tx, organizationId, developerId, role));
    tx.record('organization_membership.edited', {
      identifier: developerId,
      organizationId,
      details: { developer_id: developerId, changed: { role: { from: row.role, to: role } } },
    });
    return toMember({ ...row, role });
  });
}

/**
 * Removes a member with the memberships in the organization's projects. Removing oneself is leaving and open to everybody.
 * Throws as changeMember does; who may not remove others learns nothing of who is there.
 */
export function removeMember(ctx: OrganizationContext, developerId: string): void {
  ctx.transact((tx) => {
    const { id: organizationId, role: ownRole } = ctx.organization;
    const isLeaving = developerId === developerIdOf(ctx.actor);
    if (!isLeaving && (ownRole === undefined || !organizationRoleReaches(ownRole, 'manager'))) {
      throw new AppError('insufficient_role');
    }
    const row = findMember(tx, organizationId, developerId);
    if (row === undefined) throw notFound();
    if (!isLeaving) refuseGovernance(ownRole, row.role);
    if (row.role === 'admin') refuseLastAdmin(tx, organizationId, developerId);
    const projectIds = changeRoles(tx, { developerId, organizationId }, () =>
      deleteMembership(tx, organizationId, developerId),
    );
    tx.record('organization_membership.deleted', {
      identifier: developerId,
      organizationId,
      details: { developer_id: developerId, role: row.role, left: isLeaving, project_ids: projectIds },
    });
  });
}

/** Throws insufficient_role for a role above member, which is the admins' to give, change and take. */
export function refuseGovernance(ownRole: OrganizationRole | undefined, touched: OrganizationRole): void {
  if (touched === 'member' || ownRole === 'admin') return;
  throw new AppError('insufficient_role', 'Managers and admins are looked after by admins only');
}

function refuseLastAdmin(ctx: Context, organizationId: string, developerId: string): void {
  if (countOtherAdmins(ctx, organizationId, developerId) > 0) return;
  throw new AppError('operation_not_allowed', 'An organization keeps at least one admin');
}
