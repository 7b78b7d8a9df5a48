// Counts the recent builds of a project.
import type { App } from '../core/context.ts';
import { prepared } from '../data/database.ts';

/** The SQL text, for tests of its query plan. */
export const BUILDS_SINCE = `
  SELECT count(*) FROM (SELECT 1 FROM builds WHERE project_id = @projectId AND id >= @since LIMIT @most)`;

const buildsSince = prepared((db) =>
  db.$client.prepare<[{ projectId: string; since: string; most: number }], number>(BUILDS_SINCE).pluck(),
);

/** Returns the number of a project's builds with ids from `since` on, revoked or not, counted up to `most`. */
export function countBuildsSince(app: Pick<App, 'db'>, projectId: string, since: string, most: number): number {
  return buildsSince(app).get({ projectId, since, most }) ?? 0;
}
