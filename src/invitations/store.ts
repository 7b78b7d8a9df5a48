// Queries for invitations to organizations and projects. Open means neither accepted nor expired.
import { and, desc, eq, gt, inArray, isNotNull, isNull, lt, lte, sql } from 'drizzle-orm';
import type { App, Context, Tx } from '../core/context.ts';
import { isNotRemoved } from '../core/removal.ts';
import { prepared } from '../data/database.ts';
import { developers, memberInvitations, organizations, projects } from '../data/tables/tables.ts';
import type { InvitationKind } from './schema.ts';

export type InvitationRow = typeof memberInvitations.$inferSelect;

/** The target of an invitation: an organization or one of its projects. */
export interface Target {
  organizationId: string;
  projectId: string | null;
}

/** Its organization and its project exist. */
const leadsSomewhere = and(isNotRemoved(memberInvitations.organizationId), isNotRemoved(memberInvitations.projectId));

const isOpen = (now: number) =>
  and(isNull(memberInvitations.acceptedAt), gt(memberInvitations.expiresAt, now), leadsSomewhere);

const leadsInto = ({ organizationId, projectId }: Target) =>
  and(
    eq(memberInvitations.organizationId, organizationId),
    projectId === null ? isNull(memberInvitations.projectId) : eq(memberInvitations.projectId, projectId),
  );

const isOfKind = (kind: InvitationKind) =>
  kind === 'project' ? isNotNull(memberInvitations.projectId) : isNull(memberInvitations.projectId);

export function insertInvitation(tx: Tx, row: InvitationRow): void {
  tx.db.insert(memberInvitations).values(row).run();
}

/** Returns an open invitation to a target, or undefined. */
export function findOpenInvitation(tx: Tx, target: Target, id: string): InvitationRow | undefined {
  return tx.db
    .select()
    .from(memberInvitations)
    .where(and(eq(memberInvitations.id, id), leadsInto(target), isOpen(tx.now)))
    .get();
}

/** Returns whether an address has an open invitation to a target. */
export function isInvited(tx: Tx, target: Target, email: string): boolean {
  const row = tx.db
    .select({ id: memberInvitations.id })
    .from(memberInvitations)
    .where(and(eq(memberInvitations.email, email), leadsInto(target), isOpen(tx.now)))
    .limit(1)
    .get();
  return row !== undefined;
}

const anyOpen = prepared((db) =>
  db
    .select({ id: memberInvitations.id })
    .from(memberInvitations)
    .where(
      and(
        eq(memberInvitations.email, sql.placeholder('email')),
        isNull(memberInvitations.acceptedAt),
        gt(memberInvitations.expiresAt, sql.placeholder('now')),
        leadsSomewhere,
      ),
    )
    .limit(1)
    .prepare(),
);

/** Returns whether an address has any open invitation. */
export function isInvitedAnywhere(app: Pick<App, 'db'>, email: string, now: number): boolean {
  return anyOpen(app).get({ email, now }) !== undefined;
}

/** Returns open invitations to a target with lower ids than `before`, newest first. */
export function listOpenInvitations(
  ctx: Context,
  { target, before, limit }: { target: Target; before: string; limit: number },
): InvitationRow[] {
  return ctx.db
    .select()
    .from(memberInvitations)
    .where(and(leadsInto(target), isOpen(ctx.clock.now().getTime()), lt(memberInvitations.id, before)))
    .orderBy(desc(memberInvitations.id))
    .limit(limit)
    .all();
}

/**
 * Returns open invitations that depend on the roles of a developer, in one organization or all, with ids above `after`,
 * oldest first.
 */
export function listOpenInvitationsBy(
  tx: Tx,
  wanted: { developerId: string; organizationId?: string | undefined; after: string; limit: number },
): InvitationRow[] {
  const { organizationId } = wanted;
  return tx.db
    .select()
    .from(memberInvitations)
    .where(
      and(
        eq(memberInvitations.backedBy, wanted.developerId),
        organizationId === undefined ? undefined : eq(memberInvitations.organizationId, organizationId),
        isOpen(tx.now),
        gt(memberInvitations.id, wanted.after),
      ),
    )
    .orderBy(memberInvitations.id)
    .limit(wanted.limit)
    .all();
}

/** Gives an open invitation a new link and expiry. Returns false if its last email is newer than `sentBefore`. */
export function renewInvitation(
  tx: Tx,
  id: string,
  change: Pick<InvitationRow, 'tokenHash' | 'sentAt' | 'expiresAt' | 'backedBy'>,
  sentBefore: number,
): boolean {
  const { changes } = tx.db
    .update(memberInvitations)
    .set(change)
    .where(and(eq(memberInvitations.id, id), isOpen(tx.now), lte(memberInvitations.sentAt, sentBefore)))
    .run();
  return changes === 1;
}

export function deleteInvitation(tx: Tx, id: string): void {
  tx.db.delete(memberInvitations).where(eq(memberInvitations.id, id)).run();
}

/** Accepts an open invitation of an address with one conditional update. Returns undefined if there is none. */
export function consumeInvitation(
  tx: Tx,
  wanted: { kind: InvitationKind; tokenHash: string; email: string; developerId: string },
): InvitationRow | undefined {
  return tx.db
    .update(memberInvitations)
    .set({ acceptedAt: tx.now, acceptedBy: wanted.developerId })
    .where(
      and(
        eq(memberInvitations.tokenHash, wanted.tokenHash),
        eq(memberInvitations.email, wanted.email),
        isOfKind(wanted.kind),
        isOpen(tx.now),
      ),
    )
    .returning()
    .get();
}

/** Returns the data for previewing an open invitation, or undefined if there is none. */
export function findPreview(ctx: Context, kind: InvitationKind, tokenHash: string) {
  return ctx.db
    .select({
      invitation: memberInvitations,
      organizationName: organizations.name,
      projectName: projects.name,
      inviterName: developers.displayName,
    })
    .from(memberInvitations)
    .innerJoin(organizations, eq(organizations.id, memberInvitations.organizationId))
    .leftJoin(projects, eq(projects.id, memberInvitations.projectId))
    .leftJoin(developers, eq(developers.id, memberInvitations.invitedBy))
    .where(and(eq(memberInvitations.tokenHash, tokenHash), isOfKind(kind), isOpen(ctx.clock.now().getTime())))
    .get();
}

/** Deletes up to `max` expired invitations, including accepted ones. Returns the number deleted. */
export function deleteLapsedInvitations(tx: Tx, max: number): number {
  const lapsed = tx.db
    .select({ id: memberInvitations.id })
    .from(memberInvitations)
    .where(lte(memberInvitations.expiresAt, tx.now))
    .limit(max);
  return tx.db.delete(memberInvitations).where(inArray(memberInvitations.id, lapsed)).run().changes;
}

/** Deletes the invitations accepted by an account, because they contain its address. */
export function deleteInvitationsAcceptedBy(tx: Tx, developerId: string): void {
  tx.db.delete(memberInvitations).where(eq(memberInvitations.acceptedBy, developerId)).run();
}
