// Queries for channel invitations. Open means neither accepted nor expired.
import { and, desc, eq, gt, isNotNull, isNull, lt, lte, or } from 'drizzle-orm';
import { placeholder } from 'drizzle-orm/sql/sql';
import type { App, Context, Tx } from '../../core/context.ts';
import { isNotRemoved } from '../../core/removal.ts';
import { prepared } from '../../data/database.ts';
import { deleteUpTo } from '../../data/queries.ts';
import { channelInvitations, channels, organizations, projects } from '../../data/tables/tables.ts';
import type { Location } from '../../http/operation.ts';

export type InvitationRow = typeof channelInvitations.$inferSelect;
type Db = Pick<App, 'db'>;

/** Its channel and its project exist. */
const leadsSomewhere = and(isNotRemoved(channelInvitations.channelId), isNotRemoved(channelInvitations.projectId));

const isOpen = (now: number) =>
  and(isNull(channelInvitations.acceptedAt), gt(channelInvitations.expiresAt, now), leadsSomewhere);

const locationById = prepared((db) =>
  db
    .select({
      organizationId: channelInvitations.organizationId,
      projectId: channelInvitations.projectId,
      channelId: channelInvitations.channelId,
    })
    .from(channelInvitations)
    .where(and(eq(channelInvitations.id, placeholder('id')), leadsSomewhere))
    .prepare(),
);

/** Returns the location of an invitation, for access declarations. */
export function locateInvitation(app: Db, id: string): Location | undefined {
  return locationById(app).get({ id });
}

export function insertInvitation(tx: Tx, row: InvitationRow): void {
  tx.db.insert(channelInvitations).values(row).run();
}

/** Returns the open and accepted invitations to a channel with ids below `before`, newest first. */
export function listInvitations(ctx: Context, channelId: string, before: string, limit: number): InvitationRow[] {
  const isShown = or(isOpen(ctx.clock.time()), isNotNull(channelInvitations.acceptedAt));
  return ctx.db
    .select()
    .from(channelInvitations)
    .where(and(eq(channelInvitations.channelId, channelId), isShown, lt(channelInvitations.id, before)))
    .orderBy(desc(channelInvitations.id))
    .limit(limit)
    .all();
}

/** Deletes an open invitation to a project's channel. Returns undefined if there is none. */
export function takeOpenInvitation(tx: Tx, projectId: string, id: string): InvitationRow | undefined {
  return tx.db
    .delete(channelInvitations)
    .where(and(eq(channelInvitations.id, id), eq(channelInvitations.projectId, projectId), isOpen(tx.now)))
    .returning()
    .get();
}

/** Returns open invitations that depend on the roles of a developer, in one organization or all. */
export function listOpenInvitationsBy(
  tx: Tx,
  wanted: { developerId: string; organizationId?: string | undefined; limit: number },
): InvitationRow[] {
  const { organizationId } = wanted;
  return tx.db
    .select()
    .from(channelInvitations)
    .where(
      and(
        eq(channelInvitations.backedBy, wanted.developerId),
        organizationId === undefined ? undefined : eq(channelInvitations.organizationId, organizationId),
        isOpen(tx.now),
      ),
    )
    .limit(wanted.limit)
    .all();
}

/** Deletes all open invitations that depend on the roles of a developer. Returns them. */
export function takeOpenInvitationsBy(tx: Tx, developerId: string): InvitationRow[] {
  return tx.db
    .delete(channelInvitations)
    .where(and(eq(channelInvitations.backedBy, developerId), isOpen(tx.now)))
    .returning()
    .all();
}

export function deleteInvitation(tx: Tx, id: string): void {
  tx.db.delete(channelInvitations).where(eq(channelInvitations.id, id)).run();
}

/** Accepts an open invitation with one conditional update. Returns undefined if this address can't accept one. */
export function consumeInvitation(
  tx: Tx,
  { tokenHash, email, developerId }: { tokenHash: string; email: string; developerId: string },
): InvitationRow | undefined {
  return tx.db
    .update(channelInvitations)
    .set({ acceptedAt: tx.now, acceptedBy: developerId })
    .where(
      and(
        eq(channelInvitations.tokenHash, tokenHash),
        or(isNull(channelInvitations.email), eq(channelInvitations.email, email)),
        isOpen(tx.now),
      ),
    )
    .returning()
    .get();
}

/** Returns the data for previewing an open invitation, or undefined. */
export function findPreview(ctx: Context, tokenHash: string) {
  return ctx.db
    .select({
      invitation: channelInvitations,
      organizationName: organizations.name,
      projectName: projects.name,
      channelName: channels.name,
    })
    .from(channelInvitations)
    .innerJoin(organizations, eq(organizations.id, channelInvitations.organizationId))
    .innerJoin(projects, eq(projects.id, channelInvitations.projectId))
    .innerJoin(channels, eq(channels.id, channelInvitations.channelId))
    .where(and(eq(channelInvitations.tokenHash, tokenHash), isOpen(ctx.clock.time())))
    .get();
}

/** Returns whether an address has an open invitation to any channel. */
export function isInvitedAnywhere({ db }: Db, email: string, now: number): boolean {
  const row = db
    .select({ id: channelInvitations.id })
    .from(channelInvitations)
    .where(and(eq(channelInvitations.email, email), isOpen(now)))
    .limit(1)
    .get();
  return row !== undefined;
}

/** Deletes the invitations accepted by an account, because they contain its address. */
export function deleteAcceptedBy(tx: Tx, developerId: string): void {
  tx.db.delete(channelInvitations).where(eq(channelInvitations.acceptedBy, developerId)).run();
}

/**
 * Deletes up to `max` expired invitations, and as many accepted ones from before `acceptedBefore` that would have expired. Returns
 * the number deleted. Each kind has its index, so that accepted invitations aren't read until they are deleted.
 */
export function deleteEndedInvitations(tx: Tx, acceptedBefore: number, max: number): number {
  const { acceptedAt, expiresAt, id } = channelInvitations;
  const hasExpired = lte(expiresAt, tx.now);
  const expired = deleteUpTo(tx, id, and(isNull(acceptedAt), hasExpired), max);
  return expired + deleteUpTo(tx, id, and(isNotNull(acceptedAt), lte(acceptedAt, acceptedBefore), hasExpired), max);
}
