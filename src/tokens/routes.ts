// Operations on project access tokens; interactive sign-ins only (docs/specification/tokens.md#operations-that-reject-tokens).
import { empty, fromPath, fromQuery, type Operation, operation, type Tenant } from '../http/operation.ts';
import { inProject, pageQuery } from '../lib/shapes.ts';
import * as z from '../lib/zod.ts';
import {
  inTokenPath,
  projectAccessToken,
  projectAccessTokenInput,
  projectAccessTokenPage,
  projectAccessTokenWithSecret,
} from './schema.ts';
import {
  createProjectToken,
  listProjectTokens,
  removeProjectToken,
  revokeProjectToken,
  rotateProjectToken,
  takeOverProjectToken,
} from './service.ts';
import { locateProjectToken } from './store.ts';

const tag = 'Project access tokens';
const managing = (tenant: Tenant) =>
  ({ kind: 'project', permission: 'project.manage_tokens', tenant, isInteractive: true }) as const;
const inPath = managing(fromPath('token_id', locateProjectToken));
const inQuery = managing(fromQuery);

export const tokenRoutes: Operation[] = [
  operation({
    id: 'createProjectAccessToken',
    tag,
    summary: 'Create a project access token',
    description: "The secret is only shown in this response. The role can't exceed your own, now and at each use.",
    method: 'post',
    path: '/api/v1/project-access-tokens',
    access: inQuery,
    query: z.object(inProject),
    body: projectAccessTokenInput,
    returns: projectAccessTokenWithSecret,
    status: 201,
    handle: (ctx, { body }) => createProjectToken(ctx, body),
  }),
  operation({
    id: 'listProjectAccessTokens',
    tag,
    summary: 'List the tokens of a project, including revoked ones',
    method: 'get',
    path: '/api/v1/project-access-tokens',
    access: inQuery,
    query: z.object({ ...inProject, ...pageQuery }),
    returns: projectAccessTokenPage,
    status: 200,
    handle: (ctx, { query }) => listProjectTokens(ctx, query),
  }),
  operation({
    id: 'rotateProjectAccessToken',
    tag,
    summary: 'Rotate the secret of a token. The old secret stops working immediately',
    description:
      "The caller becomes the owner. The token can't exceed the owner's current role in the project. If the previous owner has no access to the project anymore, only an admin of the project can rotate the token, because that restores it; others get 400 operation_not_allowed.",
    method: 'post',
    path: '/api/v1/project-access-tokens/{token_id}/rotate',
    access: inPath,
    params: inTokenPath,
    returns: projectAccessTokenWithSecret,
    status: 200,
    handle: (ctx, { params }) => rotateProjectToken(ctx, params.token_id),
  }),
  operation({
    id: 'takeOverProjectAccessToken',
    tag,
    summary: 'Become the owner of a token',
    description:
      "A token can't exceed its owner's current role in the project and stops working when the owner leaves it. Taking it over " +
      'keeps its secret, role and expiry, so pipelines that use it work again. The former owner may still know the secret: ' +
      'rotate it to prevent further use.',
    method: 'post',
    path: '/api/v1/project-access-tokens/{token_id}/take-over',
    access: { ...inPath, permission: 'project.take_over_token' },
    params: inTokenPath,
    returns: projectAccessToken,
    status: 200,
    handle: (ctx, { params }) => takeOverProjectToken(ctx, params.token_id),
  }),
  operation({
    id: 'revokeProjectAccessToken',
    tag,
    summary: 'Revoke a token',
    method: 'post',
    path: '/api/v1/project-access-tokens/{token_id}/revoke',
    access: inPath,
    params: inTokenPath,
    returns: empty,
    status: 204,
    handle: (ctx, { params }) => revokeProjectToken(ctx, params.token_id),
  }),
  operation({
    id: 'deleteProjectAccessToken',
    tag,
    summary: 'Delete a revoked token',
    method: 'delete',
    path: '/api/v1/project-access-tokens/{token_id}',
    access: inPath,
    params: inTokenPath,
    returns: empty,
    status: 204,
    handle: (ctx, { params }) => removeProjectToken(ctx, params.token_id),
  }),
];
