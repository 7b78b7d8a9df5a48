// Operations on personal access tokens; interactive sign-ins only (docs/specification/tokens.md#operations-that-reject-tokens).
import { empty, fromPath, fromQuery, interactive, type Operation, operation } from '../../http/operation.ts';
import { id, inOrganization, pageQuery } from '../../lib/shapes.ts';
import * as z from '../../lib/zod.ts';
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
      'The secret is only shown in this response. At each use, the token can do what both its scopes and your roles ' +
      'allow. It stops working when you leave the organization, and works again if you return before it is revoked.',
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
    summary: 'List your tokens in an organization, including revoked ones',
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
    summary: 'Scopes you can grant to a token',
    description:
      'A scope is grantable if your roles allow any of its actions, in the organization or in one of its projects. ' +
      'ALL is grantable if all scopes are.',
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
    summary: 'List all personal access tokens in an organization',
    description: 'Includes those of former members, with is_member false. They no longer work and can be revoked.',
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
    summary: 'Rotate the secret of your token. The old secret stops working immediately',
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
    summary: 'Revoke your token',
    description: 'Always possible, even after leaving the organization or if the organization is locked.',
    method: 'post',
    path: '/api/v1/pats/{pat_id}/revoke',
    access: interactive,
    params: inPersonalTokenPath,
    query: z.object({ organization_id: id().optional() }),
    returns: empty,
    status: 204,
    handle: (ctx, { params, query }) => revokePersonalToken(ctx, params.pat_id, query.organization_id),
  }),
  operation({
    id: 'deletePersonalAccessToken',
    tag,
    summary: 'Delete your revoked token; as an admin, revoke any token',
    description:
      'Admins of the organization can revoke all tokens with it. Others can delete their own revoked tokens.',
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
