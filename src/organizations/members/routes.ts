// Operations for the members of an organization.
import { empty, fromPath, type Operation, operation } from '../../http/operation.ts';
import { inOrganizationPath, pageQuery } from '../../lib/shapes.ts';
import * as z from '../../lib/zod.ts';
import { inMemberPath, organizationMember, organizationMemberChange, organizationMemberPage } from './schema.ts';
import { changeMember, listMembers, removeMember } from './service.ts';

const tag = 'Organizations';
const tenant = fromPath('organization_id');

export const organizationMemberRoutes: Operation[] = [
  operation({
    id: 'listOrganizationMembers',
    tag,
    summary: 'List the members of an organization',
    method: 'get',
    path: '/api/v1/organizations/{organization_id}/members',
    access: { kind: 'organization', permission: 'organization.list_members', tenant },
    params: inOrganizationPath,
    query: z.object(pageQuery),
    returns: organizationMemberPage,
    status: 200,
    handle: (ctx, { query }) => listMembers(ctx, query),
  }),
  operation({
    id: 'updateOrganizationMember',
    tag,
    summary: 'Change the role of a member',
    description: 'Managers can only manage members. Admins can also manage managers and admins.',
    method: 'patch',
    path: '/api/v1/organizations/{organization_id}/members/{developer_id}',
    access: { kind: 'organization', permission: 'organization.manage_members', tenant },
    params: inMemberPath,
    body: organizationMemberChange,
    returns: organizationMember,
    status: 200,
    handle: (ctx, { params, body }) => changeMember(ctx, params.developer_id, body),
  }),
  operation({
    id: 'removeOrganizationMember',
    tag,
    summary: 'Remove a member, or leave',
    description: "Also removes the memberships in the organization's projects. All members can remove themselves.",
    method: 'delete',
    path: '/api/v1/organizations/{organization_id}/members/{developer_id}',
    access: {
      kind: 'organization',
      permission: 'organization.manage_members',
      ofOneself: { parameter: 'developer_id', permission: 'organization.leave' },
      tenant,
    },
    params: inMemberPath,
    returns: empty,
    status: 204,
    handle: (ctx, { params }) => removeMember(ctx, params.developer_id),
  }),
];
