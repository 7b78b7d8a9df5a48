// Operations on the testers of an organization and of a project.
import { z } from 'zod';
import type { OrganizationContext, ProjectContext } from '../../core/context.ts';
import { empty, fromPath, type Operation, operation } from '../../http/operation.ts';
import { inOrganizationPath, pageQuery } from '../../lib/shapes.ts';
import { inProjectPath } from '../../projects/schema.ts';
import { locateProject } from '../../projects/store.ts';
import type { Target } from '../target.ts';
import { inOrganizationGrantPath, inProjectGrantPath, testerGrant, testerGrantPage, testerInput } from './schema.ts';
import { addTester, listTesters, notifyTester, readTester, removeTester } from './service.ts';

const tag = 'Testers';
const inOrganization = '/api/v1/organizations/{organization_id}/testers';
const inProject = '/api/v1/projects/{project_id}/testers';

const ofOrganization = (permission: 'organization_tester.list' | 'organization_tester.manage') =>
  ({ kind: 'organization', permission, tenant: fromPath('organization_id') }) as const;
const ofProject = (permission: 'project_tester.list' | 'project_tester.manage') =>
  ({ kind: 'project', permission, tenant: fromPath('project_id', locateProject) }) as const;

const wholeOrganization = ({ organization }: OrganizationContext): Target => ({
  organizationId: organization.id,
  projectId: null,
  channelId: null,
});
const wholeProject = ({ organization, project }: ProjectContext): Target => ({
  organizationId: organization.id,
  projectId: project.id,
  channelId: null,
});

const adding =
  'An account that holds the address has access at once, verified or not. Otherwise the access waits, without an end, ' +
  'until a verified account holds it. The address is told by mail.';
const notifying =
  'Only what is pending is told again; what is active, removed or never was answers 404. Refused with 429 for a few ' +
  'minutes after the last mail, the one on adding included.';

export const testerGrantRoutes: Operation[] = [
  operation({
    id: 'addOrganizationTester',
    tag,
    summary: 'Give somebody access to all channels of an organization',
    description: adding,
    method: 'post',
    path: inOrganization,
    access: ofOrganization('organization_tester.manage'),
    params: inOrganizationPath,
    body: testerInput,
    returns: testerGrant,
    status: 201,
    handle: (ctx, { body }) => addTester(ctx, wholeOrganization(ctx), body.email),
  }),
  operation({
    id: 'listOrganizationTesters',
    tag,
    summary: 'Who was given access to all channels of an organization',
    method: 'get',
    path: inOrganization,
    access: ofOrganization('organization_tester.list'),
    params: inOrganizationPath,
    query: z.object(pageQuery),
    returns: testerGrantPage,
    status: 200,
    handle: (ctx, { query }) => listTesters(ctx, wholeOrganization(ctx), query),
  }),
  operation({
    id: 'getOrganizationTester',
    tag,
    summary: 'Read the access of a tester to an organization',
    method: 'get',
    path: `${inOrganization}/{grant_id}`,
    access: ofOrganization('organization_tester.list'),
    params: inOrganizationGrantPath,
    returns: testerGrant,
    status: 200,
    handle: (ctx, { params }) => readTester(ctx, wholeOrganization(ctx), params.grant_id),
  }),
  operation({
    id: 'notifyOrganizationTester',
    tag,
    summary: 'Write to a pending tester of an organization again',
    description: notifying,
    method: 'post',
    path: `${inOrganization}/{grant_id}/notify`,
    access: ofOrganization('organization_tester.manage'),
    params: inOrganizationGrantPath,
    returns: testerGrant,
    status: 200,
    handle: (ctx, { params }) => notifyTester(ctx, wholeOrganization(ctx), params.grant_id),
  }),
  operation({
    id: 'removeOrganizationTester',
    tag,
    summary: 'Take the access of a tester to an organization away',
    method: 'delete',
    path: `${inOrganization}/{grant_id}`,
    access: ofOrganization('organization_tester.manage'),
    params: inOrganizationGrantPath,
    returns: empty,
    status: 204,
    handle: (ctx, { params }) => removeTester(ctx, wholeOrganization(ctx), params.grant_id),
  }),
  operation({
    id: 'addProjectTester',
    tag,
    summary: 'Give somebody access to all channels of a project',
    description: adding,
    method: 'post',
    path: inProject,
    access: ofProject('project_tester.manage'),
    params: inProjectPath,
    body: testerInput,
    returns: testerGrant,
    status: 201,
    handle: (ctx, { body }) => addTester(ctx, wholeProject(ctx), body.email),
  }),
  operation({
    id: 'listProjectTesters',
    tag,
    summary: 'Who was given access to all channels of a project',
    description: 'Those of the organization and of groups are listed there; the testers of a channel are everybody.',
    method: 'get',
    path: inProject,
    access: ofProject('project_tester.list'),
    params: inProjectPath,
    query: z.object(pageQuery),
    returns: testerGrantPage,
    status: 200,
    handle: (ctx, { query }) => listTesters(ctx, wholeProject(ctx), query),
  }),
  operation({
    id: 'getProjectTester',
    tag,
    summary: 'Read the access of a tester to a project',
    method: 'get',
    path: `${inProject}/{grant_id}`,
    access: ofProject('project_tester.list'),
    params: inProjectGrantPath,
    returns: testerGrant,
    status: 200,
    handle: (ctx, { params }) => readTester(ctx, wholeProject(ctx), params.grant_id),
  }),
  operation({
    id: 'notifyProjectTester',
    tag,
    summary: 'Write to a pending tester of a project again',
    description: notifying,
    method: 'post',
    path: `${inProject}/{grant_id}/notify`,
    access: ofProject('project_tester.manage'),
    params: inProjectGrantPath,
    returns: testerGrant,
    status: 200,
    handle: (ctx, { params }) => notifyTester(ctx, wholeProject(ctx), params.grant_id),
  }),
  operation({
    id: 'removeProjectTester',
    tag,
    summary: 'Take the access of a tester to a project away',
    method: 'delete',
    path: `${inProject}/{grant_id}`,
    access: ofProject('project_tester.manage'),
    params: inProjectGrantPath,
    returns: empty,
    status: 204,
    handle: (ctx, { params }) => removeTester(ctx, wholeProject(ctx), params.grant_id),
  }),
];
