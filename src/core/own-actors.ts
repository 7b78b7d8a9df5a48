// Whether an audit event was caused by a person themselves: the IP address of another person is that person's personal data.
import { prepared } from '../data/database.ts';
import type { Author } from '../events.ts';
import type { App } from './context.ts';

const isTokenOf = prepared((db) =>
  db.$client
    .prepare<[string, string], 1>('SELECT 1 FROM personal_access_tokens WHERE id = ? AND developer_id = ?')
    .pluck(),
);

/**
 * Returns whether the actor of an event is another person or a token that isn't the developer's. A deleted token counts as one
 * of another person, because its owner is no longer known. Events without a signed-in actor have no other person.
 */
export function isOfAnother(
  app: Pick<App, 'db'>,
  developerId: string,
  { actorKind, actorId }: Pick<Author, 'actorKind' | 'actorId'>,
): boolean {
  switch (actorKind) {
    case 'developer':
      return actorId !== developerId;
    case 'personal_access_token':
      return actorId === null || isTokenOf(app).get(actorId, developerId) === undefined;
    case 'project_access_token':
      return true;
    default:
      return false;
  }
}
