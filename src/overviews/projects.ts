// The projects of an organization with their last release and upload in one response.
import { toBuild } from '../builds/service.ts';
import { type BuildRow, listBuilds } from '../builds/store.ts';
import type { OrganizationContext } from '../core/context.ts';
import { FIRST_PAGE, type Page, type PageRequest, readPageInSteps } from '../core/paging.ts';
import { listReachable, toProject } from '../projects/service.ts';
import { toCurrentRelease } from '../releases/service.ts';
import { findNewest } from '../releases/store.ts';
import type { ProjectOverview } from './project-schema.ts';

/** Number of the newest builds of a project that are searched for its app's icon. */
const MAX_BUILDS_SEARCHED = 20;

/** Returns a page of the projects that the caller can access, newest first. Each requires a few index seeks. */
export function listProjectOverviews(ctx: OrganizationContext, request: PageRequest): Promise<Page<ProjectOverview>> {
  return readPageInSteps(
    ctx,
    request,
    (before, limit) => listReachable(ctx, before, limit),
    (row) => {
      const newest = findNewest(ctx, row.id);
      const uploads = listBuilds(ctx, {
        projectId: row.id,
        status: 'active',
        before: FIRST_PAGE,
        limit: MAX_BUILDS_SEARCHED,
      });
      const [last] = uploads;
      return {
        project: toProject(ctx, row, row.role),
        newest_release: newest === undefined ? null : toCurrentRelease(ctx, newest),
        last_upload: last === undefined ? null : toBuild(ctx, last),
        app_icon_url: findAppIcon(ctx, row.bundleIdentifier, uploads),
      };
    },
  );
}

/** Returns the icon of the newest build of the project's app, or null. */
function findAppIcon(ctx: OrganizationContext, pinned: string | null, uploads: readonly BuildRow[]): string | null {
  for (const row of uploads) {
    if (row.iconKey === null) continue;
    const { inspection, icon_url: url } = toBuild(ctx, row);
    if (pinned === null || inspection?.bundle_identifier === pinned) return url;
  }
  return null;
}
