// Operations on personal access tokens; interactive sign-ins only (docs/specification/tokens.md#what-refuses-tokens).
import { z } from 'zod';
import { empty, fromPath, fromQuery, interactive, type Operation, operation } from '../../http/operation.ts';
import { id, inOrganization, pageQuery } from '../../lib/shapes.ts';
import {
  grantableScopes,
  inPersonalTokenPath,
  ownedPersonalAccessTokenPage,
  personalAccessTokenInput,
  personalAccessTokenPage,
  personalAccessTokenWithSecret,
} from './schema.ts';
import {
  createPersonalToken,
  listOwnTokens,
  listTokens,
  readGrantableScopes,
  removePersonalToken,
  revokePersonalToken,
  rotatePersonalToken,
} from './service.ts';
import { locatePersonalToken } from './store.ts';

const tag = 'Personal access tokens';
const own = { kind: 'organization', permission: 'personal_token.manage', isInteractive: true } as const;
const inQuery = { ...own, tenant: fromQuery } as const;
const inPath = { ...own, tenant: fromPath('pat_id', locatePersonalToken) } as const;

export const personalTokenRoutes: Operation[] = [
  operation({
    id: 'createPersonalAccessToken',
    tag,
    summary: 'Create a token that acts as you in one organization',
    description:
      'The secret is in this answer and nowhere else. The token may do what its scopes and your roles both allow, at each ' +
      'use: it loses its authority when you leave the organization, and has it again should you come back before it is revoked.',
    method: 'post',
    path: '/api/v1/pats',
    access: inQuery,
    query: z.object(inOrganization),
    body: personalAccessTokenInput,
    returns: personalAccessTokenWithSecret,
    status: 201,
    handle: (ctx, { body }) => createPersonalToken(ctx, body),
  }),
  operation({
    id: 'listPersonalAccessTokens',
    tag,
    summary: 'Your tokens in an organization, revoked ones included',
    method: 'get',
    path: '/api/v1/pats',
    access: inQuery,
    query: z.object({ ...inOrganization, ...pageQuery }),
    returns: personalAccessTokenPage,
    status: 200,
    handle: (ctx, { query }) => listOwnTokens(ctx, query),
  }),
  operation({
    id: 'getGrantableScopes',
    tag,
    summary: 'The scopes that a token of yours may have',
    description:
      'A scope is grantable when your roles allow anything it stands for, in the organization or in one of its projects; ' +
      'ALL is grantable when every scope is.',
    method: 'get',
    path: '/api/v1/pats/grantable-scopes',
    access: inQuery,
    query: z.object(inOrganization),
    returns: grantableScopes,
    status: 200,
    handle: (ctx) => readGrantableScopes(ctx),
  }),
  operation({
    id: 'listAllPersonalAccessTokens',
    tag,
    summary: 'Every personal access token in an organization',
    description:
      'Those of former members are there too, with is_member false: they can do nothing, and can be revoked.',
    method: 'get',
    path: '/api/v1/pats/all',
    access: { kind: 'organization', permission: 'personal_token.manage_all', tenant: fromQuery, isInteractive: true },
    query: z.object({ ...inOrganization, ...pageQuery }),
    returns: ownedPersonalAccessTokenPage,
    status: 200,
    handle: (ctx, { query }) => listTokens(ctx, query),
  }),
  operation({
    id: 'rotatePersonalAccessToken',
    tag,
    summary: 'Exchange the secret of a token of yours; the old one stops at once',
    method: 'post',
    path: '/api/v1/pats/{pat_id}/rotate',
    access: inPath,
    params: inPersonalTokenPath,
    returns: personalAccessTokenWithSecret,
    status: 200,
    handle: (ctx, { params }) => rotatePersonalToken(ctx, params.pat_id),
  }),
  operation({
    id: 'revokePersonalAccessToken',
    tag,
    summary: 'End a token of yours for good',
    description: 'Possible always: also when you have left its organization or the organization is locked.',
    method: 'post',
    path: '/api/v1/pats/{pat_id}/revoke',
    access: interactive,
    params: inPersonalTokenPath,
    returns: empty,
    status: 204,
    handle: (ctx, { params }) => revokePersonalToken(ctx, params.pat_id),
  }),
  operation({
    id: 'deletePersonalAccessToken',
    tag,
    summary: 'Delete a revoked token of yours; as an admin, revoke any token',
    description:
      'An admin of the organization revokes with it whatever token is not revoked yet, everybody deletes their own revoked ones.',
    method: 'delete',
    path: '/api/v1/pats/{pat_id}',
    access: inPath,
    params: inPersonalTokenPath,
    query: z.object({ organization_id: id().optional() }),
    returns: empty,
    status: 204,
    handle: (ctx, { params }) => removePersonalToken(ctx, params.pat_id),
  }),
];
