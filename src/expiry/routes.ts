// The operation for expiring items.

import { fromPath, type Operation, operation } from '../http/operation.ts';
import { listWarningDays } from '../lib/lifetimes.ts';
import { inOrganizationPath } from '../lib/shapes.ts';
import { expiringPage, expiringQuery } from './schema.ts';
import { listExpiring } from './service.ts';

export const expiryRoutes: Operation[] = [
  operation({
    id: 'listExpiring',
    tag: 'Organizations',
    summary: 'List profiles and certificates of current releases that expire soon',
    description:
      'Earliest expiry first. Expired items stay listed while their release is current. Members and project access tokens see only the projects they can access. ' +
      `Maintainers are emailed ${listWarningDays('and')} days before.`,
    method: 'get',
    path: '/api/v1/organizations/{organization_id}/expiring',
    access: { kind: 'organization', permission: 'organization.list_expiring', tenant: fromPath('organization_id') },
    params: inOrganizationPath,
    query: expiringQuery,
    returns: expiringPage,
    status: 200,
    handle: (ctx, { query }) => listExpiring(ctx, query),
  }),
];
