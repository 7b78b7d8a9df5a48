// Whether a session may act now.
import { eq } from 'drizzle-orm';
import { placeholder } from 'drizzle-orm/sql/sql';
import { prepared } from '../data/database.ts';
import { developers, sessions } from '../data/tables/tables.ts';
import { AppError } from '../lib/errors.ts';
import type { App } from './context.ts';

/** The refusal of a credential that is missing or not valid. */
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
      isOperator: developers.isOperator,
      totpEnabledAt: developers.totpEnabledAt,
      passkeyCount: developers.passkeyCount,
      lockedAt: developers.lockedAt,
      revokedAt: sessions.revokedAt,
      expiresAt: sessions.expiresAt,
    })
    .from(sessions)
    .innerJoin(developers, eq(developers.id, sessions.developerId))
    .where(eq(sessions.id, placeholder('sessionId')))
    .prepare(),
);

export type SessionFacts = NonNullable<ReturnType<ReturnType<typeof findSession>['get']>>;

/** The session of a developer, if it and the account may act now. */
export function usable(app: App, row: SessionFacts | undefined, developerId: string): SessionFacts | undefined {
  const isAlive = row?.id === developerId && row.revokedAt === null && row.expiresAt > app.clock.now().getTime();
  return isAlive && row.lockedAt === null ? row : undefined;
}

/**
 * Throws unauthorized if a session has ended since its request was admitted, or its account was locked. For what takes time
 * before it changes something.
 */
export function refuseEndedSession(app: App, { id, sessionId }: { id: string; sessionId: string }): void {
  if (usable(app, findSession(app).get({ sessionId }), id) === undefined) throw unauthorized();
}
