// Operations for the testers of an organization and of a project.
import type { OrganizationContext, ProjectContext } from '../../core/context.ts';
import { empty, fromPath, type Operation, operation } from '../../http/operation.ts';
import { inOrganizationPath } from '../../lib/shapes.ts';
import * as z from '../../lib/zod.ts';
import { inProjectPath } from '../../projects/schema.ts';
import { locateProject } from '../../projects/store.ts';
import { peopleQuery } from '../people.ts';
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
  'An account with this address gets access immediately, verified or not. Otherwise the access is pending, without expiry, ' +
  'until a verified account has the address. The person is notified by email.';
const notifying =
  'Only for pending testers; responds with 404 for others. Responds with 429 for a few ' +
  'minutes after each email, including the first.';

export const testerGrantRoutes: Operation[] = [
  operation({
    id: 'addOrganizationTester',
    tag,
    summary: 'Grant a person tester access to all channels of an organization',
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
    summary: 'List the testers of an organization',
    method: 'get',
    path: inOrganization,
    access: ofOrganization('organization_tester.list'),
    params: inOrganizationPath,
    query: z.object(peopleQuery),
    returns: testerGrantPage,
    status: 200,
    handle: (ctx, { query }) => listTesters(ctx, wholeOrganization(ctx), query),
  }),
  operation({
    id: 'getOrganizationTester',
    tag,
    summary: 'Get a tester of an organization',
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
    summary: 'Resend the email to a pending tester of an organization',
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
    summary: 'Remove a tester from an organization',
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
    summary: 'Grant a person tester access to all channels of a project',
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
    summary: 'List the testers of a project',
    description:
      'Without the testers of the organization and of groups. Use the testers of a channel for a complete list.',
    method: 'get',
    path: inProject,
    access: ofProject('project_tester.list'),
    params: inProjectPath,
    query: z.object(peopleQuery),
    returns: testerGrantPage,
    status: 200,
    handle: (ctx, { query }) => listTesters(ctx, wholeProject(ctx), query),
  }),
  operation({
    id: 'getProjectTester',
    tag,
    summary: 'Get a tester of a project',
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
    summary: 'Resend the email to a pending tester of a project',
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
    summary: 'Remove a tester from a project',
    method: 'delete',
    path: `${inProject}/{grant_id}`,
    access: ofProject('project_tester.manage'),
    params: inProjectGrantPath,
    returns: empty,
    status: 204,
    handle: (ctx, { params }) => removeTester(ctx, wholeProject(ctx), params.grant_id),
  }),
];
