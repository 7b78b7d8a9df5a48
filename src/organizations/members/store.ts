// Queries for organization memberships.
import { and, desc, eq, inArray, isNull, ne, sql } from 'drizzle-orm';
import type { Context, Tx } from '../../core/context.ts';
import type { TimePosition } from '../../core/paging.ts';
import {
  developers,
  organizationMemberships,
  organizations,
  projectMemberships,
  projects,
} from '../../data/tables/tables.ts';
import type { OrganizationRole } from '../../permissions.ts';

export interface MemberRow {
  /** Id of the developer. */
  id: string;
  email: string;
  displayName: string;
  role: OrganizationRole;
  createdAt: number;
  deletionDueAt: number | null;
}

const memberColumns = {
  id: developers.id,
  email: developers.email,
  displayName: developers.displayName,
  role: organizationMemberships.role,
  createdAt: organizationMemberships.createdAt,
  deletionDueAt: developers.deletionDueAt,
};

const isMembership = (organizationId: string, developerId: string) =>
  and(eq(organizationMemberships.organizationId, organizationId), eq(organizationMemberships.developerId, developerId));

/** Returns a member, or undefined. */
export function findMember(ctx: Context, organizationId: string, developerId: string): MemberRow | undefined {
  return ctx.db
    .select(memberColumns)
    .from(organizationMemberships)
    .innerJoin(developers, eq(developers.id, organizationMemberships.developerId))
    .where(isMembership(organizationId, developerId))
    .get();
}

/** Returns whether a developer is a member of any organization. */
export function isMemberAnywhere({ db }: Pick<Context, 'db'>, developerId: string): boolean {
  const { developerId: column } = organizationMemberships;
  return (
    db.select({ column }).from(organizationMemberships).where(eq(column, developerId)).limit(1).get() !== undefined
  );
}

/** Returns the member with a normalized address, or undefined. */
export function findMemberByEmail(ctx: Context, organizationId: string, email: string): MemberRow | undefined {
  return ctx.db
    .select(memberColumns)
    .from(developers)
    .innerJoin(organizationMemberships, eq(organizationMemberships.developerId, developers.id))
    .where(and(eq(developers.email, email), eq(organizationMemberships.organizationId, organizationId)))
    .get();
}

/** Returns members before a position, newest first. */
export function listMemberRows(
  ctx: Context,
  { organizationId, before, limit }: { organizationId: string; before: TimePosition; limit: number },
): MemberRow[] {
  const { createdAt, developerId } = organizationMemberships;
  return ctx.db
    .select(memberColumns)
    .from(organizationMemberships)
    .innerJoin(developers, eq(developers.id, developerId))
    .where(
      and(
        eq(organizationMemberships.organizationId, organizationId),
        sql`(${createdAt}, ${developerId}) < (${before.at}, ${before.id})`,
      ),
    )
    .orderBy(desc(createdAt), desc(developerId))
    .limit(limit)
    .all();
}

/** As text of the query, not as a parameter, so that SQLite uses the index of admins. */
const isAdmin = sql`${organizationMemberships.role} = 'admin'`;

/** Most admins of an organization who get emails about it, earliest members first. */
const MAX_NOTIFIED_ADMINS = 100;

/** Returns the addresses of an organization's admins, with its name, without accounts scheduled for deletion. */
export function listAdminAddresses({ db }: Pick<Context, 'db'>, organizationId: string) {
  return db
    .select({ email: developers.email, organizationName: organizations.name })
    .from(organizationMemberships)
    .innerJoin(developers, eq(developers.id, organizationMemberships.developerId))
    .innerJoin(organizations, eq(organizations.id, organizationMemberships.organizationId))
    .where(and(eq(organizationMemberships.organizationId, organizationId), isAdmin, isNull(developers.deletionDueAt)))
    .orderBy(organizationMemberships.createdAt)
    .limit(MAX_NOTIFIED_ADMINS)
    .all();
}

/** Returns whether an organization has an admin besides one, not counting accounts scheduled for deletion. */
export function hasOtherAdmin({ db }: Pick<Context, 'db'>, organizationId: string, developerId: string): boolean {
  const row = db
    .select({ id: developers.id })
    .from(organizationMemberships)
    .innerJoin(developers, eq(developers.id, organizationMemberships.developerId))
    .where(
      and(
        eq(organizationMemberships.organizationId, organizationId),
        isAdmin,
        ne(developers.id, developerId),
        isNull(developers.deletionDueAt),
      ),
    )
    .limit(1)
    .get();
  return row !== undefined;
}

export function insertMembership(tx: Tx, row: typeof organizationMemberships.$inferInsert): void {
  tx.db.insert(organizationMemberships).values(row).run();
  for (const hook of tx.hooks.membersChanged) hook(tx, row.organizationId);
}

export function updateMembership(tx: Tx, organizationId: string, developerId: string, role: OrganizationRole): void {
  tx.db.update(organizationMemberships).set({ role }).where(isMembership(organizationId, developerId)).run();
}

/** Removes a membership with the memberships in the organization's projects. Returns the ids of those projects. */
export function deleteMembership(tx: Tx, organizationId: string, developerId: string): string[] {
  const ownProjects = tx.db
    .select({ id: projects.id })
    .from(projects)
    .where(eq(projects.organizationId, organizationId));
  const removed = tx.db
    .delete(projectMemberships)
    .where(and(eq(projectMemberships.developerId, developerId), inArray(projectMemberships.projectId, ownProjects)))
    .returning({ projectId: projectMemberships.projectId })
    .all();
  tx.db.delete(organizationMemberships).where(isMembership(organizationId, developerId)).run();
  for (const hook of tx.hooks.membersChanged) hook(tx, organizationId);
  return removed.map((row) => row.projectId);
}
