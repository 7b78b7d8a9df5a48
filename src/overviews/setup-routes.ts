// Operations for the setup checklist of an organization.
import { fromPath, interactive, type Operation, operation } from '../http/operation.ts';
import { inOrganizationPath } from '../lib/shapes.ts';
import { changeSetup, readSetup, sendTestEmail } from './setup.ts';
import { setupChange, setupState, testEmail } from './setup-schema.ts';

const path = '/api/v1/organizations/{organization_id}/setup';
const access = {
  kind: 'organization',
  permission: 'organization.create_project',
  tenant: fromPath('organization_id'),
} as const;

export const setupStateRoutes: Operation[] = [
  operation({
    id: 'getSetup',
    tag: 'Organizations',
    summary: 'Setup checklist of an organization',
    description:
      'Shows whether there is a project, an install on a phone and a colleague. Operators also see whether phones can reach the server, ' +
      'https, email, and whether a backup was confirmed.',
    method: 'get',
    path,
    access,
    params: inOrganizationPath,
    returns: setupState,
    status: 200,
    handle: (ctx) => readSetup(ctx),
  }),
  operation({
    id: 'changeSetup',
    tag: 'Organizations',
    summary: 'Hide or show the setup checklist, or confirm the backup',
    description: 'The checklist is only hidden for the caller. Operators confirm the backup, for all of them.',
    method: 'patch',
    path,
    access,
    params: inOrganizationPath,
    body: setupChange,
    returns: setupState,
    status: 200,
    handle: (ctx, { body }) => changeSetup(ctx, body),
  }),
  operation({
    id: 'sendTestEmail',
    tag: 'Operator',
    summary: "Send a test email to the operator's own address",
    method: 'post',
    path: '/api/v1/system/test-email',
    access: interactive,
    isInternal: true,
    returns: testEmail,
    status: 202,
    errors: [400, 404],
    handle: (ctx) => sendTestEmail(ctx),
  }),
];
