// Queries for join links. A link is current if it is neither revoked nor expired, and open if it also has places left.
import { and, desc, eq, lt, lte, or, sql } from 'drizzle-orm';
import { placeholder } from 'drizzle-orm/sql/sql';
import type { App, Tx } from '../../core/context.ts';
import { isNotRemoved } from '../../core/removal.ts';
import { prepared } from '../../data/database.ts';
import { countCurrent, isBelow, isCurrent } from '../../data/queries.ts';
import { joinLinkSignUps, joinLinks } from '../../data/tables/tables.ts';

export type JoinLinkRow = typeof joinLinks.$inferSelect;
type Db = Pick<App, 'db'>;

const leadsSomewhere = and(isNotRemoved(joinLinks.channelId), isNotRemoved(joinLinks.projectId));

const isCurrentLink = (now: number) => and(isCurrent(joinLinks, now), leadsSomewhere);

/** Returns the state of a link, apart from the role of the person behind it. */
export function stateOf({ revokedAt, expiresAt, maxPeople, joined }: JoinLinkRow, now: number) {
  if (revokedAt !== null) return 'revoked';
  if (expiresAt !== null && expiresAt <= now) return 'expired';
  return maxPeople !== null && joined >= maxPeople ? 'full' : 'open';
}

export function insertJoinLink(tx: Tx, row: JoinLinkRow): void {
  tx.db.insert(joinLinks).values(row).run();
}

const byToken = prepared((db) =>
  db
    .select()
    .from(joinLinks)
    .where(and(eq(joinLinks.tokenHash, placeholder('tokenHash')), leadsSomewhere))
    .prepare(),
);

/** Returns the link with a token, in any state. */
export function findLinkByToken(app: Db, tokenHash: string): JoinLinkRow | undefined {
  return byToken(app).get({ tokenHash });
}

export function findLink({ db }: Db, id: string): JoinLinkRow | undefined {
  return db
    .select()
    .from(joinLinks)
    .where(and(eq(joinLinks.id, id), leadsSomewhere))
    .get();
}

/** Returns the links of a channel with ids below `before`, newest first. */
export function listLinks({ db }: Db, channelId: string, before: string, limit: number): JoinLinkRow[] {
  return db
    .select()
    .from(joinLinks)
    .where(and(eq(joinLinks.channelId, channelId), lt(joinLinks.id, before)))
    .orderBy(desc(joinLinks.id))
    .limit(limit)
    .all();
}

/** Returns the number of links of a channel that are neither revoked nor expired. */
export function countCurrentLinks(tx: Tx, channelId: string): number {
  return countCurrent(tx, joinLinks, and(eq(joinLinks.channelId, channelId), leadsSomewhere), tx.now);
}

/** Revokes a link of a channel. Returns undefined if it was already revoked or has expired. */
export function revokeLink(tx: Tx, { id, channelId }: { id: string; channelId: string }): JoinLinkRow | undefined {
  return tx.db
    .update(joinLinks)
    .set({ revokedAt: tx.now })
    .where(and(eq(joinLinks.id, id), eq(joinLinks.channelId, channelId), isCurrentLink(tx.now)))
    .returning()
    .get();
}

/** Takes a place with one conditional update. Returns false if the link isn't open. */
export function takePlace(tx: Tx, id: string): boolean {
  const { joined, maxPeople } = joinLinks;
  const { changes } = tx.db
    .update(joinLinks)
    .set({ joined: sql`${joined} + 1` })
    .where(and(eq(joinLinks.id, id), isCurrentLink(tx.now), isBelow(joined, maxPeople)))
    .run();
  return changes === 1;
}

/** Returns current links that depend on the roles of a developer, in one organization or all. */
export function listCurrentLinksBy(
  tx: Tx,
  wanted: { developerId: string; organizationId?: string | undefined; limit: number },
): JoinLinkRow[] {
  const { organizationId } = wanted;
  return tx.db
    .select()
    .from(joinLinks)
    .where(
      and(
        eq(joinLinks.backedBy, wanted.developerId),
        organizationId === undefined ? undefined : eq(joinLinks.organizationId, organizationId),
        isCurrentLink(tx.now),
      ),
    )
    .limit(wanted.limit)
    .all();
}

/** Revokes all links that depend on the roles of a developer. Returns them. */
export function revokeLinksBy(tx: Tx, developerId: string): JoinLinkRow[] {
  return tx.db
    .update(joinLinks)
    .set({ revokedAt: tx.now })
    .where(and(eq(joinLinks.backedBy, developerId), isCurrentLink(tx.now)))
    .returning()
    .all();
}

/** Returns up to `max` links that were revoked or expired before a time. */
export function listOldLinks({ db }: Db, before: number, max: number): string[] {
  const isOld = or(lte(joinLinks.expiresAt, before), lte(joinLinks.revokedAt, before));
  return db
    .select({ id: joinLinks.id })
    .from(joinLinks)
    .where(isOld)
    .limit(max)
    .all()
    .map(({ id }) => id);
}

export function insertSignUp(tx: Tx, row: { developerId: string; joinLinkId: string }): void {
  tx.db
    .insert(joinLinkSignUps)
    .values({ ...row, createdAt: tx.now })
    .run();
}

/** Deletes the sign-up of an account with a join link. Returns the id of that link, or undefined. */
export function takeSignUp(tx: Tx, developerId: string): string | undefined {
  return tx.db.delete(joinLinkSignUps).where(eq(joinLinkSignUps.developerId, developerId)).returning().get()
    ?.joinLinkId;
}
