// Queries for tester grants. Pending ones have no developer.
import { and, desc, eq, isNull, lt, notBetween, notExists } from 'drizzle-orm';
import { placeholder } from 'drizzle-orm/sql/sql';
import { alias } from 'drizzle-orm/sqlite-core';
import type { App, Tx } from '../../core/context.ts';
import { prepared } from '../../data/database.ts';
import { developers, testerGrants } from '../../data/tables/tables.ts';
import type { Holder } from '../people.ts';
import { type Target, targetIdOf } from '../target.ts';

export type GrantRow = typeof testerGrants.$inferSelect;
/** A grant with its account. */
export type ListedGrant = GrantRow & Holder;
type Db = Pick<App, 'db'>;

function selectListed({ db }: Db) {
  return db
    .select({
      grant: testerGrants,
      holderEmail: developers.email,
      displayName: developers.displayName,
      emailVerifiedAt: developers.emailVerifiedAt,
    })
    .from(testerGrants)
    .leftJoin(developers, eq(developers.id, testerGrants.developerId));
}

const flatten = ({ grant, ...holder }: { grant: GrantRow } & Holder) => ({
  ...grant,
  ...holder,
});

/** Returns a grant for exactly this target, or undefined. */
export function findGrant(app: Db, target: Target, id: string): ListedGrant | undefined {
  const row = selectListed(app)
    .where(and(eq(testerGrants.id, id), eq(testerGrants.targetId, targetIdOf(target))))
    .get();
  return row && flatten(row);
}

const pageOfGrants = prepared((db) =>
  selectListed({ db })
    .where(and(eq(testerGrants.targetId, placeholder('targetId')), lt(testerGrants.id, placeholder('before'))))
    .orderBy(desc(testerGrants.id))
    .limit(placeholder('limit'))
    .prepare(),
);

/** Returns the grants for a target with ids below `before`, newest first. */
export function listGrants(app: Db, target: Target, before: string, limit: number): ListedGrant[] {
  return pageOfGrants(app)
    .all({ targetId: targetIdOf(target), before, limit })
    .map(flatten);
}

/** Returns whether a developer has a grant for exactly this target. */
export function isGranted({ db }: Db, target: Target, developerId: string): boolean {
  const row = db
    .select({ id: testerGrants.id })
    .from(testerGrants)
    .where(and(eq(testerGrants.targetId, targetIdOf(target)), eq(testerGrants.developerId, developerId)))
    .get();
  return row !== undefined;
}

/** Returns whether an address has a pending grant for exactly this target. */
export function isPending({ db }: Db, target: Target, email: string): boolean {
  const row = db
    .select({ id: testerGrants.id })
    .from(testerGrants)
    .where(
      and(
        eq(testerGrants.targetId, targetIdOf(target)),
        eq(testerGrants.email, email),
        isNull(testerGrants.developerId),
      ),
    )
    .get();
  return row !== undefined;
}

/** Returns all pending grants of an address, oldest first. */
export function listPendingGrants({ db }: Db, email: string): GrantRow[] {
  return db
    .select()
    .from(testerGrants)
    .where(and(eq(testerGrants.email, email), isNull(testerGrants.developerId)))
    .orderBy(testerGrants.id)
    .all();
}

export function insertGrant(tx: Tx, row: GrantRow): void {
  tx.db.insert(testerGrants).values(row).run();
}

export function deleteGrant(tx: Tx, id: string): void {
  tx.db.delete(testerGrants).where(eq(testerGrants.id, id)).run();
}

export function attachGrant(tx: Tx, id: string, developerId: string): void {
  tx.db.update(testerGrants).set({ developerId, attachedAt: tx.now }).where(eq(testerGrants.id, id)).run();
}

const waiting = alias(testerGrants, 'waiting');

/**
 * Makes the grants of an account pending for its address again, except access through a channel invitation and grants
 * that are already pending for the address.
 */
export function detachGrants(tx: Tx, developerId: string): void {
  const isThere = tx.db
    .select({ id: waiting.id })
    .from(waiting)
    .where(
      and(
        eq(waiting.targetId, testerGrants.targetId),
        eq(waiting.email, testerGrants.email),
        isNull(waiting.developerId),
      ),
    );
  tx.db
    .update(testerGrants)
    .set({ developerId: null, attachedAt: null })
    .where(and(eq(testerGrants.developerId, developerId), isNull(testerGrants.channelId), notExists(isThere)))
    .run();
}

/**
 * Claims the right to resend the email of a pending grant. Returns false if its last email is newer than `sentBefore`, unless it's
 * in the future: then the clock was ahead.
 */
export function renewNotice(tx: Tx, id: string, sentBefore: number): boolean {
  const { changes } = tx.db
    .update(testerGrants)
    .set({ notifiedAt: tx.now })
    .where(
      and(
        eq(testerGrants.id, id),
        isNull(testerGrants.developerId),
        notBetween(testerGrants.notifiedAt, sentBefore + 1, tx.now),
      ),
    )
    .run();
  return changes === 1;
}
