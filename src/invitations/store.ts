// Queries for invitations to organizations and projects. Open means neither answered, lapsed nor expired.
import { and, desc, eq, gt, inArray, isNotNull, isNull, lt, lte, ne, notBetween, or, sql } from 'drizzle-orm';
import type { App, Context, Tx } from '../core/context.ts';
import { isNotRemoved } from '../core/removal.ts';
import { prepared } from '../data/database.ts';
import { deleteUpTo } from '../data/queries.ts';
import { developers, memberInvitations, organizations, outboxMails, projects } from '../data/tables/tables.ts';
import type { InvitationKind } from './schema.ts';

export type InvitationRow = typeof memberInvitations.$inferSelect;

/** The target of an invitation: an organization or one of its projects. */
export interface Target {
  organizationId: string;
  projectId: string | null;
}

/** Its organization and its project exist. */
const leadsSomewhere = and(isNotRemoved(memberInvitations.organizationId), isNotRemoved(memberInvitations.projectId));

const hasNotEnded = and(
  isNull(memberInvitations.acceptedAt),
  isNull(memberInvitations.declinedAt),
  isNull(memberInvitations.lapsedAt),
);

const isOpen = (now: number) => and(hasNotEnded, gt(memberInvitations.expiresAt, now), leadsSomewhere);

/** Of either link: the emailed one, or the one that the inviter got. */
const hasToken = (tokenHash: string) =>
  or(eq(memberInvitations.tokenHash, tokenHash), eq(memberInvitations.mailedTokenHash, tokenHash));

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

/** Returns the id of the open invitation of an address to a target, or undefined. */
export function findInvited(tx: Tx, target: Target, email: string): string | undefined {
  const row = tx.db
    .select({ id: memberInvitations.id })
    .from(memberInvitations)
    .where(and(eq(memberInvitations.email, email), leadsInto(target), isOpen(tx.now)))
    .limit(1)
    .get();
  return row?.id;
}

