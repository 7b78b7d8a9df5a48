// The operation for what needs attention in an organization.
import { fromPath, type Operation, operation } from '../http/operation.ts';
import { inOrganizationPath } from '../lib/shapes.ts';
import { listAttention } from './attention.ts';
import { attention } from './attention-schema.ts';

export const attentionRoutes: Operation[] = [
  operation({
    id: 'listAttention',
    tag: 'Organizations',
    summary: 'List what needs attention in an organization, worst first',
    description:
      'Builds that no device can install, signatures that expire within 30 days, failing webhooks, devices that wait for a build, and requests for access. ' +
      'Each caller sees the projects they can access; webhooks and waiting devices are for managers.',
    method: 'get',
    path: '/api/v1/organizations/{organization_id}/attention',
    access: { kind: 'organization', permission: 'organization.list_projects', tenant: fromPath('organization_id') },
    params: inOrganizationPath,
    returns: attention,
    status: 200,
    handle: (ctx) => listAttention(ctx),
  }),
];
