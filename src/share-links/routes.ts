// Operations for share links, and their pages.
import { MAX_PASSWORD_LENGTH } from '../developers/password.ts';
import {
  anonymous,
  empty,
  fromPath,
  fromQuery,
  media,
  type Operation,
  operation,
  redirect,
} from '../http/operation.ts';
import { locateShareLink } from '../install/share-links.ts';
import { inProject } from '../lib/shapes.ts';
import * as z from '../lib/zod.ts';
import { enterSharePassword, showSharePage } from './pages.ts';
import { inShareLinkPath, newShareLink, shareLinkInput, shareLinkPage, shareLinkQuery } from './schema.ts';
import { createShareLink, readShareLinks, revokeShareLink } from './service.ts';

const tag = 'Share links';
const pageParams = z.object({ share_token: z.string() });

export const shareLinkRoutes: Operation[] = [
  operation({
    id: 'createShareLink',
    tag,
    summary: 'Create a link for people without an account, to a channel or one build',
    description:
      'The link is only shown in this response. It works while the person who created it has the role maintainer in the project.',
    method: 'post',
    path: '/api/v1/share-links',
    access: { kind: 'project', permission: 'share_link.manage', tenant: fromQuery },
    query: z.object(inProject),
    body: shareLinkInput,
    returns: newShareLink,
    status: 201,
    handle: (ctx, { body }) => createShareLink(ctx, body),
  }),
  operation({
    id: 'listShareLinks',
    tag,
    summary: 'List the share links of a project, including revoked and expired ones',
    description: 'Links stay listed for 30 days after they expired or were revoked.',
    method: 'get',
    path: '/api/v1/share-links',
    access: { kind: 'project', permission: 'share_link.list', tenant: fromQuery },
    query: shareLinkQuery,
    returns: shareLinkPage,
    status: 200,
    handle: (ctx, { query }) => readShareLinks(ctx, query, query),
  }),
  operation({
    id: 'revokeShareLink',
    tag,
    summary: 'Revoke a share link',
    description:
      'Its pages stop working, and so do installs that have started. Download links that were already handed out work for up to 15 minutes.',
    method: 'post',
    path: '/api/v1/share-links/{share_link_id}/revoke',
    access: {
      kind: 'project',
      permission: 'share_link.manage',
      tenant: fromPath('share_link_id', locateShareLink),
    },
    params: inShareLinkPath,
    returns: empty,
    status: 204,
    handle: (ctx, { params }) => revokeShareLink(ctx, params.share_link_id),
  }),
  operation({
    id: 'showSharePage',
    tag,
    summary: 'Install page of a share link, or a form for its password',
    description: "Links that don't work get the same page, for any reason.",
    method: 'get',
    path: '/s/{share_token}',
    access: anonymous,
    params: pageParams,
    returns: media('text/html'),
    status: 200,
    handle: (ctx, { params }) => showSharePage(ctx, params.share_token),
  }),
  operation({
    id: 'enterSharePassword',
    tag,
    summary: 'Enter the password of a share link',
    description: 'The cookie in the response opens the page for 30 days.',
    method: 'post',
    path: '/s/{share_token}',
    access: anonymous,
    rateLimit: 'sign_in',
    acceptsForm: true,
    params: pageParams,
    body: z.object({ password: z.string().max(MAX_PASSWORD_LENGTH) }).meta({ id: 'SharePassword' }),
    returns: redirect,
    status: 302,
    errors: [403],
    handle: (ctx, { params, body }) => enterSharePassword(ctx, params.share_token, body.password),
  }),
];
