// The rules for personal access tokens, which scripts of a developer use in one organization.

import { developerIdOf } from '../../core/actor.ts';
import type { Context, DeveloperContext, OrganizationContext, Tx } from '../../core/context.ts';
import { type Page, type PageRequest, readPage } from '../../core/paging.ts';
import { MAX_RECORDED } from '../../core/role-changes.ts';
import type { EventName } from '../../events.ts';
import { PERSONAL_TOKEN_PREFIX } from '../../http/credentials.ts';
import { timestamp, timestampOrNull } from '../../lib/clock.ts';
import { AppError, notFound } from '../../lib/errors.ts';
import {
  ALL_SCOPES,
  effectiveProjectRole,
  isScopeSum,
  organizationRoleReaches,
  scopeCeiling,
  scopesIn,
} from '../../permissions.ts';
import { notifyOfToken } from '../../second-factors/notices.ts';
import { expiryMoment, refuseEndedToken, unrevokedToken } from '../expiry.ts';
import type {
  GrantableScopes,
  OwnedPersonalAccessToken,
  PersonalAccessToken,
  PersonalAccessTokenInput,
  PersonalAccessTokenWithSecret,
} from './schema.ts';
import {
  deletePersonalToken,
  findGreatestProjectRole,
  findPersonalToken,
  insertPersonalToken,
  listLivingTokens,
  listOwnTokenRows,
  listTokenRows,
  loadOwnToken,
  type OwnedTokenRow,
  type PersonalTokenRow,
  revokeTokensOf,
  updatePersonalToken,
} from './store.ts';

function toPersonalToken(row: PersonalTokenRow): PersonalAccessToken {
  return {
    identifier: row.id,
    organization_id: row.organizationId,
    developer_id: row.developerId,
    name: row.name,
    scopes: BigInt(row.scopes),
    created_at: timestamp(row.createdAt),
    expires_at: timestampOrNull(row.expiresAt),
    rotated_at: timestampOrNull(row.rotatedAt),
    revoked_at: timestampOrNull(row.revokedAt),
    last_used_at: timestampOrNull(row.lastUsedAt),
  };
}

function toOwnedToken(row: OwnedTokenRow): OwnedPersonalAccessToken {
  return {
    ...toPersonalToken(row),
    developer_email: row.email,
    developer_name: row.displayName,
    is_member: row.isMember,
  };
}

/**
 * Creates a token and returns its secret, which is shown only once. Throws `invalid_input` for a number that is neither
 * a sum of scopes nor ALL, and `insufficient_role` for scopes that the creator's roles don't allow, naming them. Each
 * use is limited by the owner's current roles.
 */
export function createPersonalToken(
  ctx: OrganizationContext,
  input: PersonalAccessTokenInput,
): PersonalAccessTokenWithSecret {
  return ctx.transact((tx) => {
    refuseUnknownScopes(input.scopes);
    refuseScopesBeyond(ceilingOf(ctx), input.scopes);
    const token = tx.secrets.token(PERSONAL_TOKEN_PREFIX);
    const row: PersonalTokenRow = {
      id: tx.ids.next(),
      organizationId: ctx.organization.id,
      developerId: callerId(ctx),
      name: input.name,
      scopes: String(input.scopes),
      tokenHash: tx.secrets.hash(token),
      createdAt: tx.now,
      expiresAt: expiryMoment(tx, input.expires_at),
      rotatedAt: null,
      revokedAt: null,
      lastUsedAt: null,
    };
    insertPersonalToken(tx, row);
    recordToken(tx, 'personal_access_token.created', row);
    if (tx.actor.kind === 'developer') notifyOfToken(tx, tx.actor, 'personal_token_created', row.name);
    return { ...toPersonalToken(row), token };
  });
}

/** Returns the caller's own tokens in the organization, including revoked and expired ones, without their secrets. */
export function listOwnTokens(ctx: OrganizationContext, request: PageRequest): Page<PersonalAccessToken> {
  const owner = { organizationId: ctx.organization.id, developerId: callerId(ctx) };
  return readPage(ctx, request, (before, limit) => listOwnTokenRows(ctx, { ...owner, before, limit }), toPersonalToken);
}

/** Returns all tokens in the organization with their owners, including former members. */
export function listTokens(ctx: OrganizationContext, request: PageRequest): Page<OwnedPersonalAccessToken> {
  const organizationId = ctx.organization.id;
  return readPage(ctx, request, (before, limit) => listTokenRows(ctx, { organizationId, before, limit }), toOwnedToken);
}

/** Returns the scopes that the caller can grant to a token of this organization. */
export function readGrantableScopes(ctx: OrganizationContext): GrantableScopes {
  const ceiling = ceilingOf(ctx);
  const isGrantable = (scope: ReturnType<typeof scopesIn>[number]) => scopesIn(ceiling).includes(scope);
  return {
    ceiling,
    scopes: {
      read: isGrantable('read'),
      upload_build: isGrantable('upload_build'),
      revoke_build: isGrantable('revoke_build'),
      manage_releases: isGrantable('manage_releases'),
      manage_testers: isGrantable('manage_testers'),
      edit_project: isGrantable('edit_project'),
      ALL: ceiling === ALL_SCOPES,
    },
  };
}

