// The operation that finds things by their names.

import { fromPath, type Operation, operation } from '../http/operation.ts';
import { inOrganizationPath } from '../lib/shapes.ts';
import { searchQuery, searchResults } from './schema.ts';
import { searchOrganization } from './service.ts';

export const searchRoutes: Operation[] = [
  operation({
    id: 'searchOrganization',
    tag: 'Organizations',
    summary: 'Projects, channels, builds and members whose names hold a text',
    description:
      'Of the projects that the caller reaches. Builds are found by version, number or file name, the newest first. At most ten of each kind are answered.',
    method: 'get',
    path: '/api/v1/organizations/{organization_id}/search',
    access: { kind: 'organization', permission: 'organization.list_members', tenant: fromPath('organization_id') },
    params: inOrganizationPath,
    query: searchQuery,
    returns: searchResults,
    status: 200,
    handle: (ctx, { query }) => searchOrganization(ctx, query.query),
  }),
];
