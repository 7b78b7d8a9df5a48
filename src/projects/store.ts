// Queries for projects.
import { and, count, desc, eq, lt, notExists, type SQL, sql } from 'drizzle-orm';
import type { App, Context, Tx } from '../core/context.ts';
import { isAnyRemovalOpen, isNotRemoved } from '../core/removal.ts';
import { prepared } from '../data/database.ts';
import { builds, channels, pendingUploads, projectMemberships, projects, releases } from '../data/tables/tables.ts';
import type { Location } from '../http/operation.ts';
import { notFound } from '../lib/errors.ts';
import type { ProjectRole } from '../permissions.ts';

export type ProjectRow = typeof projects.$inferSelect;
export type ListedProject = ProjectRow & { role: ProjectRole };
export type ProjectChange = Partial<
  Pick<ProjectRow, 'name' | 'description' | 'bundleIdentifier' | 'sizeBudgetBytes' | 'iconKey' | 'iconType' | 'isDraft'>
>;

const projectById = prepared((db) =>
  db
    .select()
    .from(projects)
    .where(eq(projects.id, sql.placeholder('id')))
    .prepare(),
);

const locationById = prepared((db) =>
  db
    .select({ organizationId: projects.organizationId, projectId: projects.id })
    .from(projects)
    .where(eq(projects.id, sql.placeholder('id')))
    .prepare(),
);

/** Returns the location of a project, for `fromPath('project_id', locateProject)`. */
export function locateProject(app: App, id: string): Location | undefined {
  return locationById(app).get({ id });
}

export function findProject(ctx: Context, id: string): ProjectRow | undefined {
  return projectById(ctx).get({ id });
}

/** Returns a project. The caller's access to its organization must have been checked. Throws `not_found`. */
export function loadProject(ctx: Context, id: string): ProjectRow {
  const row = findProject(ctx, id);
  if (row === undefined) throw notFound();
  return row;
}

export function insertProject(tx: Tx, row: ProjectRow): void {
  tx.db.insert(projects).values(row).run();
}

export function updateProject(tx: Tx, id: string, change: ProjectChange): void {
  tx.db.update(projects).set(change).where(eq(projects.id, id)).run();
}

/** Returns the number of projects of an organization. */
export function countProjects(ctx: Context, organizationId: string): number {
  const row = ctx.db.select({ count: count() }).from(projects).where(eq(projects.organizationId, organizationId)).get();
  return row?.count ?? 0;
}

/** Returns the id of the project with a name on a platform of an organization. */
export function findProjectNamed(
  ctx: Context,
  { organizationId, platform, name }: Pick<ProjectRow, 'organizationId' | 'platform' | 'name'>,
): string | undefined {
  return ctx.db
    .select({ id: projects.id })
    .from(projects)
    .where(and(eq(projects.organizationId, organizationId), eq(projects.platform, platform), eq(projects.name, name)))
    .get()?.id;
}

/** Returns the oldest project of a platform whose builds have the bundle identifier. */
export function findProjectOfApp(
  ctx: Context,
  { organizationId, platform, bundleIdentifier }: Pick<ProjectRow, 'organizationId' | 'platform' | 'bundleIdentifier'>,
): ProjectRow | undefined {
  if (bundleIdentifier === null) return undefined;
  return ctx.db
    .select()
    .from(projects)
    .where(
      and(
        eq(projects.organizationId, organizationId),
        eq(projects.platform, platform),
        eq(projects.bundleIdentifier, bundleIdentifier),
      ),
    )
    .orderBy(projects.id)
    .limit(1)
    .get();
}

/** Returns the drafts created before a moment that have neither builds nor pending uploads. */
export function listAbandonedDrafts(ctx: Context, before: number, limit: number): ProjectRow[] {
  const noneOf = (table: typeof builds | typeof pendingUploads) =>
    notExists(ctx.db.select({ id: table.id }).from(table).where(eq(table.projectId, projects.id)));
  return ctx.db
    .select()
    .from(projects)
    .where(and(sql`is_draft = 1`, lt(projects.createdAt, before), noneOf(builds), noneOf(pendingUploads)))
    .orderBy(projects.createdAt)
    .limit(limit)
    .all();
}

/** Returns whether the project has a build, revoked or not. */
export function hasBuilds(ctx: Context, projectId: string): boolean {
  const build = ctx.db.select({ id: builds.id }).from(builds).where(eq(builds.projectId, projectId)).limit(1).get();
  return build !== undefined;
}

/** Returns whether the project has a build, revoked or not, or a pending upload. */
export function hasBuildsOrUploads(ctx: Context, projectId: string): boolean {
  const pending = ctx.db
    .select({ id: pendingUploads.id })
    .from(pendingUploads)
    .where(eq(pendingUploads.projectId, projectId))
    .limit(1)
    .get();
  return pending !== undefined || hasBuilds(ctx, projectId);
}

const buildsOf = prepared((db) =>
  db.$client
    .prepare<[string], number>('SELECT coalesce(sum(builds), 0) FROM build_totals WHERE project_id = ?')
    .pluck(),
);

/** Returns the number of a project's builds, revoked or not. */
function countBuilds(ctx: Pick<Context, 'db'>, projectId: string): number {
  return buildsOf(ctx).get(projectId) ?? 0;
}

/** Counts the rows of a project in each table up to `max`. */
export function countContents({ db }: Pick<Context, 'db'>, projectId: string, max: number) {
  const count = (table: typeof releases | typeof channels | typeof pendingUploads, ...conditions: SQL[]): number => {
    const where = and(eq(table.projectId, projectId), ...conditions);
    const some = db.select({ id: table.id }).from(table).where(where).limit(max).as('some');
    return db.select({ count: sql<number>`count(*)` }).from(some).get()?.count ?? 0;
  };
  return {
    builds: Math.min(max, countBuilds({ db }, projectId)),
    // Without a deletion in progress, the index has everything that is counted.
    releases: isAnyRemovalOpen({ db })
      ? count(releases, isNotRemoved(releases.channelId), isNotRemoved(releases.buildId))
      : count(releases),
    channels: count(channels),
    pending_uploads: count(pendingUploads),
  };
}

const allOfOrganization = prepared((db) =>
  db
    .select()
    .from(projects)
    .where(
      and(eq(projects.organizationId, sql.placeholder('organizationId')), lt(projects.id, sql.placeholder('before'))),
    )
    .orderBy(desc(projects.id))
    .limit(sql.placeholder('limit'))
    .prepare(),
);

const reachedByMembership = prepared((db) =>
  db
    .select({ project: projects, role: projectMemberships.role })
    .from(projects)
    .innerJoin(
      projectMemberships,
      and(
        eq(projectMemberships.projectId, projects.id),
        eq(projectMemberships.developerId, sql.placeholder('developerId')),
      ),
    )
    .where(
      and(eq(projects.organizationId, sql.placeholder('organizationId')), lt(projects.id, sql.placeholder('before'))),
    )
    .orderBy(desc(projects.id))
    .limit(sql.placeholder('limit'))
    .prepare(),
);

interface Slice {
  organizationId: string;
  before: string;
  limit: number;
}

/** Returns all projects of the organization with ids below `before`, newest first. */
export function listAllProjects(ctx: Context, slice: Slice): ProjectRow[] {
  return allOfOrganization(ctx).all({ ...slice });
}

/** Returns the projects of the organization that a developer is a member of, with the role there. */
export function listJoinedProjects(ctx: Context, slice: Slice & { developerId: string }): ListedProject[] {
  return reachedByMembership(ctx)
    .all({ ...slice })
    .map(({ project, role }) => ({ ...project, role }));
}
