// The operation for the activity of projects.
import { fromQuery, type Operation, operation } from '../http/operation.ts';
import { inOrganization, pageQuery } from '../lib/shapes.ts';
import * as z from '../lib/zod.ts';
import { listProjectActivity } from './activity.ts';
import { projectActivityPage } from './activity-schema.ts';

export const activityRoutes: Operation[] = [
  operation({
    id: 'listProjectActivity',
    tag: 'Projects',
    summary: 'List the projects that the caller can access, with the versions on their channels and recent builds',
    description:
      'The same projects in the same order as GET /projects. The numbers are counted at the time of the request.',
    method: 'get',
    path: '/api/v1/projects/activity',
    access: { kind: 'organization', permission: 'organization.list_projects', tenant: fromQuery },
    query: z.object({ ...inOrganization, ...pageQuery }),
    returns: projectActivityPage,
    status: 200,
    handle: (ctx, { query }) => listProjectActivity(ctx, query),
  }),
];
