// Operations for channel invitations.
import {
  anonymous,
  empty,
  fromPath,
  fromQuery,
  interactive,
  media,
  type Operation,
  operation,
} from '../../http/operation.ts';
import { inChannel, pageQuery } from '../../lib/shapes.ts';
import * as z from '../../lib/zod.ts';
import { showInvitePage } from './page.ts';
import {
  acceptedChannelInvite,
  acceptInput,
  channelInviteBody,
  channelInvitePage,
  channelInvitePreview,
  inInvitePath,
  inInviteTokenPath,
  newChannelInvite,
} from './schema.ts';
import { acceptInvite, INVITATION_PAGE, inviteTester, listInvites, previewInvite, revokeInvite } from './service.ts';
import { locateInvitation } from './store.ts';

const tag = 'Testers';

export const channelInvitationRoutes: Operation[] = [
  operation({
    id: 'createChannelInvite',
    tag,
    summary: 'Create an invitation to a channel',
    description:
      'The link works once and expires in ten minutes. If an address is given, only that address can accept. The token is only shown in this response.',
    method: 'post',
    path: '/api/v1/channel-invites',
    access: { kind: 'project', permission: 'channel_invitation.manage', tenant: fromQuery },
    query: z.object(inChannel),
    body: channelInviteBody,
    isBodyOptional: true,
    returns: newChannelInvite,
    status: 201,
    handle: (ctx, { query, body }) => inviteTester(ctx, query.channel_id, body.email ?? null),
  }),
  operation({
    id: 'listChannelInvites',
    tag,
    summary: 'List the open and accepted invitations to a channel',
    method: 'get',
    path: '/api/v1/channel-invites',
    access: { kind: 'project', permission: 'channel_invitation.list', tenant: fromQuery },
    query: z.object({ ...inChannel, ...pageQuery }),
    returns: channelInvitePage,
    status: 200,
    handle: (ctx, { query }) => listInvites(ctx, query.channel_id, query),
  }),
  operation({
    id: 'revokeChannelInvite',
    tag,
    summary: 'Revoke an open invitation to a channel',
    method: 'delete',
    path: '/api/v1/channel-invites/{invite_id}',
    access: {
      kind: 'project',
      permission: 'channel_invitation.manage',
      tenant: fromPath('invite_id', locateInvitation),
    },
    params: inInvitePath,
    returns: empty,
    status: 204,
    handle: (ctx, { params }) => revokeInvite(ctx, params.invite_id),
  }),
  operation({
    id: 'previewChannelInvite',
    tag,
    summary: 'Preview an invitation to a channel',
    description: 'Requires only the link. Responds with 404 if the link is no longer valid.',
    method: 'get',
    path: '/api/v1/testers/invites/{token}/preview',
    access: anonymous,
    params: inInviteTokenPath,
    returns: channelInvitePreview,
    status: 200,
    handle: (ctx, { params }) => previewInvite(ctx, params.token),
  }),
  operation({
    id: 'showChannelInvite',
    tag,
    summary: 'Page of an invitation to a channel',
    method: 'get',
    path: `${INVITATION_PAGE}/{token}`,
    access: anonymous,
    params: inInviteTokenPath,
    returns: media('text/html'),
    status: 200,
    handle: (ctx, { params }) => showInvitePage(ctx, params.token),
  }),
  operation({
    id: 'acceptChannelInvite',
    tag,
    summary: 'Accept an invitation to a channel',
    description: 'Only the account with the invited, verified address can accept. ' + 'All others get 404.',
    method: 'post',
    path: '/api/v1/testers/invites/accept',
    access: interactive,
    body: acceptInput,
    returns: acceptedChannelInvite,
    status: 200,
    errors: [402, 404],
    handle: (ctx, { body }) => acceptInvite(ctx, body.invite_token),
  }),
];
