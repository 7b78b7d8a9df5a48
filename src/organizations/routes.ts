// Operations for organizations.
import { empty, fromPath, interactive, media, type Operation, operation } from '../http/operation.ts';
import { bareText } from '../http/reply.ts';
import { imageBody } from '../images/service.ts';
import { inOrganizationPath } from '../lib/shapes.ts';
import * as z from '../lib/zod.ts';
import { organization, organizationChange, organizationInput } from './schema.ts';
import {
  changeOrganization,
  createOrganization,
  listOrganizations,
  readOrganization,
  readOrganizationIcon,
  removeOrganization,
  removeOrganizationIcon,
  setOrganizationIcon,
} from './service.ts';

const tag = 'Organizations';
const params = inOrganizationPath;
const tenant = fromPath('organization_id');

export const organizationRoutes: Operation[] = [
  operation({
    id: 'createOrganization',
    tag,
    summary: 'Create an organization with the caller as its admin',
    description: 'Returns the id as plain text, without quotes and without a Content-Type header.',
    method: 'post',
    path: '/api/v1/organizations',
    access: interactive,
    body: organizationInput,
    returns: media('text/plain'),
    status: 201,
    handle: (ctx, { body }) => bareText(createOrganization(ctx, body)),
  }),
  operation({
    id: 'listOrganizations',
    tag,
    summary: 'List your organizations',
    description: 'Returns a plain array. A token gets only its own organization.',
    method: 'get',
    path: '/api/v1/organizations',
    access: { kind: 'developer', isInteractive: false, admitsProjectToken: true },
    returns: z.array(organization),
    status: 200,
    handle: (ctx) => listOrganizations(ctx),
  }),
  operation({
    id: 'getOrganization',
    tag,
    summary: 'Get an organization',
    method: 'get',
    path: '/api/v1/organizations/{organization_id}',
    access: { kind: 'organization', permission: 'organization.read', tenant },
    params,
    returns: organization,
    status: 200,
    handle: (ctx) => readOrganization(ctx),
  }),
  operation({
    id: 'updateOrganization',
    tag,
    summary: 'Change the name or the sign-in policy of an organization',
    description:
      'If email_sign_in_allowed is false, sessions that began with a code or link in an email get permission_denied with the ' +
      'reason email_sign_in_not_allowed in this organization, those of members as well as of testers.',
    method: 'patch',
    path: '/api/v1/organizations/{organization_id}',
    access: { kind: 'organization', permission: 'organization.edit', tenant },
    params,
    body: organizationChange,
    returns: organization,
    status: 200,
    handle: (ctx, { body }) => changeOrganization(ctx, body),
  }),
  operation({
    id: 'deleteOrganization',
    tag,
    summary: 'Delete an organization that has no projects',
    method: 'delete',
    path: '/api/v1/organizations/{organization_id}',
    access: { kind: 'organization', permission: 'organization.delete', tenant },
    params,
    returns: empty,
    status: 204,
    handle: (ctx) => removeOrganization(ctx),
  }),
  operation({
    id: 'setOrganizationIcon',
    tag,
    summary: 'Set the icon of an organization',
    description: 'PNG, JPEG or WebP, detected from the content.',
    method: 'post',
    path: '/api/v1/organizations/{organization_id}/icon',
    access: { kind: 'organization', permission: 'organization.edit', tenant },
    params,
    body: imageBody,
    returns: organization,
    status: 201,
    errors: [503],
    handle: (ctx, { body }) => setOrganizationIcon(ctx, body),
  }),
  operation({
    id: 'getOrganizationIcon',
    tag,
    summary: 'Icon of an organization, as uploaded',
    method: 'get',
    path: '/api/v1/organizations/{organization_id}/icon',
    access: { kind: 'organization', permission: 'organization.read', tenant },
    params,
    returns: media('image/*'),
    status: 200,
    isConditional: true,
    errors: [503],
    handle: (ctx) => readOrganizationIcon(ctx),
  }),
  operation({
    id: 'deleteOrganizationIcon',
    tag,
    summary: 'Remove the icon of an organization',
    method: 'delete',
    path: '/api/v1/organizations/{organization_id}/icon',
    access: { kind: 'organization', permission: 'organization.edit', tenant },
    params,
    returns: empty,
    status: 204,
    handle: (ctx) => removeOrganizationIcon(ctx),
  }),
];
