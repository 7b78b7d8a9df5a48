// The rules for organization members: managers manage members, admins manage everyone, and one admin must remain.

import { developerIdOf } from '../../core/actor.ts';
import type { Context, OrganizationContext } from '../../core/context.ts';
import { type Page, type PageRequest, readPageByTime } from '../../core/paging.ts';
import { changeRoles } from '../../core/role-changes.ts';
import { timestamp } from '../../lib/clock.ts';
import { AppError, notFound } from '../../lib/errors.ts';
import type { OrganizationRole } from '../../permissions.ts';
import type { OrganizationMember, OrganizationMemberChange } from './schema.ts';
import {
  deleteMembership,
  findMember,
  hasOtherAdmin,
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
    deletion_pending: row.deletionDueAt !== null,
  };
}

/** Returns the members, newest first. */
export function listMembers(ctx: OrganizationContext, request: PageRequest): Page<OrganizationMember> {
  return readPageByTime(
    ctx,
    request,
    (before, limit) => listMemberRows(ctx, { organizationId: ctx.organization.id, before, limit }),
    toMember,
  );
}

/**
 * Changes the role of a member. Throws `not_found` for other people, `insufficient_role` if a manager changes or grants
 * a role above member, and `operation_not_allowed` if no admin would remain.
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
    checkMayManageRole(ownRole, row.role);
    checkMayManageRole(ownRole, role);
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
 * Removes a member with the memberships in the organization's projects. All members can remove themselves. Throws the
 * errors of changeMember.
 */
export function removeMember(ctx: OrganizationContext, developerId: string): void {
  ctx.transact((tx) => {
    const { id: organizationId, role: ownRole } = ctx.organization;
    const isLeaving = developerId === developerIdOf(ctx.actor);
    const row = findMember(tx, organizationId, developerId);
    if (row === undefined) throw notFound();
    if (!isLeaving) checkMayManageRole(ownRole, row.role);
    if (row.role === 'admin') refuseLastAdmin(tx, organizationId, developerId);
    const projectIds = changeRoles(tx, { developerId, organizationId, removedFrom: organizationId }, () =>
      deleteMembership(tx, organizationId, developerId),
    );
    tx.record('organization_membership.deleted', {
      identifier: developerId,
      organizationId,
      details: { developer_id: developerId, role: row.role, left: isLeaving, project_ids: projectIds },
    });
  });
}

/** Throws `insufficient_role` for a role above member, which only admins can manage. */
export function checkMayManageRole(ownRole: OrganizationRole | undefined, touched: OrganizationRole): void {
  if (touched === 'member' || ownRole === 'admin') return;
  throw new AppError('insufficient_role', 'Only admins can manage managers and admins');
}

function refuseLastAdmin(ctx: Context, organizationId: string, developerId: string): void {
  if (hasOtherAdmin(ctx, organizationId, developerId)) return;
  throw new AppError('operation_not_allowed', 'An organization must have at least one admin');
}
