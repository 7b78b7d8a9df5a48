// The rules for project access tokens, which CI uses in one project.

import { developerIdOf } from '../core/actor.ts';
import type { ProjectContext, Tx } from '../core/context.ts';
import { type Page, type PageRequest, readPage } from '../core/paging.ts';
import { actingRole } from '../data/token-owner-roles.ts';
import type { EventName } from '../events.ts';
import { PROJECT_TOKEN_PREFIX } from '../http/credentials.ts';
import { timestamp, timestampOrNull } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import { type ProjectRole, projectRoleReaches } from '../permissions.ts';
import { expiryMoment, refuseEndedToken, unrevokedToken } from './expiry.ts';
import type { ProjectAccessToken, ProjectAccessTokenInput, ProjectAccessTokenWithSecret } from './schema.ts';
import {
  deleteProjectToken,
  insertProjectToken,
  listProjectTokenRows,
  loadProjectToken,
  type OwnedTokenRow,
  type ProjectTokenRow,
  updateProjectToken,
} from './store.ts';

function toToken(row: OwnedTokenRow): ProjectAccessToken {
  return {
    identifier: row.id,
    organization_id: row.organizationId,
    project_id: row.projectId,
    name: row.name,
    role: row.role,
    created_at: timestamp(row.createdAt),
    created_by: row.createdBy,
    owner_id: row.ownerId,
    effective_role: actingRole(row.role, row) ?? null,
    expires_at: timestampOrNull(row.expiresAt),
    rotated_at: timestampOrNull(row.rotatedAt),
    revoked_at: timestampOrNull(row.revokedAt),
    last_used_at: timestampOrNull(row.lastUsedAt),
  };
}

/**
 * Creates a token and returns its secret, which is shown only once. Throws `insufficient_role` for a role above the
 * creator's own. The expiry must be in the future.
 */
export function createProjectToken(ctx: ProjectContext, input: ProjectAccessTokenInput): ProjectAccessTokenWithSecret {
  refuseGreaterRole(ctx, input.role);
  return ctx.transact((tx) => {
    const token = tx.secrets.token(PROJECT_TOKEN_PREFIX);
    const row: ProjectTokenRow = {
      id: tx.ids.next(),
      organizationId: ctx.organization.id,
      projectId: ctx.project.id,
      name: input.name,
      role: input.role,
      tokenHash: tx.secrets.hash(token),
      createdBy: developerIdOf(tx.actor),
      ownerId: developerIdOf(tx.actor),
      createdAt: tx.now,
      expiresAt: expiryMoment(tx, input.expires_at),
      rotatedAt: null,
      revokedAt: null,
      lastUsedAt: null,
    };
    insertProjectToken(tx, row);
    recordToken(tx, 'project_access_token.created', row);
    return { ...toToken(loadProjectToken(tx, ctx.project.id, row.id)), token };
  });
}

/** Returns the tokens of the project, including revoked and expired ones, without their secrets. */
export function listProjectTokens(ctx: ProjectContext, request: PageRequest): Page<ProjectAccessToken> {
  return readPage(
    ctx,
    request,
    (before, limit) => listProjectTokenRows(ctx, { projectId: ctx.project.id, before, limit }),
    toToken,
  );
}

/**
 * Replaces the secret of the token and returns the new one. The old one stops working immediately. The caller knows the
 * secret then, so a role above the caller's is rejected, and the caller becomes the owner, whose role limits the token.
 * Throws `operation_not_allowed` for a token that is revoked or expired, and for one that stopped with its owner unless
 * the caller is an admin of the project: a rotation restores it, as taking it over does.
 */
export function rotateProjectToken(ctx: ProjectContext, tokenId: string): ProjectAccessTokenWithSecret {
  return ctx.transact((tx) => {
    const row = loadProjectToken(tx, ctx.project.id, tokenId);
    refuseGreaterRole(ctx, row.role);
    refuseEndedToken(tx, row);
    if (actingRole(row.role, row) === undefined && !projectRoleReaches(ctx.project.role, 'admin')) {
      throw new AppError(
        'operation_not_allowed',
        "The token's owner has no access to the project. An admin of the project must take it over first",
      );
    }
    const token = tx.secrets.token(PROJECT_TOKEN_PREFIX);
    const ownerId = developerIdOf(tx.actor);
    updateProjectToken(tx, row.id, { tokenHash: tx.secrets.hash(token), rotatedAt: tx.now, ownerId });
    const handedOver = ownerId === row.ownerId ? {} : { owner: { from: row.ownerId, to: ownerId } };
    recordToken(tx, 'project_access_token.rotated', row, handedOver);
    return { ...toToken(loadProjectToken(tx, ctx.project.id, row.id)), token };
  });
}

/** Revokes a token. It stays listed. Revoking it again changes nothing. */
export function revokeProjectToken(ctx: ProjectContext, tokenId: string): void {
  ctx.transact((tx) => {
    const row = loadProjectToken(tx, ctx.project.id, tokenId);
    if (row.revokedAt !== null) return;
    updateProjectToken(tx, row.id, { revokedAt: tx.now });
    recordToken(tx, 'project_access_token.revoked', row);
  });
}

/** Deletes a revoked token. Throws `operation_not_allowed` for one that isn't revoked. */
export function removeProjectToken(ctx: ProjectContext, tokenId: string): void {
  ctx.transact((tx) => {
    const row = loadProjectToken(tx, ctx.project.id, tokenId);
    if (row.revokedAt === null) throw unrevokedToken();
    deleteProjectToken(tx, row.id);
    recordToken(tx, 'project_access_token.deleted', row);
  });
}

/**
 * Makes the caller the owner of a token. The caller's role limits it from now on. Secret, role and expiry stay the
 * same. Throws `operation_not_allowed` for a token that is revoked or expired.
 */
export function takeOverProjectToken(ctx: ProjectContext, tokenId: string): ProjectAccessToken {
  return ctx.transact((tx) => {
    const row = loadProjectToken(tx, ctx.project.id, tokenId);
    refuseEndedToken(tx, row);
    const ownerId = developerIdOf(tx.actor);
    if (ownerId === row.ownerId) return toToken(row);
    updateProjectToken(tx, row.id, { ownerId });
    recordToken(tx, 'project_access_token.taken_over', row, { taken_over: true, from: row.ownerId, to: ownerId });
    return toToken(loadProjectToken(tx, ctx.project.id, row.id));
  });
}

function refuseGreaterRole(ctx: ProjectContext, role: ProjectRole): void {
  if (projectRoleReaches(ctx.project.role, role)) return;
  throw new AppError('insufficient_role', `Your role here is ${ctx.project.role}. A token can't have a higher role`, {
    role: ctx.project.role,
  });
}

function recordToken(
  tx: Tx,
  event: EventName,
  { id, organizationId, projectId, name, role }: ProjectTokenRow,
  more: Record<string, unknown> = {},
): void {
  const details = { project_id: projectId, name, role, ...more };
  tx.record(event, { identifier: id, organizationId, projectId, details });
}
