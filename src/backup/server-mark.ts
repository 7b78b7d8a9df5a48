// Distinguishes the backups of several servers in one place.
import { createHash } from 'node:crypto';
import type Sqlite from 'better-sqlite3';

/**
 * Returns a mark that is the same for a server and its restored copies: a hash of the millisecond in which its database was created,
 * which never changes.
 */
export function serverMarkOf(client: Sqlite.Database): string {
  const createdAt = client.prepare<[], number>('SELECT min(applied_at) FROM schema_migrations').pluck().get();
  return createHash('sha256').update(`taxiway server ${createdAt}`).digest('hex').slice(0, 32);
}
