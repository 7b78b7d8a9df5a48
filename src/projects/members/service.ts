// The rules for project members.

import type { ProjectContext } from '../../core/context.ts';
import { type Page, type PageRequest, readPageByTime } from '../../core/paging.ts';
import { changeRoles } from '../../core/role-changes.ts';
import { timestamp } from '../../lib/clock.ts';
import { notFound } from '../../lib/errors.ts';
import type { ProjectMember, ProjectMemberChange } from './schema.ts';
import {
  deleteProjectMembership,
  findProjectMember,
  listProjectMemberRows,
  type ProjectMemberRow,
  updateProjectMembership,
} from './store.ts';

function toProjectMember(row: ProjectMemberRow): ProjectMember {
  return {
    developer_id: row.id,
    email: row.email,
    display_name: row.displayName,
    role: row.role,
    created_at: timestamp(row.createdAt),
  };
}

/** Returns the members of the project, newest first. */
export function listProjectMembers(ctx: ProjectContext, request: PageRequest): Page<ProjectMember> {
  return readPageByTime(
    ctx,
    request,
    (before, limit) => listProjectMemberRows(ctx, { projectId: ctx.project.id, before, limit }),
    toProjectMember,
  );
}

/** Changes the role of a project member. Throws `not_found` for other people. */
export function changeProjectMember(
  ctx: ProjectContext,
  developerId: string,
  { role }: ProjectMemberChange,
): ProjectMember {
  return ctx.transact((tx) => {
    const { id: projectId } = ctx.project;
    const { id: organizationId } = ctx.organization;
    const row = findProjectMember(tx, projectId, developerId);
    if (row === undefined) throw notFound();
    if (row.role === role) return toProjectMember(row);
    changeRoles(tx, { developerId, organizationId }, () => updateProjectMembership(tx, projectId, developerId, role));
    tx.record('project_membership.edited', {
      identifier: developerId,
      organizationId,
      projectId,
      details: { project_id: projectId, developer_id: developerId, changed: { role: { from: row.role, to: role } } },
    });
    return toProjectMember({ ...row, role });
  });
}

/** Removes a member from the project. Throws `not_found` for other people. */
export function removeProjectMember(ctx: ProjectContext, developerId: string): void {
  ctx.transact((tx) => {
    const { id: projectId } = ctx.project;
    const { id: organizationId } = ctx.organization;
    const row = findProjectMember(tx, projectId, developerId);
    if (row === undefined) throw notFound();
    changeRoles(tx, { developerId, organizationId, removedFrom: projectId }, () =>
      deleteProjectMembership(tx, projectId, developerId),
    );
    tx.record('project_membership.deleted', {
      identifier: developerId,
      organizationId,
      projectId,
      details: { project_id: projectId, developer_id: developerId, role: row.role },
    });
  });
}