/**
 * Replaces the secret of an own token and returns the new one. The old one stops working immediately. Throws
 * `operation_not_allowed` for a token that is revoked or expired, and `insufficient_role` for scopes that the caller's
 * roles no longer allow.
 */
export function rotatePersonalToken(ctx: OrganizationContext, tokenId: string): PersonalAccessTokenWithSecret {
  return ctx.transact((tx) => {
    const row = loadOwnToken(tx, callerId(ctx), tokenId);
    refuseScopesBeyond(ceilingOf(ctx), BigInt(row.scopes));
    refuseEndedToken(tx, row);
    const token = tx.secrets.token(PERSONAL_TOKEN_PREFIX);
    const change = { tokenHash: tx.secrets.hash(token), rotatedAt: tx.now };
    updatePersonalToken(tx, row.id, change);
    recordToken(tx, 'personal_access_token.rotated', row, { rotated: true });
    if (tx.actor.kind === 'developer') notifyOfToken(tx, tx.actor, 'personal_token_rotated', row.name);
    return { ...toPersonalToken({ ...row, ...change }), token };
  });
}

/**
 * Revokes an own token. It stays listed. Revoking it again changes nothing. Former members can do it too. Throws `not_found` for
 * any other token, and for one of another organization than the given one.
 */
export function revokePersonalToken(ctx: DeveloperContext, tokenId: string, organizationId: string | undefined): void {
  ctx.transact((tx) => {
    const row = loadOwnToken(tx, ctx.actor.id, tokenId);
    if (organizationId !== undefined && row.organizationId !== organizationId) throw notFound();
    endToken(tx, row);
  });
}

/**
 * Deletes an own revoked token. Admins of the organization revoke any other token with it. Throws
 * `operation_not_allowed` for an own token that isn't revoked, and `not_found` for a token of another person if the
 * caller isn't an admin.
 */
export function removePersonalToken(ctx: OrganizationContext, tokenId: string): void {
  ctx.transact((tx) => {
    const { id: organizationId, role = 'member' } = ctx.organization;
    const isAdmin = organizationRoleReaches(role, 'admin');
    const row = findPersonalToken(tx, organizationId, tokenId);
    const isOwn = row?.developerId === callerId(ctx);
    if (row === undefined || (!isOwn && !isAdmin)) throw notFound();
    if (isOwn && row.revokedAt !== null) {
      deletePersonalToken(tx, row.id);
      recordToken(tx, 'personal_access_token.deleted', row);
      return;
    }
    if (!isAdmin) throw unrevokedToken();
    endToken(tx, row);
  });
}

/** Revokes the token of any owner in a transaction. Does nothing if it is already revoked. */
export function endToken(tx: Tx, row: PersonalTokenRow): void {
  if (row.revokedAt !== null) return;
  updatePersonalToken(tx, row.id, { revokedAt: tx.now });
  recordToken(tx, 'personal_access_token.revoked', row);
}

/** Revokes all tokens of an account that may have been created by someone else. */
export function endTokensOf(tx: Tx, developerId: string): void {
  for (const row of listLivingTokens(tx, developerId, 0, MAX_RECORDED)) endToken(tx, row);
  revokeTokensOf(tx, developerId);
}

function callerId({ actor }: Context): string {
  const id = developerIdOf(actor);
  if (id === null) throw new AppError('permission_denied');
  return id;
}

function ceilingOf(ctx: OrganizationContext): bigint {
  const { id, role = 'member' } = ctx.organization;
  return scopeCeiling(role, effectiveProjectRole(role, findGreatestProjectRole(ctx, id, callerId(ctx))));
}

function refuseUnknownScopes(scopes: bigint): void {
  if (isScopeSum(scopes)) return;
  const expected = `a sum of the scopes' values, or exactly ${ALL_SCOPES}. Send it as a string to keep all digits`;
  throw new AppError('invalid_input', `\`scopes\` must be ${expected}`, { field: 'scopes' });
}

function refuseScopesBeyond(ceiling: bigint, wanted: bigint): void {
  if (ceiling === ALL_SCOPES) return;
  const lacking = wanted === ALL_SCOPES ? ['ALL'] : scopesIn(wanted & ~ceiling);
  if (lacking.length === 0) return;
  throw new AppError(
    'insufficient_role',
    `Your roles don't allow ${lacking.join(', ')}. A token can't have more permissions than you`,
    {
      scopes: lacking,
    },
  );
}

/** Also records the event in the owner's audit trail if an admin did it. */
function recordToken(tx: Tx, event: EventName, row: PersonalTokenRow, details: Record<string, unknown> = {}): void {
  const { id: identifier, organizationId, developerId, name, scopes } = row;
  tx.record(event, {
    identifier,
    organizationId,
    developerId,
    details: { developer_id: developerId, name, scopes, ...details },
  });
}
