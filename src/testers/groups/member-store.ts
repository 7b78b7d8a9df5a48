// Queries for members of tester groups. Pending ones have no developer.
import { and, desc, eq, isNull, lt, notExists } from 'drizzle-orm';
import { placeholder } from 'drizzle-orm/sql/sql';
import { alias } from 'drizzle-orm/sqlite-core';
import type { App, Tx } from '../../core/context.ts';
import { prepared } from '../../data/database.ts';
import { developers, testerGroupMembers, testerGroups } from '../../data/tables/tables.ts';
import type { Holder } from '../people.ts';

export type MemberRow = typeof testerGroupMembers.$inferSelect;
/** A member with its account. */
export type ListedMember = MemberRow & Holder;
type Db = Pick<App, 'db'>;

function selectListed({ db }: Db) {
  return db
    .select({
      member: testerGroupMembers,
      holderEmail: developers.email,
      displayName: developers.displayName,
      emailVerifiedAt: developers.emailVerifiedAt,
    })
    .from(testerGroupMembers)
    .leftJoin(developers, eq(developers.id, testerGroupMembers.developerId));
}

const flatten = ({ member, ...holder }: { member: MemberRow } & Holder) => ({
  ...member,
  ...holder,
});

/** Returns a member of a group, or undefined. */
export function findGroupMember(app: Db, group: string, id: string): ListedMember | undefined {
  const row = selectListed(app)
    .where(and(eq(testerGroupMembers.id, id), eq(testerGroupMembers.groupId, group)))
    .get();
  return row && flatten(row);
}

const pageOfMembers = prepared((db) =>
  selectListed({ db })
    .where(and(eq(testerGroupMembers.groupId, placeholder('group')), lt(testerGroupMembers.id, placeholder('before'))))
    .orderBy(desc(testerGroupMembers.id))
    .limit(placeholder('limit'))
    .prepare(),
);

/** Returns the members of a group with ids below `before`, newest first. */
export function listGroupMembers(app: Db, group: string, before: string, limit: number): ListedMember[] {
  return pageOfMembers(app).all({ group, before, limit }).map(flatten);
}

/** Returns whether a developer is in a group. */
export function isInGroup({ db }: Db, group: string, developerId: string): boolean {
  const row = db
    .select({ id: testerGroupMembers.id })
    .from(testerGroupMembers)
    .where(and(eq(testerGroupMembers.groupId, group), eq(testerGroupMembers.developerId, developerId)))
    .get();
  return row !== undefined;
}

/** Returns whether an address has a pending membership in a group. */
export function hasPendingMembership({ db }: Db, group: string, email: string): boolean {
  const row = db
    .select({ id: testerGroupMembers.id })
    .from(testerGroupMembers)
    .where(
      and(
        eq(testerGroupMembers.groupId, group),
        eq(testerGroupMembers.email, email),
        isNull(testerGroupMembers.developerId),
      ),
    )
    .get();
  return row !== undefined;
}

/** Returns all pending memberships of an address, oldest first, with the organizations of the groups. */
export function listPendingMembers({ db }: Db, email: string) {
  return db
    .select({ member: testerGroupMembers, organizationId: testerGroups.organizationId })
    .from(testerGroupMembers)
    .innerJoin(testerGroups, eq(testerGroups.id, testerGroupMembers.groupId))
    .where(and(eq(testerGroupMembers.email, email), isNull(testerGroupMembers.developerId)))
    .orderBy(testerGroupMembers.id)
    .all();
}

export function insertGroupMember(tx: Tx, row: MemberRow): void {
  tx.db.insert(testerGroupMembers).values(row).run();
}

export function deleteGroupMember(tx: Tx, id: string): void {
  tx.db.delete(testerGroupMembers).where(eq(testerGroupMembers.id, id)).run();
}

export function attachMember(tx: Tx, id: string, developerId: string): void {
  tx.db.update(testerGroupMembers).set({ developerId, attachedAt: tx.now }).where(eq(testerGroupMembers.id, id)).run();
}

const waiting = alias(testerGroupMembers, 'waiting');

/** Makes the memberships of an account pending for its address again, except where one is already pending. */
export function detachMembers(tx: Tx, developerId: string): void {
  const isThere = tx.db
    .select({ id: waiting.id })
    .from(waiting)
    .where(
      and(
        eq(waiting.groupId, testerGroupMembers.groupId),
        eq(waiting.email, testerGroupMembers.email),
        isNull(waiting.developerId),
      ),
    );
  tx.db
    .update(testerGroupMembers)
    .set({ developerId: null, attachedAt: null })
    .where(and(eq(testerGroupMembers.developerId, developerId), notExists(isThere)))
    .run();
}
