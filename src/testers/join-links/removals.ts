// People whose access was removed by the team. A join link from before the removal can't restore it.
import { and, asc, eq, gte, inArray, lt, or } from 'drizzle-orm';
import { developerIdOf } from '../../core/actor.ts';
import type { App, RoleChange, Tx } from '../../core/context.ts';
import { isCurrent } from '../../data/queries.ts';
import { joinLinks, testerGroupGrants, testerRemovals } from '../../data/tables/tables.ts';
import type { JoinLinkRow } from './store.ts';

type Db = Pick<App, 'db'>;

interface Removal {
  /** The organization, project, channel or tester group. */
  targetId: string;
  organizationId: string;
  developerId: string | null;
}

/** Remembers that the team removed a person. Does nothing if they left themselves, or if no join link could restore the access. */
export function noteRemoval(tx: Tx, { targetId, organizationId, developerId }: Removal): void {
  if (developerId === null || developerId === developerIdOf(tx.actor)) return;
  if (findOldestLink(tx, organizationId) === undefined) return;
  const removedAt = tx.now;
  tx.db
    .insert(testerRemovals)
    .values({ targetId, organizationId, developerId, removedAt })
    .onConflictDoUpdate({ target: [testerRemovals.developerId, testerRemovals.targetId], set: { removedAt } })
    .run();
}

/** The same for a member who is removed from an organization or a project. */
export function noteMemberRemoval(tx: Tx, { developerId, organizationId, removedFrom }: RoleChange): void {
  if (organizationId === undefined || removedFrom === undefined) return;
  noteRemoval(tx, { targetId: removedFrom, organizationId, developerId });
}

/** Returns whether the team removed a person from the channel of a link, or from what includes it, after creating the link. */
export function wasRemovedSince({ db }: Db, link: JoinLinkRow, developerId: string): boolean {
  const { channelId, projectId, organizationId, createdAt } = link;
  const groups = db
    .select({ id: testerGroupGrants.groupId })
    .from(testerGroupGrants)
    .where(inArray(testerGroupGrants.targetId, [channelId, projectId]));
  const includesChannel = or(
    inArray(testerRemovals.targetId, [channelId, projectId, organizationId]),
    inArray(testerRemovals.targetId, groups),
  );
  const row = db
    .select({ removedAt: testerRemovals.removedAt })
    .from(testerRemovals)
    .where(and(eq(testerRemovals.developerId, developerId), gte(testerRemovals.removedAt, createdAt), includesChannel))
    .limit(1)
    .get();
  return row !== undefined;
}

function findOldestLink(tx: Tx, organizationId: string): number | undefined {
  return tx.db
    .select({ createdAt: joinLinks.createdAt })
    .from(joinLinks)
    .where(and(eq(joinLinks.organizationId, organizationId), isCurrent(joinLinks, tx.now)))
    .orderBy(asc(joinLinks.createdAt))
    .limit(1)
    .get()?.createdAt;
}

/** Deletes up to `max` removals that are older than every current link of their organization. Returns the number deleted. */
export function deleteOldRemovals(tx: Tx, max: number): number {
  const organizations = tx.db.selectDistinct({ id: testerRemovals.organizationId }).from(testerRemovals).all();
  let deleted = 0;
  for (const { id } of organizations) {
    if (deleted >= max) break;
    const oldest = findOldestLink(tx, id) ?? tx.now + 1;
    const old = tx.db
      .select({ developerId: testerRemovals.developerId, targetId: testerRemovals.targetId })
      .from(testerRemovals)
      .where(and(eq(testerRemovals.organizationId, id), lt(testerRemovals.removedAt, oldest)))
      .limit(max - deleted)
      .all();
    for (const { developerId, targetId } of old) {
      const isIt = and(eq(testerRemovals.developerId, developerId), eq(testerRemovals.targetId, targetId));
      deleted += tx.db.delete(testerRemovals).where(isIt).run().changes;
    }
  }
  return deleted;
}
