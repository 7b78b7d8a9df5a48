// The operation for the newest releases of an organization.
import { fromQuery, type Operation, operation } from '../http/operation.ts';
import { recentReleases, recentReleasesQuery } from './recent-release-schema.ts';
import { listRecentReleases } from './recent-releases.ts';

export const recentReleaseRoutes: Operation[] = [
  operation({
    id: 'listRecentReleases',
    tag: 'Releases',
    summary: 'List the newest releases of an organization, with author and adoption',
    description:
      'Newest first, from the projects that the caller can access. Disabled and rolled back releases, and those of revoked builds, are left out. ' +
      'The numbers are counted at the time of the request.',
    method: 'get',
    path: '/api/v1/releases/recent',
    access: { kind: 'organization', permission: 'organization.list_projects', tenant: fromQuery },
    query: recentReleasesQuery,
    returns: recentReleases,
    status: 200,
    handle: (ctx, { query }) => listRecentReleases(ctx, query.limit),
  }),
];
