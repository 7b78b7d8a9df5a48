// Pending sign-ins and WebAuthn ceremonies. Each challenge expires in five minutes and is consumed once.
import { and, eq, gt, isNull, lte } from 'drizzle-orm';
import type { App, Context, Tx } from '../core/context.ts';
import { deleteUpTo } from '../data/queries.ts';
import { challenges } from '../data/tables/tables.ts';
import { MINUTE } from '../lib/clock.ts';

export const CHALLENGE_LIFETIME_MS = 5 * MINUTE;

type ChallengeRow = typeof challenges.$inferSelect;
export type ChallengeKind = ChallengeRow['kind'];

export interface Challenge {
  id: string;
  developerId: string | null;
  data: Record<string, unknown>;
}

export interface NewChallenge {
  kind: ChallengeKind;
  developerId: string | null;
  data: Record<string, unknown>;
  /** The secret that identifies it instead of its id. Only its hash is stored. */
  token?: string;
}

const isOpen = (kind: ChallengeKind, now: number) =>
  and(eq(challenges.kind, kind), isNull(challenges.consumedAt), gt(challenges.expiresAt, now));

function toChallenge(row: ChallengeRow | undefined): Challenge | undefined {
  return row === undefined ? undefined : { id: row.id, developerId: row.developerId, data: JSON.parse(row.data) };
}

/** Creates a challenge. Returns its id. */
export function openChallenge(tx: Tx, { kind, developerId, data, token }: NewChallenge): string {
  const id = tx.ids.next();
  tx.db
    .insert(challenges)
    .values({
      id,
      kind,
      developerId,
      tokenHash: token === undefined ? null : tx.secrets.hash(token),
      data: JSON.stringify(data),
      createdAt: tx.now,
      expiresAt: tx.now + CHALLENGE_LIFETIME_MS,
    })
    .run();
  return id;
}

/**
 * Records the single use of a signed challenge that wasn't stored before. Of concurrent uses, only one gets true. The
 * row is kept until `expiresAt`, when the signature expires anyway.
 */
export function noteUsed(ctx: Context, kind: ChallengeKind, token: string, expiresAt: number): boolean {
  return ctx.transact(
    (tx) => {
      const { changes } = tx.db
        .insert(challenges)
        .values({
          id: tx.ids.next(),
          kind,
          tokenHash: tx.secrets.hash(token),
          data: '{}',
          createdAt: tx.now,
          consumedAt: tx.now,
          expiresAt,
        })
        .onConflictDoNothing({ target: challenges.tokenHash })
        .run();
      return changes === 1;
    },
    { bookkeeping: true },
  );
}

/** Returns the open challenge of a secret without consuming it. */
export function findChallengeByToken(app: App, kind: ChallengeKind, token: string): Challenge | undefined {
  const now = app.clock.time();
  const named = and(eq(challenges.tokenHash, app.secrets.hash(token)), isOpen(kind, now));
  return toChallenge(app.db.select().from(challenges).where(named).get());
}

/** Returns the open challenge of an id without consuming it. */
export function findChallenge(app: App, kind: ChallengeKind, id: string): Challenge | undefined {
  const now = app.clock.time();
  return toChallenge(
    app.db
      .select()
      .from(challenges)
      .where(and(eq(challenges.id, id), isOpen(kind, now)))
      .get(),
  );
}

/**
 * Consumes a challenge with one conditional update. Returns false if it was used, has expired or is of another kind.
 */
export function consumeChallenge(tx: Tx, kind: ChallengeKind, id: string): boolean {
  const { changes } = tx.db
    .update(challenges)
    .set({ consumedAt: tx.now })
    .where(and(eq(challenges.id, id), isOpen(kind, tx.now)))
    .run();
  return changes === 1;
}

/**
 * Consumes a challenge before its response is verified, so that each challenge allows one attempt. Returns undefined if
 * it isn't open.
 */
export function takeChallenge(ctx: Context, kind: ChallengeKind, id: string): Challenge | undefined {
  return ctx.transact(
    (tx) => {
      const challenge = findChallenge(tx, kind, id);
      return challenge !== undefined && consumeChallenge(tx, kind, id) ? challenge : undefined;
    },
    { bookkeeping: true },
  );
}

/** Closes all open challenges of an account, so that pending sign-ins end with the credentials they started with. */
export function endChallenges(tx: Tx, developerId: string): void {
  tx.db
    .update(challenges)
    .set({ consumedAt: tx.now })
    .where(and(eq(challenges.developerId, developerId), isNull(challenges.consumedAt)))
    .run();
}

/** Deletes up to `max` challenges that expired before a moment. Returns the number deleted. */
export function deleteExpiredChallenges(ctx: Context, before: number, max: number): number {
  return ctx.transact((tx) => deleteUpTo(tx, challenges.id, lte(challenges.expiresAt, before), max), {
    bookkeeping: true,
  });
}
