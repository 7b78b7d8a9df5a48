// Queries for the filtered list of a project's builds. Each filter has an index in the order of the pages.
import { and, desc, eq, lt, type SQL, sql } from 'drizzle-orm';
import { placeholder } from 'drizzle-orm/sql/sql';
import type { App } from '../core/context.ts';
import { prepared } from '../data/database.ts';
import { rowCacheOf } from '../data/row-cache.ts';
import { buildLabels, builds, developers } from '../data/tables/tables.ts';
import type { BuildRow } from './store.ts';

type Db = Pick<App, 'db'>;

/** A page of one filter: builds of a project with a value, before an id, newest first. */
export interface ValuePage {
  projectId: string;
  value: string | number;
  before: string;
  limit: number;
}

const pageWhere = (filter: SQL) =>
  prepared((db) =>
    db
      .select()
      .from(builds)
      .where(and(eq(builds.projectId, placeholder('projectId')), filter, lt(builds.id, placeholder('before'))))
      .orderBy(desc(builds.id))
      .limit(placeholder('limit'))
      .prepare(),
  );

const value = placeholder('value');
const byBranch = pageWhere(eq(builds.sourceBranch, value));
const byCommit = pageWhere(eq(builds.sourceCommit, value));
const byPullRequest = pageWhere(eq(builds.sourcePullRequest, value));
const byBundle = pageWhere(eq(builds.bundleIdentifier, value));
const byUploader = pageWhere(eq(builds.uploadedByDeveloperId, value));

const byLabel = prepared((db) =>
  db
    .select({ build: builds })
    .from(buildLabels)
    .innerJoin(builds, eq(builds.id, buildLabels.buildId))
    .where(
      and(
        eq(buildLabels.projectId, placeholder('projectId')),
        eq(buildLabels.key, value),
        lt(buildLabels.buildId, placeholder('before')),
      ),
    )
    .orderBy(desc(buildLabels.buildId))
    .limit(placeholder('limit'))
    .prepare(),
);

const nextCommit = prepared((db) =>
  db
    .select({ commit: builds.sourceCommit })
    .from(builds)
    .where(
      and(
        eq(builds.projectId, placeholder('projectId')),
        sql`${builds.sourceCommit} >= ${placeholder('from')}`,
        sql`${builds.sourceCommit} < ${placeholder('end')}`,
      ),
    )
    .orderBy(builds.sourceCommit)
    .limit(1)
    .prepare(),
);

// Two columns are compared as one value, so that a page begins in the middle of builds with one version.
const byVersion = prepared((db) =>
  db
    .select()
    .from(builds)
    .where(
      and(
        eq(builds.projectId, placeholder('projectId')),
        sql`(${builds.versionKey}, ${builds.id}) < (${placeholder('key')}, ${placeholder('before')})`,
      ),
    )
    .orderBy(desc(builds.versionKey), desc(builds.id))
    .limit(placeholder('limit'))
    .prepare(),
);

const labelsOf = prepared((db) =>
  db
    .select({ label: buildLabels.label })
    .from(buildLabels)
    .where(eq(buildLabels.buildId, placeholder('buildId')))
    .orderBy(buildLabels.key)
    .prepare(),
);

const uploaderOf = prepared((db) =>
  db
    .select({ name: developers.displayName, avatarKey: developers.avatarKey, avatarType: developers.avatarType })
    .from(developers)
    .where(eq(developers.id, placeholder('id')))
    .prepare(),
);

export const listByBranch = (app: Db, page: ValuePage): BuildRow[] => byBranch(app).all({ ...page });
export const listByPullRequest = (app: Db, page: ValuePage): BuildRow[] => byPullRequest(app).all({ ...page });
export const listByBundle = (app: Db, page: ValuePage): BuildRow[] => byBundle(app).all({ ...page });
export const listByUploader = (app: Db, page: ValuePage): BuildRow[] => byUploader(app).all({ ...page });

/** Returns the builds with a label; `value` is its key. */
export const listByLabel = (app: Db, page: ValuePage): BuildRow[] =>
  byLabel(app)
    .all({ ...page })
    .map(({ build }) => build);

/** Returns the builds of several commits, newest first. */
export function listByCommits(app: Db, commits: readonly string[], page: Omit<ValuePage, 'value'>): BuildRow[] {
  const found = commits.flatMap((commit) => byCommit(app).all({ ...page, value: commit }));
  return found.sort((one, other) => (one.id < other.id ? 1 : -1)).slice(0, page.limit);
}

/** Returns the commits of a project that begin with a prefix, at most `max`. One index seek each. */
export function findCommits(app: Db, projectId: string, prefix: string, max: number): string[] {
  const found: string[] = [];
  // Hexadecimal digits sort between ! and ~.
  const end = `${prefix}~`;
  for (let from = prefix; found.length < max; ) {
    const commit = nextCommit(app).get({ projectId, from, end })?.commit ?? undefined;
    if (commit === undefined) break;
    found.push(commit);
    from = `${commit}!`;
  }
  return found;
}

/** Returns the builds of a project after a position in the order of versions, highest first. */
export function listByVersion(
  app: Db,
  page: { projectId: string; key: string; before: string; limit: number },
): BuildRow[] {
  return byVersion(app).all({ ...page });
}

/** Returns the labels of a build, sorted regardless of case. */
export function listLabels(app: Db, buildId: string): readonly string[] {
  const read = () =>
    labelsOf(app)
      .all({ buildId })
      .map(({ label }) => label);
  return rowCacheOf(app).getOrRead(labelsOf, buildId, read);
}

export interface UploaderRow {
  name: string;
  avatarKey: string | null;
  avatarType: string | null;
}

/** Returns the current name and picture of a developer. */
export function findUploader(app: Db, id: string): UploaderRow | undefined {
  return rowCacheOf(app).getOrRead(uploaderOf, id, () => uploaderOf(app).get({ id }));
}
