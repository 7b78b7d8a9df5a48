// Queries for refresh tokens. Only hashes are stored. Used tokens are kept until they would have expired, so that reuse
// is detected.
import { and, eq, isNull, lte } from 'drizzle-orm';
import { placeholder } from 'drizzle-orm/sql/sql';
import type { App, Tx } from '../core/context.ts';
import { prepared } from '../data/database.ts';
import { deleteUpTo } from '../data/queries.ts';
import { developers, refreshTokens, sessions } from '../data/tables/tables.ts';

type Db = Pick<App, 'db'>;

const byHash = prepared((db) =>
  db
    .select({ token: refreshTokens, session: sessions, developer: developers })
    .from(refreshTokens)
    .innerJoin(sessions, eq(sessions.id, refreshTokens.sessionId))
    .innerJoin(developers, eq(developers.id, sessions.developerId))
    .where(eq(refreshTokens.tokenHash, placeholder('tokenHash')))
    .prepare(),
);

/** Returns a refresh token with its session and developer. */
export function findRefreshToken(app: Db, tokenHash: string) {
  return byHash(app).get({ tokenHash });
}

export function insertRefreshToken(tx: Tx, tokenHash: string, sessionId: string, expiresAt: number): void {
  tx.db.insert(refreshTokens).values({ tokenHash, sessionId, createdAt: tx.now, expiresAt }).run();
}

/** Consumes a token with one conditional update. Returns false if it was already used. */
export function consumeRefreshToken(tx: Tx, tokenHash: string): boolean {
  const { changes } = tx.db
    .update(refreshTokens)
    .set({ consumedAt: tx.now })
    .where(and(eq(refreshTokens.tokenHash, tokenHash), isNull(refreshTokens.consumedAt)))
    .run();
  return changes === 1;
}

/** Deletes up to `max` tokens that expired before a moment, used or not. */
export function deleteExpiredRefreshTokens(tx: Tx, before: number, max: number): number {
  return deleteUpTo(tx, refreshTokens.tokenHash, lte(refreshTokens.expiresAt, before), max);
}
