// Queries for project access tokens.
import { and, desc, eq, getTableColumns, lt } from 'drizzle-orm';
import type { App, Context, Tx } from '../core/context.ts';
import { isCurrent } from '../data/queries.ts';
import { projectAccessTokens } from '../data/tables/tables.ts';
import { type OwnerRoles, ownerRoles } from '../data/token-owner-roles.ts';
import type { Location } from '../http/operation.ts';
import { notFound } from '../lib/errors.ts';

export type ProjectTokenRow = typeof projectAccessTokens.$inferSelect;
/** A token with the current roles of its owner. */
export type OwnedTokenRow = ProjectTokenRow & OwnerRoles;

const ownedColumns = { ...getTableColumns(projectAccessTokens), ...ownerRoles };

/** Returns the location of a token, for `fromPath('token_id', locateProjectToken)`. */
export function locateProjectToken(app: App, id: string): Location | undefined {
  return app.db
    .select({ organizationId: projectAccessTokens.organizationId, projectId: projectAccessTokens.projectId })
    .from(projectAccessTokens)
    .where(eq(projectAccessTokens.id, id))
    .get();
}

/** Returns a token of a project. Throws `not_found`. */
export function loadProjectToken(ctx: Context, projectId: string, id: string): OwnedTokenRow {
  const row = ctx.db
    .select(ownedColumns)
    .from(projectAccessTokens)
    .where(and(eq(projectAccessTokens.id, id), eq(projectAccessTokens.projectId, projectId)))
    .get();
  if (row === undefined) throw notFound();
  return row;
}

/** Returns the tokens of a project with ids below `before`, newest first, including revoked and expired ones. */
export function listProjectTokenRows(
  ctx: Context,
  { projectId, before, limit }: { projectId: string; before: string; limit: number },
): OwnedTokenRow[] {
  return ctx.db
    .select(ownedColumns)
    .from(projectAccessTokens)
    .where(and(eq(projectAccessTokens.projectId, projectId), lt(projectAccessTokens.id, before)))
    .orderBy(desc(projectAccessTokens.id))
    .limit(limit)
    .all();
}

/** Most tokens of an owner in a notice. Real owners have far fewer, and a role change must not delay other requests. */
const MAX_OWNED = 500;

/**
 * Returns an owner's tokens in an organization, or in all of them, that are neither revoked nor expired; at most 500.
 */
export function listOwnedTokens(tx: Tx, ownerId: string, organizationId?: string): OwnedTokenRow[] {
  return tx.db
    .select(ownedColumns)
    .from(projectAccessTokens)
    .where(
      and(
        eq(projectAccessTokens.ownerId, ownerId),
        organizationId === undefined ? undefined : eq(projectAccessTokens.organizationId, organizationId),
        isCurrent(projectAccessTokens, tx.now),
      ),
    )
    .limit(MAX_OWNED)
    .all();
}

/** Leaves an owner's tokens without one. They work again when a project admin takes them over. */
export function clearOwner(tx: Tx, ownerId: string): void {
  tx.db.update(projectAccessTokens).set({ ownerId: null }).where(eq(projectAccessTokens.ownerId, ownerId)).run();
}

export function insertProjectToken(tx: Tx, row: ProjectTokenRow): void {
  tx.db.insert(projectAccessTokens).values(row).run();
}

export function updateProjectToken(
  tx: Tx,
  id: string,
  change: Partial<Pick<ProjectTokenRow, 'tokenHash' | 'rotatedAt' | 'revokedAt' | 'ownerId'>>,
): void {
  tx.db.update(projectAccessTokens).set(change).where(eq(projectAccessTokens.id, id)).run();
}

export function deleteProjectToken(tx: Tx, id: string): void {
  tx.db.delete(projectAccessTokens).where(eq(projectAccessTokens.id, id)).run();
}
