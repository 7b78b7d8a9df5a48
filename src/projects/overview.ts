// The projects of an organization with what happened last in each, in one answer.
import { toBuild } from '../builds/service.ts';
import { listBuilds } from '../builds/store.ts';
import type { OrganizationContext } from '../platform/context.ts';
import { FIRST_PAGE, type Page, type PageRequest, readPage } from '../platform/paging.ts';
import { toCurrentRelease } from '../releases/service.ts';
import { findNewest } from '../releases/store.ts';
import type { ProjectOverview } from './overview-schema.ts';
import { listReachable, toProject } from './service.ts';

/** One page of the projects that the caller reaches, newest first: two seeks in an index for each. */
export function listProjectOverviews(ctx: OrganizationContext, request: PageRequest): Page<ProjectOverview> {
  return readPage(
    ctx,
    request,
    (before, limit) => listReachable(ctx, before, limit),
    (row) => {
      const newest = findNewest(ctx, row.id);
      const [last] = listBuilds(ctx, { projectId: row.id, status: 'active', before: FIRST_PAGE, limit: 1 });
      return {
        project: toProject(ctx, row, row.role),
        newest_release: newest === undefined ? null : toCurrentRelease(ctx, newest),
        last_upload: last === undefined ? null : toBuild(ctx, last),
      };
    },
  );
}
