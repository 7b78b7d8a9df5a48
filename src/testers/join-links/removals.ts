// People whose access was removed by the team. A join link from before the removal can't restore it.
import { and, eq, gte, inArray, or } from 'drizzle-orm';
import { developerIdOf } from '../../core/actor.ts';
import type { App, Context, RoleChange, Tx } from '../../core/context.ts';
import { prepared } from '../../data/database.ts';
import { testerGroupGrants, testerRemovals } from '../../data/tables/tables.ts';
import { startSteps } from '../../lib/steps.ts';
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
  if (findOldestLink(tx, organizationId, tx.now) === undefined) return;
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

/** Links of an organization among which the oldest current one is searched. */
const MAX_SEARCHED = 1_000;

/** All columns are in the index, and links that were revoked aren't read. */
const unrevokedLinks = prepared((db) =>
  db.$client.prepare<[string, number], { createdAt: number; expiresAt: number | null }>(
    `SELECT created_at AS createdAt, expires_at AS expiresAt FROM join_links
      WHERE organization_id = ? AND revoked_at IS NULL ORDER BY created_at LIMIT ?`,
  ),
);

/**
 * Returns when the oldest current link of an organization was created, or an earlier time if more than 1,000 links expired before
 * it; undefined if there is none.
 */
function findOldestLink(app: Db, organizationId: string, now: number): number | undefined {
  let searched = 0;
  for (const { createdAt, expiresAt } of unrevokedLinks(app).iterate(organizationId, MAX_SEARCHED)) {
    searched += 1;
    if (expiresAt === null || expiresAt > now || searched === MAX_SEARCHED) return createdAt;
  }
  return undefined;
}

const organizationAfter = prepared((db) =>
  db.$client
    .prepare<[string], string>(
      'SELECT organization_id FROM tester_removals WHERE organization_id > ? ORDER BY organization_id LIMIT 1',
    )
    .pluck(),
);

const deleteBefore = prepared((db) =>
  db.$client.prepare<[string, number, number]>(
    `DELETE FROM tester_removals WHERE rowid IN (
      SELECT rowid FROM tester_removals WHERE organization_id = ? AND removed_at < ? LIMIT ?)`,
  ),
);

/**
 * Deletes up to `max` removals that are older than every current link of their organization, one organization after the other.
 * Returns the number deleted.
 */
export async function deleteOldRemovals(ctx: Context, max: number): Promise<number> {
  const step = startSteps();
  let deleted = 0;
  for (
    let id = organizationAfter(ctx).get('');
    id !== undefined && deleted < max;
    id = organizationAfter(ctx).get(id)
  ) {
    const organizationId = id;
    deleted += ctx.transact(
      (tx) => {
        const oldest = findOldestLink(tx, organizationId, tx.now) ?? tx.now + 1;
        return deleteBefore(tx).run(organizationId, oldest, max - deleted).changes;
      },
      { bookkeeping: true },
    );
    await step();
  }
  return deleted;
}
