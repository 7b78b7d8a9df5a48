// Queries for organizations.
import { and, count, desc, eq, sql } from 'drizzle-orm';
import type { App, Context, Tx } from '../core/context.ts';
import { prepared } from '../data/database.ts';
import { organizationMemberships, organizations } from '../data/tables/tables.ts';
import { notFound } from '../lib/errors.ts';
import type { OrganizationRole } from '../permissions.ts';

export type OrganizationRow = typeof organizations.$inferSelect;
export type JoinedOrganization = OrganizationRow & { role: OrganizationRole };
export type OrganizationRowChange = Partial<Omit<OrganizationRow, 'id' | 'createdBy' | 'createdAt'>>;

const organizationById = prepared((db) =>
  db
    .select()
    .from(organizations)
    .where(eq(organizations.id, sql.placeholder('id')))
    .prepare(),
);

export function findOrganization(ctx: Pick<App, 'db'>, id: string): OrganizationRow | undefined {
  return organizationById(ctx).get({ id });
}

/** Returns an organization. The caller's access must have been checked. Throws `not_found`. */
export function loadOrganization(ctx: Pick<App, 'db'>, id: string): OrganizationRow {
  const row = findOrganization(ctx, id);
  if (row === undefined) throw notFound();
  return row;
}

const joinedBy = prepared((db) =>
  db
    .select({ organization: organizations, role: organizationMemberships.role })
    .from(organizationMemberships)
    .innerJoin(organizations, eq(organizations.id, organizationMemberships.organizationId))
    .where(eq(organizationMemberships.developerId, sql.placeholder('developerId')))
    .orderBy(desc(organizations.id))
    .prepare(),
);

/** Returns the organizations that a developer is a member of, newest first. */
export function listJoinedOrganizations(ctx: Context, developerId: string): JoinedOrganization[] {
  return joinedBy(ctx)
    .all({ developerId })
    .map(({ organization, role }) => ({ ...organization, role }));
}

/** Returns an organization with the role of a developer in it, or undefined if they aren't a member. */
export function findJoinedOrganization(ctx: Context, id: string, developerId: string): JoinedOrganization | undefined {
  const row = ctx.db
    .select({ organization: organizations, role: organizationMemberships.role })
    .from(organizationMemberships)
    .innerJoin(organizations, eq(organizations.id, organizationMemberships.organizationId))
    .where(and(eq(organizations.id, id), eq(organizationMemberships.developerId, developerId)))
    .get();
  return row === undefined ? undefined : { ...row.organization, role: row.role };
}

/** Returns the number of existing organizations created by a developer. */
export function countCreatedOrganizations(ctx: Context, developerId: string): number {
  const row = ctx.db
    .select({ count: count() })
    .from(organizations)
    .where(eq(organizations.createdBy, developerId))
    .get();
  return row?.count ?? 0;
}

export function insertOrganization(tx: Tx, row: typeof organizations.$inferInsert): void {
  tx.db.insert(organizations).values(row).run();
}

export function updateOrganization(tx: Tx, id: string, change: OrganizationRowChange): void {
  tx.db.update(organizations).set(change).where(eq(organizations.id, id)).run();
}

/** Stores the color of an icon, unless the icon was replaced since it was read. */
export function storeIconColor(tx: Tx, id: string, iconKey: string, iconColor: string): void {
  const isUnchanged = and(eq(organizations.id, id), eq(organizations.iconKey, iconKey));
  tx.db.update(organizations).set({ iconColor }).where(isUnchanged).run();
}
