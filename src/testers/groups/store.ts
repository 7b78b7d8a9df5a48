// Queries for tester groups and their grants.
import { and, desc, eq, lt, ne, sql } from 'drizzle-orm';
import type { App, Tx } from '../../core/context.ts';
import { isNotRemoved, notRemoved } from '../../core/removal.ts';
import { groupTotals, testerGroupGrants, testerGroups } from '../../data/tables/tables.ts';
import { notFound } from '../../lib/errors.ts';

export type GroupRow = typeof testerGroups.$inferSelect;
export type ListedGroup = GroupRow & { members: number; grants: number };
export type GroupGrantRow = typeof testerGroupGrants.$inferSelect;
type Db = Pick<App, 'db'>;

const groupId = sql`${testerGroups}.id`;
/** The granted project or channel, and the project of the channel, still exist. */
const leadsSomewhere = and(isNotRemoved(testerGroupGrants.targetId), isNotRemoved(testerGroupGrants.projectId));
const listedColumns = {
  id: testerGroups.id,
  organizationId: testerGroups.organizationId,
  name: testerGroups.name,
  notifyOnRelease: testerGroups.notifyOnRelease,
  createdAt: testerGroups.createdAt,
  members: sql<number>`coalesce((SELECT members FROM ${groupTotals} WHERE group_id = ${groupId}), 0)`,
  grants: sql<number>`(SELECT count(*) FROM ${testerGroupGrants} g WHERE g.group_id = ${groupId} AND ${sql.raw(notRemoved('g.target_id'))} AND ${sql.raw(notRemoved('g.project_id'))})`,
};

/** Returns a group of an organization. Throws `not_found` if it doesn't exist there. */
export function loadGroup({ db }: Db, organizationId: string, id: string): ListedGroup {
  const row = db
    .select(listedColumns)
    .from(testerGroups)
    .where(and(eq(testerGroups.id, id), eq(testerGroups.organizationId, organizationId)))
    .get();
  if (row === undefined) throw notFound();
  return row;
}

/** Returns the groups of an organization with ids below `before`, newest first. */
export function listGroups({ db }: Db, organizationId: string, before: string, limit: number): ListedGroup[] {
  return db
    .select(listedColumns)
    .from(testerGroups)
    .where(and(eq(testerGroups.organizationId, organizationId), lt(testerGroups.id, before)))
    .orderBy(desc(testerGroups.id))
    .limit(limit)
    .all();
}

/** Returns whether another group of the organization has the name. */
export function isGroupNameTaken({ db }: Db, organizationId: string, name: string, but = ''): boolean {
  const row = db
    .select({ id: testerGroups.id })
    .from(testerGroups)
    .where(and(eq(testerGroups.organizationId, organizationId), eq(testerGroups.name, name), ne(testerGroups.id, but)))
    .get();
  return row !== undefined;
}

export function insertGroup(tx: Tx, row: GroupRow): void {
  tx.db.insert(testerGroups).values(row).run();
}

export function updateGroup(tx: Tx, id: string, change: Pick<GroupRow, 'name' | 'notifyOnRelease'>): void {
  tx.db.update(testerGroups).set(change).where(eq(testerGroups.id, id)).run();
}

/** Returns a grant of a group, or undefined. */
export function findGroupGrant({ db }: Db, group: string, id: string): GroupGrantRow | undefined {
  return db
    .select()
    .from(testerGroupGrants)
    .where(and(eq(testerGroupGrants.id, id), eq(testerGroupGrants.groupId, group), leadsSomewhere))
    .get();
}

/** Returns whether a group has a grant for exactly this target. */
export function isGroupGranted({ db }: Db, group: string, targetId: string): boolean {
  const row = db
    .select({ id: testerGroupGrants.id })
    .from(testerGroupGrants)
    .where(and(eq(testerGroupGrants.groupId, group), eq(testerGroupGrants.targetId, targetId)))
    .get();
  return row !== undefined;
}

/** Returns the grants of a group with ids below `before`, newest first. */
export function listGroupGrants({ db }: Db, group: string, before: string, limit: number): GroupGrantRow[] {
  return db
    .select()
    .from(testerGroupGrants)
    .where(and(eq(testerGroupGrants.groupId, group), lt(testerGroupGrants.id, before), leadsSomewhere))
    .orderBy(desc(testerGroupGrants.id))
    .limit(limit)
    .all();
}

export function insertGroupGrant(tx: Tx, row: GroupGrantRow): void {
  tx.db.insert(testerGroupGrants).values(row).run();
}

export function deleteGroupGrant(tx: Tx, id: string): void {
  tx.db.delete(testerGroupGrants).where(eq(testerGroupGrants.id, id)).run();
}
