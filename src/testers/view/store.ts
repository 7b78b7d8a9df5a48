// Queries for releases as seen by testers.
import { and, desc, eq, isNull, lt } from 'drizzle-orm';
import { placeholder } from 'drizzle-orm/sql/sql';
import type { App } from '../../core/context.ts';
import { prepared } from '../../data/database.ts';
import { builds, releases } from '../../data/tables/tables.ts';
import type { ReleaseWithBuild } from '../../releases/store.ts';

const servedPage = prepared((db) =>
  db
    .select({ id: releases.id, release: releases, build: builds })
    .from(releases)
    .innerJoin(builds, eq(builds.id, releases.buildId))
    .where(
      and(
        eq(releases.channelId, placeholder('channelId')),
        eq(releases.state, 'active'),
        isNull(builds.revokedAt),
        lt(releases.id, placeholder('before')),
      ),
    )
    .orderBy(desc(releases.id))
    .limit(placeholder('limit'))
    .prepare(),
);

/**
 * Returns the installable releases of a channel with ids below `before`, newest first: not disabled, rolled back or
 * revoked.
 */
export function listServed(app: Pick<App, 'db'>, channelId: string, before: string, limit: number): ReleaseWithBuild[] {
  return servedPage(app).all({ channelId, before, limit });
}
