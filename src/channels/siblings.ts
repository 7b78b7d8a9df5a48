// Channels that share their links: those of an app's projects with the same name, one of each project.
import type { App } from '../core/context.ts';
import { type Db, prepared } from '../data/database.ts';
import type { Platform } from '../platforms.ts';

/** The channel of another platform that the link of a channel also serves. */
export interface SiblingChannel {
  id: string;
  projectId: string;
  platform: Platform;
}

/** The name by which a channel finds its siblings, without regard to case; empty for none. An index has the same expression. */
const key = (channel: string) =>
  `lower(case when ${channel}.sibling_name is null then ${channel}.name else ${channel}.sibling_name end)`;

/** The channel of a project for a name: one that was set to it, otherwise the oldest that has it. */
const channelOf = (project: string) => `(
  SELECT c.id FROM channels c WHERE c.project_id = ${project} AND ${key('c')} = own.key
   ORDER BY c.sibling_name IS NULL, c.id LIMIT 1)`;

const siblingsOf = prepared((db: Db) =>
  db.$client.prepare<[{ channelId: string }], SiblingChannel & { id: string | null }>(`
  WITH own AS (
    SELECT o.id, o.project_id, p.app_id, ${key('o')} AS key FROM channels o JOIN projects p ON p.id = o.project_id
     WHERE o.id = :channelId AND p.app_id IS NOT NULL)
  SELECT ${channelOf('p.id')} AS id, p.id AS projectId, p.platform
    FROM own JOIN projects p ON p.app_id = own.app_id AND p.id <> own.project_id
   WHERE own.key <> '' AND own.id = ${channelOf('own.project_id')}
   ORDER BY p.platform`),
);

/** Returns the siblings of a channel, at most one for each other platform. It doesn't check permissions. */
export function listSiblingChannels(app: Pick<App, 'db'>, channelId: string): SiblingChannel[] {
  return siblingsOf(app)
    .all({ channelId })
    .filter(({ id }) => id !== null);
}
