// Queries for the newest releases of projects.
import type { App } from '../core/context.ts';
import { notRemoved } from '../core/removal.ts';
import { type Db, prepared } from '../data/database.ts';

type Ctx = Pick<App, 'db'>;
const query = <Parameters extends object, Row>(sql: string) =>
  prepared((db: Db) => db.$client.prepare<[Parameters], Row>(sql));

/** The state is part of the SQL text, not a parameter, because SQLite uses the index of active releases only then. */
export const NEWEST_OF_PROJECT = `
  SELECT r.id FROM releases r JOIN builds b ON b.id = r.build_id
   WHERE r.project_id = @projectId AND r.state = 'active' AND r.id > @after AND b.revoked_at IS NULL
     AND ${notRemoved('r.channel_id')} AND ${notRemoved('r.build_id')}
   ORDER BY r.id DESC LIMIT @limit`;
const newestOfProject = query<{ projectId: string; after: string; limit: number }, { id: string }>(NEWEST_OF_PROJECT);

/** Returns the ids of a project's newest active releases above `after`, newest first. */
export function listNewestIds(app: Ctx, projectId: string, after: string, limit: number): string[] {
  return newestOfProject(app)
    .all({ projectId, after, limit })
    .map(({ id }) => id);
}
