// Queries for the filtered list of a project's builds. Each filter has an index in the order of the pages.
import { and, count, desc, eq, gte, lt, type SQL, sql } from 'drizzle-orm';
import { placeholder } from 'drizzle-orm/sql/sql';
import type { App } from '../core/context.ts';
import { prepared } from '../data/database.ts';
import { rowCacheOf } from '../data/row-cache.ts';
import { buildLabels, builds, developers, HAS_SKEWED_ID } from '../data/tables/tables.ts';
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
const byCommit = pageWhere(eq(builds.sourceCommit, value));

const pages = {
  pullRequest: pageWhere(eq(builds.sourcePullRequest, value)),
  branch: pageWhere(eq(builds.sourceBranch, value)),
  uploader: pageWhere(eq(builds.uploadedByDeveloperId, value)),
  bundle: pageWhere(eq(builds.bundleIdentifier, value)),
};

/** A filter with an index of its own. */
export type ValueIndex = keyof typeof pages | 'label';

const countWhere = (filter: SQL | undefined) =>
  prepared((db) => {
    const found = db
      .select({ one: sql`1`.as('one') })
      .from(builds)
      .where(and(eq(builds.projectId, placeholder('projectId')), filter))
      .limit(placeholder('max'))
      .as('found');
    return db.select({ total: count() }).from(found).prepare();
  });

const counts = {
  pullRequest: countWhere(eq(builds.sourcePullRequest, value)),
  branch: countWhere(eq(builds.sourceBranch, value)),
  uploader: countWhere(eq(builds.uploadedByDeveloperId, value)),
  bundle: countWhere(eq(builds.bundleIdentifier, value)),
  label: prepared((db) => {
    const found = db
      .select({ one: sql`1`.as('one') })
      .from(buildLabels)
      .where(and(eq(buildLabels.projectId, placeholder('projectId')), eq(buildLabels.key, value)))
      .limit(placeholder('max'))
      .as('found');
    return db.select({ total: count() }).from(found).prepare();
  }),
};

const between = countWhere(and(gte(builds.id, placeholder('oldest')), lt(builds.id, placeholder('newest'))));

/** The SQL text, for a test of its plan. */
export const SKEWED_BETWEEN = `SELECT count(*) AS total, min(id) AS first, max(id) AS last
  FROM (SELECT id FROM builds INDEXED BY builds_skewed
    WHERE project_id = @projectId AND uploaded_at >= @from AND uploaded_at < @until AND ${HAS_SKEWED_ID} LIMIT @max)`;
const skewedBetween = prepared((db) =>
  db.$client.prepare<
    [{ projectId: string; from: number; until: number; max: number }],
    { total: number; first: string | null; last: string | null }
  >(SKEWED_BETWEEN),
);

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

/** Returns a page of the builds with a value; that of a label is its key. */
export function listByValue(app: Db, index: ValueIndex, page: ValuePage): BuildRow[] {
  if (index !== 'label') return pages[index](app).all({ ...page });
  return byLabel(app)
    .all({ ...page })
    .map(({ build }) => build);
}

/** Counts the builds with a value in its index, up to `max`. */
export function countByValue(
  app: Db,
  index: ValueIndex,
  of: { projectId: string; value: string | number; max: number },
): number {
  return counts[index](app).get({ ...of })?.total ?? 0;
}

/** Counts the builds of a project whose ids are within a range, up to `max`. */
export function countBetween(app: Db, of: { projectId: string; oldest: string; newest: string; max: number }): number {
  return between(app).get({ ...of })?.total ?? 0;
}

/**
 * Returns the lowest and the highest id of the builds of a project that were uploaded between two moments and whose ids have other times,
 * because the clock was wrong; null without any. Returns undefined if there are `max` or more.
 */
export function findSkewed(
  app: Db,
  of: { projectId: string; from: number; until: number; max: number },
): { first: string | null; last: string | null } | undefined {
  const found = skewedBetween(app).get(of);
  return found === undefined || found.total === of.max ? undefined : found;
}

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
