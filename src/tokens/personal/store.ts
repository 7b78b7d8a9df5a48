// Queries for personal access tokens.
import { and, desc, eq, gte, isNull, lt, or } from 'drizzle-orm';
import type { App, Context, Tx } from '../../core/context.ts';
import { isCurrent } from '../../data/queries.ts';
import {
  developers,
  organizationMemberships,
  personalAccessTokens,
  projectMemberships,
  projects,
} from '../../data/tables/tables.ts';
import type { Location } from '../../http/operation.ts';
import { notFound } from '../../lib/errors.ts';
import { type ProjectRole, projectRoleReaches } from '../../permissions.ts';

export type PersonalTokenRow = typeof personalAccessTokens.$inferSelect;

/** A token with its owner. */
export type OwnedTokenRow = PersonalTokenRow & { email: string; displayName: string; isMember: boolean };

/** Returns the location of a token, for `fromPath('pat_id', locatePersonalToken)`. */
export function locatePersonalToken({ db }: App, id: string): Location | undefined {
  return db
    .select({ organizationId: personalAccessTokens.organizationId })
    .from(personalAccessTokens)
    .where(eq(personalAccessTokens.id, id))
    .get();
}

/** Returns a token of an organization, or undefined. */
export function findPersonalToken(ctx: Context, organizationId: string, id: string): PersonalTokenRow | undefined {
  return ctx.db
    .select()
    .from(personalAccessTokens)
    .where(and(eq(personalAccessTokens.id, id), eq(personalAccessTokens.organizationId, organizationId)))
    .get();
}

/** Returns a developer's own token in any organization. Throws `not_found`. */
export function loadOwnToken(ctx: Context, developerId: string, id: string): PersonalTokenRow {
  const row = ctx.db
    .select()
    .from(personalAccessTokens)
    .where(and(eq(personalAccessTokens.id, id), eq(personalAccessTokens.developerId, developerId)))
    .get();
  if (row === undefined) throw notFound();
  return row;
}

interface Slice {
  organizationId: string;
  before: string;
  limit: number;
}

/**
 * Returns a developer's tokens in an organization with ids below `before`, newest first, including revoked and expired
 * ones.
 */
export function listOwnTokenRows(
  ctx: Context,
  { organizationId, developerId, before, limit }: Slice & { developerId: string },
): PersonalTokenRow[] {
  return ctx.db
    .select()
    .from(personalAccessTokens)
    .where(
      and(
        eq(personalAccessTokens.organizationId, organizationId),
        eq(personalAccessTokens.developerId, developerId),
        lt(personalAccessTokens.id, before),
      ),
    )
    .orderBy(desc(personalAccessTokens.id))
    .limit(limit)
    .all();
}

/**
 * Returns a developer's active tokens of all organizations that were created or rotated after a moment, newest first.
 */
export function listLivingTokens(app: Pick<App, 'db' | 'clock'>, developerId: string, since: number, limit: number) {
  const { createdAt, rotatedAt } = personalAccessTokens;
  return app.db
    .select()
    .from(personalAccessTokens)
    .where(
      and(
        eq(personalAccessTokens.developerId, developerId),
        isCurrent(personalAccessTokens, app.clock.time()),
        or(gte(createdAt, since), gte(rotatedAt, since)),
      ),
    )
    .orderBy(desc(personalAccessTokens.id))
    .limit(limit)
    .all();
}

/** Returns all tokens in an organization with ids below `before`, newest first, including those of former members. */
export function listTokenRows(ctx: Context, { organizationId, before, limit }: Slice): OwnedTokenRow[] {
  return ctx.db
    .select({
      token: personalAccessTokens,
      email: developers.email,
      displayName: developers.displayName,
      memberId: organizationMemberships.developerId,
    })
    .from(personalAccessTokens)
    .innerJoin(developers, eq(developers.id, personalAccessTokens.developerId))
    .leftJoin(
      organizationMemberships,
      and(
        eq(organizationMemberships.organizationId, personalAccessTokens.organizationId),
        eq(organizationMemberships.developerId, personalAccessTokens.developerId),
      ),
    )
    .where(and(eq(personalAccessTokens.organizationId, organizationId), lt(personalAccessTokens.id, before)))
    .orderBy(desc(personalAccessTokens.id))
    .limit(limit)
    .all()
    .map(({ token, email, displayName, memberId }) => ({ ...token, email, displayName, isMember: memberId !== null }));
}

/** Returns the highest role of a developer in any project of an organization. */
export function findGreatestProjectRole(
  ctx: Context,
  organizationId: string,
  developerId: string,
): ProjectRole | undefined {
  const rows = ctx.db
    .selectDistinct({ role: projectMemberships.role })
    .from(projectMemberships)
    .innerJoin(projects, eq(projects.id, projectMemberships.projectId))
    .where(and(eq(projectMemberships.developerId, developerId), eq(projects.organizationId, organizationId)))
    .all();
  return rows.reduce<ProjectRole | undefined>(
    (greatest, { role }) => (greatest !== undefined && projectRoleReaches(greatest, role) ? greatest : role),
    undefined,
  );
}

export function insertPersonalToken(tx: Tx, row: PersonalTokenRow): void {
  tx.db.insert(personalAccessTokens).values(row).run();
}

export function updatePersonalToken(
  tx: Tx,
  id: string,
  change: Partial<Pick<PersonalTokenRow, 'tokenHash' | 'rotatedAt' | 'revokedAt'>>,
): void {
  tx.db.update(personalAccessTokens).set(change).where(eq(personalAccessTokens.id, id)).run();
}

/** Revokes all tokens of a developer that aren't revoked. */
export function revokeTokensOf(tx: Tx, developerId: string): void {
  tx.db
    .update(personalAccessTokens)
    .set({ revokedAt: tx.now })
    .where(and(eq(personalAccessTokens.developerId, developerId), isNull(personalAccessTokens.revokedAt)))
    .run();
}

export function deletePersonalToken(tx: Tx, id: string): void {
  tx.db.delete(personalAccessTokens).where(eq(personalAccessTokens.id, id)).run();
}
