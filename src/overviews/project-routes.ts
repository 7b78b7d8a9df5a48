// The operation for the overview of projects.
import { fromQuery, type Operation, operation } from '../http/operation.ts';
import { inOrganization, pageQuery } from '../lib/shapes.ts';
import * as z from '../lib/zod.ts';
import { projectOverviewPage } from './project-schema.ts';
import { listProjectOverviews } from './projects.ts';

const tag = 'Projects';

export const projectOverviewRoutes: Operation[] = [
  operation({
    id: 'listProjectOverviews',
    tag,
    summary: 'List the projects that the caller can access, with the newest release and last upload',
    description: "The newest release is the newest current release of its channels. Revoked builds don't count.",
    method: 'get',
    path: '/api/v1/projects/overview',
    access: { kind: 'organization', permission: 'organization.list_projects', tenant: fromQuery },
    query: z.object({ ...inOrganization, ...pageQuery }),
    returns: projectOverviewPage,
    status: 200,
    handle: (ctx, { query }) => listProjectOverviews(ctx, query),
  }),
];
