// The search operation.

import { fromPath, type Operation, operation } from '../http/operation.ts';
import { inOrganizationPath } from '../lib/shapes.ts';
import { searchQuery, searchResults } from './schema.ts';
import { searchOrganization } from './service.ts';

export const searchRoutes: Operation[] = [
  operation({
    id: 'searchOrganization',
    tag: 'Organizations',
    summary: 'Search projects, channels, builds and members by name',
    description:
      'Searches the projects that the caller can access. The newest 2,000 builds, divided between the projects, are matched by any part of their version, number, file name, branch, tag or author; all by their number, their branch, or the begin of their version, commit or a label. Newest first. Returns at most ten results of each kind.',
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