const anyOpen = prepared((db) =>
  db
    .select({ id: memberInvitations.id })
    .from(memberInvitations)
    .where(
      and(
        eq(memberInvitations.email, sql.placeholder('email')),
        hasNotEnded,
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

export type ListedInvitation = InvitationRow & { emailState: (typeof outboxMails.$inferSelect)['state'] | null };

/**
 * Returns open invitations to a target with lower ids than `before`, newest first, with the state of their emails. With
 * `withEnded`, also those that were declined or lapsed and would otherwise still be open.
 */
export function listInvitations(
  ctx: Context,
  { target, before, limit, withEnded }: { target: Target; before: string; limit: number; withEnded: boolean },
): ListedInvitation[] {
  const now = ctx.clock.time();
  const isUnexpired = and(isNull(memberInvitations.acceptedAt), gt(memberInvitations.expiresAt, now), leadsSomewhere);
  return ctx.db
    .select({ invitation: memberInvitations, emailState: outboxMails.state })
    .from(memberInvitations)
    .leftJoin(outboxMails, eq(outboxMails.id, memberInvitations.mailId))
    .where(and(leadsInto(target), withEnded ? isUnexpired : isOpen(now), lt(memberInvitations.id, before)))
    .orderBy(desc(memberInvitations.id))
    .limit(limit)
    .all()
    .map(({ invitation, emailState }) => ({ ...invitation, emailState }));
}

/** Returns the state of an invitation's newest email, or null if it was deleted. */
export function findEmailState(app: Pick<App, 'db'>, mailId: string | null): ListedInvitation['emailState'] {
  if (mailId === null) return null;
  const row = app.db.select({ state: outboxMails.state }).from(outboxMails).where(eq(outboxMails.id, mailId)).get();
  return row?.state ?? null;
}

/** Returns the open invitations of an address with lower ids than `before`, newest first, with the names they mention. */
export function listInvitationsOf(
  app: Pick<App, 'db'>,
  { email, now, before, limit }: { email: string; now: number; before: string; limit: number },
) {
  return selectNamed(app)
    .where(and(eq(memberInvitations.email, email), isOpen(now), lt(memberInvitations.id, before)))
    .orderBy(desc(memberInvitations.id))
    .limit(limit)
    .all();
}

/** Returns the names of projects by id, for those that exist in the organization. */
export function findProjectNames(
  app: Pick<App, 'db'>,
  organizationId: string,
  ids: readonly string[],
): Map<string, string> {
  if (ids.length === 0) return new Map();
  const isWanted = and(eq(projects.organizationId, organizationId), inArray(projects.id, [...ids]));
  const rows = app.db.select({ id: projects.id, name: projects.name }).from(projects).where(isWanted).all();
  return new Map(rows.map(({ id, name }) => [id, name]));
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

/**
 * Gives an open invitation a new link and expiry. Returns false if its last email is newer than `sentBefore`, unless it's in the
 * future: then the clock was ahead.
 */
export function renewInvitation(
  tx: Tx,
  id: string,
  change: Pick<InvitationRow, 'tokenHash' | 'mailedTokenHash' | 'sentAt' | 'expiresAt' | 'backedBy'>,
  sentBefore: number,
): boolean {
  const { changes } = tx.db
    .update(memberInvitations)
    .set(change)
    .where(
      and(eq(memberInvitations.id, id), isOpen(tx.now), notBetween(memberInvitations.sentAt, sentBefore + 1, tx.now)),
    )
    .run();
  return changes === 1;
}

export function setInvitationMail(tx: Tx, id: string, mailId: string): void {
  tx.db.update(memberInvitations).set({ mailId }).where(eq(memberInvitations.id, id)).run();
}

/** `projects` is the JSON text of the roles in projects that the invitation also grants. */
export function setInvitationProjects(tx: Tx, id: string, projects: string): void {
  tx.db.update(memberInvitations).set({ projects }).where(eq(memberInvitations.id, id)).run();
}

export function deleteInvitation(tx: Tx, id: string): void {
  tx.db.delete(memberInvitations).where(eq(memberInvitations.id, id)).run();
}

/** Deletes the open invitations of an address to an organization and its projects, or only those to one project. Returns them. */
export function takeOpenInvitationsTo(
  tx: Tx,
  wanted: { email: string; organizationId: string; projectId: string | undefined },
): InvitationRow[] {
  const { email, organizationId, projectId } = wanted;
  const isThere = and(
    eq(memberInvitations.organizationId, organizationId),
    projectId === undefined ? undefined : eq(memberInvitations.projectId, projectId),
  );
  return tx.db
    .delete(memberInvitations)
    .where(and(eq(memberInvitations.email, email), isThere, isOpen(tx.now)))
    .returning()
    .all();
}

/** Ends an invitation whose sender lost the role. It stays listed until it expires. */
export function lapseInvitation(tx: Tx, id: string): void {
  tx.db.update(memberInvitations).set({ lapsedAt: tx.now }).where(eq(memberInvitations.id, id)).run();
}

/** Ends all open invitations that depend on the roles of a developer. Returns them. */
export function lapseInvitationsBy(tx: Tx, developerId: string): InvitationRow[] {
  return tx.db
    .update(memberInvitations)
    .set({ lapsedAt: tx.now })
    .where(and(eq(memberInvitations.backedBy, developerId), isOpen(tx.now)))
    .returning()
    .all();
}

/** Identifies an invitation of an address: by the token of a link, or by its id for an account whose address is verified. */
type Wanted = { email: string; developerId: string } & ({ kind: InvitationKind; tokenHash: string } | { id: string });

const isWanted = (wanted: Wanted, now: number) =>
  and(
    'id' in wanted ? eq(memberInvitations.id, wanted.id) : and(hasToken(wanted.tokenHash), isOfKind(wanted.kind)),
    eq(memberInvitations.email, wanted.email),
    isOpen(now),
  );

/** Accepts an open invitation of an address with one conditional update. Returns undefined if there is none. */
export function consumeInvitation(tx: Tx, wanted: Wanted): InvitationRow | undefined {
  return tx.db
    .update(memberInvitations)
    .set({ acceptedAt: tx.now, acceptedBy: wanted.developerId })
    .where(isWanted(wanted, tx.now))
    .returning()
    .get();
}

/** Declines an open invitation of an address with one conditional update. Returns undefined if there is none. */
export function declineInvitation(tx: Tx, wanted: Wanted): InvitationRow | undefined {
  return tx.db
    .update(memberInvitations)
    .set({ declinedAt: tx.now, acceptedBy: wanted.developerId })
    .where(isWanted(wanted, tx.now))
    .returning()
    .get();
}

const selectNamed = (app: Pick<App, 'db'>) =>
  app.db
    .select({
      id: memberInvitations.id,
      invitation: memberInvitations,
      organizationName: organizations.name,
      projectName: projects.name,
      inviterName: developers.displayName,
    })
    .from(memberInvitations)
    .innerJoin(organizations, eq(organizations.id, memberInvitations.organizationId))
    .leftJoin(projects, eq(projects.id, memberInvitations.projectId))
    .leftJoin(developers, eq(developers.id, memberInvitations.invitedBy));

/** An invitation with the names that it mentions. */
export type NamedInvitation = ReturnType<typeof listInvitationsOf>[number];

/** Returns an open invitation with the names that it mentions by the token of either link, or undefined. */
export function findByToken(
  app: Pick<App, 'db' | 'clock'>,
  kind: InvitationKind,
  tokenHash: string,
): NamedInvitation | undefined {
  const now = app.clock.time();
  return selectNamed(app)
    .where(and(hasToken(tokenHash), isOfKind(kind), isOpen(now)))
    .get();
}

/** Returns other open invitations of the same address, oldest first. */
export function listOthers(
  { db, clock }: Pick<App, 'db' | 'clock'>,
  { id, email }: Pick<InvitationRow, 'id' | 'email'>,
  limit: number,
): InvitationRow[] {
  const now = clock.time();
  return db
    .select()
    .from(memberInvitations)
    .where(and(eq(memberInvitations.email, email), ne(memberInvitations.id, id), isOpen(now)))
    .orderBy(memberInvitations.id)
    .limit(limit)
    .all();
}

/** Deletes up to `max` expired invitations, including accepted ones. Returns the number deleted. */
export function deleteLapsedInvitations(tx: Tx, max: number): number {
  return deleteUpTo(tx, memberInvitations.id, lte(memberInvitations.expiresAt, tx.now), max);
}

/** Deletes the invitations accepted or declined by an account, because they contain its address. */
export function deleteInvitationsAcceptedBy(tx: Tx, developerId: string): void {
  tx.db.delete(memberInvitations).where(eq(memberInvitations.acceptedBy, developerId)).run();
}
