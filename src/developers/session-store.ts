// Queries for sessions.
import { and, desc, eq, gt, isNotNull, isNull, lt, lte, ne, or } from 'drizzle-orm';
import type { App, Tx } from '../core/context.ts';
import { deleteUpTo } from '../data/queries.ts';
import { sessions } from '../data/tables/tables.ts';

export type SessionRow = typeof sessions.$inferSelect;
type Db = Pick<App, 'db'>;

const isAlive = (now: number) => and(isNull(sessions.revokedAt), gt(sessions.expiresAt, now));

export function insertSession(tx: Tx, row: SessionRow): void {
  tx.db.insert(sessions).values(row).run();
}

export function findSession(app: Db, id: string): SessionRow | undefined {
  return app.db.select().from(sessions).where(eq(sessions.id, id)).get();
}

/** Extends a session and records that it was used. */
export function extendSession(tx: Tx, id: string, expiresAt: number): void {
  tx.db.update(sessions).set({ expiresAt, lastUsedAt: tx.now }).where(eq(sessions.id, id)).run();
}

/** Returns a page of a developer's open sessions, newest first. */
export function listSessions(app: Db, developerId: string, now: number, before: string, limit: number): SessionRow[] {
  return app.db
    .select()
    .from(sessions)
    .where(and(eq(sessions.developerId, developerId), lt(sessions.id, before), isAlive(now)))
    .orderBy(desc(sessions.id))
    .limit(limit)
    .all();
}

/** Ends a developer's session. Returns false if there is no open one with that id. */
export function revokeSession(tx: Tx, developerId: string, id: string): boolean {
  const { changes } = tx.db
    .update(sessions)
    .set({ revokedAt: tx.now })
    .where(and(eq(sessions.id, id), eq(sessions.developerId, developerId), isAlive(tx.now)))
    .run();
  return changes === 1;
}

/** Ends all sessions of a developer. Returns the number of open ones. */
export function revokeSessions(tx: Tx, developerId: string): number {
  return tx.db
    .update(sessions)
    .set({ revokedAt: tx.now })
    .where(and(eq(sessions.developerId, developerId), isAlive(tx.now)))
    .run().changes;
}

/** Ends all sessions of a developer except one. Returns the number of open ones. */
export function revokeOtherSessions(tx: Tx, developerId: string, kept: string): number {
  return tx.db
    .update(sessions)
    .set({ revokedAt: tx.now })
    .where(and(eq(sessions.developerId, developerId), ne(sessions.id, kept), isAlive(tx.now)))
    .run().changes;
}

/** Deletes up to `max` sessions that ended before a moment, with their refresh tokens. */
export function deleteEndedSessions(tx: Tx, before: number, max: number): number {
  return deleteUpTo(
    tx,
    sessions.id,
    or(lte(sessions.expiresAt, before), and(isNotNull(sessions.revokedAt), lte(sessions.revokedAt, before))),
    max,
  );
}
