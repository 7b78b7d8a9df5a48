// Whether a session is active.
import { eq } from 'drizzle-orm';
import { placeholder } from 'drizzle-orm/sql/sql';
import { prepared } from '../data/database.ts';
import { developers, sessions } from '../data/tables/tables.ts';
import { AppError } from '../lib/errors.ts';
import type { App } from './context.ts';

/** Creates the error for a missing or invalid credential. */
export function unauthorized(): AppError {
  return new AppError('unauthorized', undefined, {}, { 'www-authenticate': 'Bearer' });
}

export const findSession = prepared((db) =>
  db
    .select({
      id: developers.id,
      email: developers.email,
      displayName: developers.displayName,
      emailVerifiedAt: developers.emailVerifiedAt,
      vouchedAt: developers.vouchedAt,
      isOperator: developers.isOperator,
      totpEnabledAt: developers.totpEnabledAt,
      passkeyCount: developers.passkeyCount,
      lockedAt: developers.lockedAt,
      revokedAt: sessions.revokedAt,
      expiresAt: sessions.expiresAt,
      signInMethod: sessions.signInMethod,
    })
    .from(sessions)
    .innerJoin(developers, eq(developers.id, sessions.developerId))
    .where(eq(sessions.id, placeholder('sessionId')))
    .prepare(),
);

export type SessionFacts = NonNullable<ReturnType<ReturnType<typeof findSession>['get']>>;

/** Returns the session if it and its account are active, otherwise undefined. */
export function activeSession(app: App, row: SessionFacts | undefined, developerId: string): SessionFacts | undefined {
  const isAlive = row?.id === developerId && row.revokedAt === null && row.expiresAt > app.clock.time();
  return isAlive && row.lockedAt === null ? row : undefined;
}

/**
 * Throws `unauthorized` if a session has ended or its account was locked since the request was admitted. For requests that take
 * time before they change something.
 */
export function requireActiveSession(app: App, { id, sessionId }: { id: string; sessionId: string }): void {
  if (activeSession(app, findSession(app).get({ sessionId }), id) === undefined) throw unauthorized();
}
