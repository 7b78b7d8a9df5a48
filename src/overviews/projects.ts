// The projects of an organization with what happened last in each, in one answer.
import { toBuild } from '../builds/service.ts';
import { type BuildRow, listBuilds } from '../builds/store.ts';
import type { OrganizationContext } from '../core/context.ts';
import { FIRST_PAGE, type Page, type PageRequest, readPage } from '../core/paging.ts';
import { listReachable, toProject } from '../projects/service.ts';
import { toCurrentRelease } from '../releases/service.ts';
import { findNewest } from '../releases/store.ts';
import type { ProjectOverview } from './project-schema.ts';

/** Newest builds of a project among which the icon of its app is looked for. */
const MOST_LOOKED_AT = 20;

/** One page of the projects that the caller reaches, newest first: a few seeks in an index for each. */
export function listProjectOverviews(ctx: OrganizationContext, request: PageRequest): Page<ProjectOverview> {
  return readPage(
    ctx,
    request,
    (before, limit) => listReachable(ctx, before, limit),
    (row) => {
      const newest = findNewest(ctx, row.id);
      const uploads = listBuilds(ctx, {
        projectId: row.id,
        status: 'active',
        before: FIRST_PAGE,
        limit: MOST_LOOKED_AT,
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

/** The icon of the newest build that is the project's app; null without one. */
function findAppIcon(ctx: OrganizationContext, pinned: string | null, uploads: readonly BuildRow[]): string | null {
  for (const row of uploads) {
    if (row.iconKey === null) continue;
    const { inspection, icon_url: url } = toBuild(ctx, row);
    if (pinned === null || inspection?.bundle_identifier === pinned) return url;
  }
  return null;
}
