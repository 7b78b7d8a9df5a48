// Operations for join links.
import { locateChannel } from '../../channels/store.ts';
import { empty, fromPath, media, type Operation, operation, visitor } from '../../http/operation.ts';
import { pageQuery } from '../../lib/shapes.ts';
import * as z from '../../lib/zod.ts';
import { inChannelPath } from '../roster/schema.ts';
import { answerJoin, showJoinPage } from './page.ts';
import { inJoinLinkPath, inJoinTokenPath, joinLinkBody, joinLinkPage, newJoinLink } from './schema.ts';
import { createJoinLink, JOIN_PAGE, listJoinLinks, revokeJoinLink } from './service.ts';

const tag = 'Testers';
const inChannel = '/api/v1/channels/{channel_id}/join-links';
const tenant = fromPath('channel_id', locateChannel);

export const joinLinkRoutes: Operation[] = [
  operation({
    id: 'createJoinLink',
    tag,
    summary: 'Create a join link of a channel',
    description:
      'People who open the link and sign in become testers of the channel, until the link expires, is revoked or has been used by ' +
      'max_people. The link is only shown in this response. It stops working when its creator loses the role maintainer.',
    method: 'post',
    path: inChannel,
    access: { kind: 'project', permission: 'channel_invitation.manage', tenant },
    params: inChannelPath,
    body: joinLinkBody,
    isBodyOptional: true,
    returns: newJoinLink,
    status: 201,
    errors: [402],
    handle: (ctx, { params, body }) => createJoinLink(ctx, params.channel_id, body),
  }),
  operation({
    id: 'listJoinLinks',
    tag,
    summary: 'List the join links of a channel',
    description: 'Revoked and expired links are listed for 90 days.',
    method: 'get',
    path: inChannel,
    access: { kind: 'project', permission: 'channel_invitation.list', tenant },
    params: inChannelPath,
    query: z.object(pageQuery),
    returns: joinLinkPage,
    status: 200,
    handle: (ctx, { params, query }) => listJoinLinks(ctx, params.channel_id, query),
  }),
  operation({
    id: 'revokeJoinLink',
    tag,
    summary: 'Revoke a join link',
    description: 'People who joined with it keep their access.',
    method: 'delete',
    path: `${inChannel}/{join_link_id}`,
    access: { kind: 'project', permission: 'channel_invitation.manage', tenant },
    params: inJoinLinkPath,
    returns: empty,
    status: 204,
    handle: (ctx, { params }) => revokeJoinLink(ctx, params.channel_id, params.join_link_id),
  }),
  operation({
    id: 'showJoinPage',
    tag,
    summary: 'Page of a join link',
    description:
      'Opening it changes nothing. It shows the organization, project and channel. People who can already install are redirected ' +
      'to the install page of the channel. Unknown, expired, revoked and used-up links get the same page.',
    method: 'get',
    path: `${JOIN_PAGE}/{token}`,
    access: visitor,
    params: inJoinTokenPath,
    returns: media('text/html'),
    status: 200,
    errors: [403],
    handle: (ctx, { params }) => showJoinPage(ctx, params.token),
  }),
  operation({
    id: 'joinChannel',
    tag,
    summary: 'Join a channel as a tester, from the page of a join link',
    description:
      'Requires the session of a browser whose account has a verified address. Redirects to the install page of the channel, or ' +
      'responds with the page of the link and the reason.',
    method: 'post',
    path: `${JOIN_PAGE}/{token}`,
    access: visitor,
    params: inJoinTokenPath,
    returns: media('text/html'),
    status: 200,
    errors: [403],
    handle: (ctx, { params }) => answerJoin(ctx, params.token),
  }),
];
