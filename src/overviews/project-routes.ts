// The operation that lists projects with their newest release and upload.
import { z } from 'zod';
import { fromQuery, type Operation, operation } from '../http/operation.ts';
import { inOrganization, pageQuery } from '../lib/shapes.ts';
import { projectOverviewPage } from './project-schema.ts';
import { listProjectOverviews } from './projects.ts';

const tag = 'Projects';

export const projectOverviewRoutes: Operation[] = [
  operation({
    id: 'listProjectOverviews',
    tag,
    summary: 'The projects that the caller reaches, with the newest release and the last upload of each',
    description: 'The newest release is that of all that the channels serve; a revoked build counts for neither.',
    method: 'get',
    path: '/api/v1/projects/overview',
    access: { kind: 'organization', permission: 'organization.list_projects', tenant: fromQuery },
    query: z.object({ ...inOrganization, ...pageQuery }),
    returns: projectOverviewPage,
    status: 200,
    handle: (ctx, { query }) => listProjectOverviews(ctx, query),
  }),
];
