// Queries for the newest releases of projects, and for their authors.
import type { App } from '../core/context.ts';
import { notRemoved } from '../core/removal.ts';
import { type Db, prepared } from '../data/database.ts';

type Ctx = Pick<App, 'db'>;
const query = <Parameters extends object, Row>(sql: string) =>
  prepared((db: Db) => db.$client.prepare<[Parameters], Row>(sql));

/** The state is part of the SQL text, not a parameter, because SQLite uses the index of active releases only then. */
const NEWEST_OF_PROJECT = `
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

const nameOf = query<{ id: string }, { name: string }>('SELECT display_name AS name FROM developers WHERE id = @id');

/** Returns the name of a developer. */
export function findDeveloperName(app: Ctx, id: string): string | undefined {
  return nameOf(app).get({ id })?.name;
}

/** Events of the same time are few, so the index finds the event of a release without reading others. */
const AUTHOR_OF_RELEASE = `
  SELECT actor_kind AS kind, actor_id AS id, actor_name AS name, developer_id AS developerId FROM audit_events
   WHERE organization_id = @organizationId AND timestamp = @createdAt
     AND type = 'release' AND event = 'created' AND identifier = @releaseId`;
const authorOfRelease = query<
  { organizationId: string; createdAt: number; releaseId: string },
  { kind: string; id: string | null; name: string | null; developerId: string | null }
>(AUTHOR_OF_RELEASE);

/** Returns the actor of the event that created a release; undefined if retention deleted the event. */
export function findReleaseActor(
  app: Ctx,
  { id, organizationId, createdAt }: { id: string; organizationId: string; createdAt: number },
) {
  return authorOfRelease(app).get({ organizationId, createdAt, releaseId: id });
}

/** The SQL texts, for tests of their query plans. */
export const recentReleaseQueries = [NEWEST_OF_PROJECT, AUTHOR_OF_RELEASE];
