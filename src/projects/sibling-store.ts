// Queries for the projects of an app: siblings have the same `app_id`, at most one for each platform.
import { and, eq, ne, sql } from 'drizzle-orm';
import type { Context, Tx } from '../core/context.ts';
import { prepared } from '../data/database.ts';
import { projectMemberships, projects } from '../data/tables/tables.ts';
import type { ProjectRole } from '../permissions.ts';
import type { ProjectRow } from './store.ts';

/** A project of the same app, with the role of a developer's membership there. */
export interface SiblingRow extends Pick<ProjectRow, 'id' | 'name' | 'platform'> {
  membershipRole: ProjectRole | null;
}

const siblingsOf = prepared((db) =>
  db
    .select({
      id: projects.id,
      name: projects.name,
      platform: projects.platform,
      membershipRole: projectMemberships.role,
    })
    .from(projects)
    .leftJoin(
      projectMemberships,
      and(
        eq(projectMemberships.projectId, projects.id),
        eq(projectMemberships.developerId, sql.placeholder('developerId')),
      ),
    )
    .where(and(eq(projects.appId, sql.placeholder('appId')), ne(projects.id, sql.placeholder('id'))))
    .orderBy(projects.platform)
    .prepare(),
);

/** Returns the other projects of an app, by platform, whether the developer can access them or not. */
export function listSiblingRows(
  ctx: Pick<Context, 'db'>,
  { id, appId }: Pick<ProjectRow, 'id' | 'appId'>,
  developerId: string | null,
): SiblingRow[] {
  return appId === null ? [] : siblingsOf(ctx).all({ appId, id, developerId: developerId ?? '' });
}

const membershipRole = prepared((db) =>
  db
    .select({ role: projectMemberships.role })
    .from(projectMemberships)
    .where(
      and(
        eq(projectMemberships.projectId, sql.placeholder('projectId')),
        eq(projectMemberships.developerId, sql.placeholder('developerId')),
      ),
    )
    .prepare(),
);

/** Returns the role of a developer's own membership in a project. */
export function findMembershipRole(
  ctx: Pick<Context, 'db'>,
  projectId: string,
  developerId: string | null,
): ProjectRole | undefined {
  return membershipRole(ctx).get({ projectId, developerId: developerId ?? '' })?.role;
}

/** Puts a project into an app, or takes it out of its app with null. */
export function setApp(tx: Tx, projectId: string, appId: string | null): void {
  tx.db.update(projects).set({ appId }).where(eq(projects.id, projectId)).run();
}
