// Queries for the keys, changes and tokens of feeds.
import { and, count, desc, eq, lt } from 'drizzle-orm';
import { placeholder } from 'drizzle-orm/sql/sql';
import type { App, Tx } from '../core/context.ts';
import { isNotRemoved } from '../core/removal.ts';
import { prepared } from '../data/database.ts';
import { feedStates, feedTokens, repositoryKeys } from '../data/tables/tables.ts';

export type FeedTokenRow = typeof feedTokens.$inferSelect;
export type RepositoryKeyRow = typeof repositoryKeys.$inferSelect;
type FeedState = typeof feedStates.$inferSelect;
type Db = Pick<App, 'db'>;

const leadsSomewhere = and(isNotRemoved(feedTokens.channelId), isNotRemoved(feedTokens.projectId));

const tokenByHash = prepared((db) =>
  db
    .select()
    .from(feedTokens)
    .where(eq(feedTokens.tokenHash, placeholder('hash')))
    .prepare(),
);

const keyOf = prepared((db) =>
  db
    .select()
    .from(repositoryKeys)
    .where(eq(repositoryKeys.organizationId, placeholder('organizationId')))
    .prepare(),
);

const stateOf = prepared((db) =>
  db
    .select()
    .from(feedStates)
    .where(eq(feedStates.channelId, placeholder('channelId')))
    .prepare(),
);

/** Returns the token with a hash. It doesn't check whether its owner still has access; the service does. */
export function findTokenByHash(app: Db, hash: string): FeedTokenRow | undefined {
  return tokenByHash(app).get({ hash });
}

/** Returns a token of a person. */
export function findOwnToken({ db }: Db, developerId: string, id: string): FeedTokenRow | undefined {
  return db
    .select()
    .from(feedTokens)
    .where(and(eq(feedTokens.id, id), eq(feedTokens.developerId, developerId), leadsSomewhere))
    .get();
}

/** Returns a person's tokens of a channel with ids below `before`, newest first. */
export function listOwnTokens(
  { db }: Db,
  of: { channelId: string; developerId: string },
  before: string,
  limit: number,
): FeedTokenRow[] {
  return db
    .select()
    .from(feedTokens)
    .where(
      and(
        eq(feedTokens.channelId, of.channelId),
        eq(feedTokens.developerId, of.developerId),
        lt(feedTokens.id, before),
        leadsSomewhere,
      ),
    )
    .orderBy(desc(feedTokens.id))
    .limit(limit)
    .all();
}

/** Returns the number of a person's tokens for a channel, which is limited. */
export function countOwnTokens({ db }: Db, of: { channelId: string; developerId: string }): number {
  return (
    db
      .select({ total: count() })
      .from(feedTokens)
      .where(and(eq(feedTokens.channelId, of.channelId), eq(feedTokens.developerId, of.developerId)))
      .get()?.total ?? 0
  );
}

export function insertToken(tx: Tx, row: FeedTokenRow): void {
  tx.db.insert(feedTokens).values(row).run();
}

export function deleteToken(tx: Tx, id: string): void {
  tx.db.delete(feedTokens).where(eq(feedTokens.id, id)).run();
}

/** Deletes the tokens of a person. Returns them. */
export function deleteTokensOf(tx: Tx, developerId: string): FeedTokenRow[] {
  return tx.db.delete(feedTokens).where(eq(feedTokens.developerId, developerId)).returning().all();
}

/** Returns the key of an organization, or undefined before its first use. */
export function findRepositoryKey(app: Db, organizationId: string): RepositoryKeyRow | undefined {
  return keyOf(app).get({ organizationId });
}

/** Saves the key of an organization, unless it got one in the meantime. */
export function insertRepositoryKey(tx: Tx, row: RepositoryKeyRow): void {
  tx.db.insert(repositoryKeys).values(row).onConflictDoNothing().run();
}

/** Returns the last known content of a channel's feeds. */
export function findFeedState(app: Db, channelId: string): FeedState | undefined {
  return stateOf(app).get({ channelId });
}

export function saveFeedState(tx: Tx, row: FeedState): void {
  const { contentHash, changedAt } = row;
  tx.db
    .insert(feedStates)
    .values(row)
    .onConflictDoUpdate({ target: feedStates.channelId, set: { contentHash, changedAt } })
    .run();
}
