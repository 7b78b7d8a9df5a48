// Operations for the members of a project.
import { empty, fromPath, type Operation, operation } from '../../http/operation.ts';
import { pageQuery } from '../../lib/shapes.ts';
import * as z from '../../lib/zod.ts';
import { inProjectPath } from '../schema.ts';
import { locateProject } from '../store.ts';
import { inProjectMemberPath, projectMember, projectMemberChange, projectMemberPage } from './schema.ts';
import { changeProjectMember, listProjectMembers, removeProjectMember } from './service.ts';

const tag = 'Projects';
const access = {
  kind: 'project',
  permission: 'project.manage_members',
  tenant: fromPath('project_id', locateProject),
} as const;

export const projectMemberRoutes: Operation[] = [
  operation({
    id: 'listProjectMembers',
    tag,
    summary: 'List the members of a project',
    description: "Managers and admins of the organization have access to all projects and aren't listed here.",
    method: 'get',
    path: '/api/v1/projects/{project_id}/members',
    access,
    params: inProjectPath,
    query: z.object(pageQuery),
    returns: projectMemberPage,
    status: 200,
    handle: (ctx, { query }) => listProjectMembers(ctx, query),
  }),
  operation({
    id: 'updateProjectMember',
    tag,
    summary: 'Change the role of a project member',
    method: 'patch',
    path: '/api/v1/projects/{project_id}/members/{developer_id}',
    access,
    params: inProjectMemberPath,
    body: projectMemberChange,
    returns: projectMember,
    status: 200,
    handle: (ctx, { params, body }) => changeProjectMember(ctx, params.developer_id, body),
  }),
  operation({
    id: 'removeProjectMember',
    tag,
    summary: 'Remove a member from a project',
    method: 'delete',
    path: '/api/v1/projects/{project_id}/members/{developer_id}',
    access,
    params: inProjectMemberPath,
    returns: empty,
    status: 204,
    handle: (ctx, { params }) => removeProjectMember(ctx, params.developer_id),
  }),
];
