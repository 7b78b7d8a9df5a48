// Operations for requests for access to a channel.
import { locateAccessRequest } from '../../channels/access-requests.ts';
import { locateChannel } from '../../channels/store.ts';
import { empty, fromPath, type Operation, operation } from '../../http/operation.ts';
import { pageQuery } from '../../lib/shapes.ts';
import * as z from '../../lib/zod.ts';
import { accessRequestPage, inChannelPath, inRequestPath } from './schema.ts';
import { declineRequest, grantRequest, listRequests } from './service.ts';

const tag = 'Testers';
const inRequest = '/api/v1/channel-access-requests/{request_id}';
const answering = {
  kind: 'project',
  permission: 'channel_tester.manage',
  tenant: fromPath('request_id', locateAccessRequest),
} as const;

export const accessRequestRoutes: Operation[] = [
  operation({
    id: 'listChannelAccessRequests',
    tag,
    summary: 'List the open requests for access to a channel',
    description: 'People send them from the install page of the channel. They expire after 30 days.',
    method: 'get',
    path: '/api/v1/channels/{channel_id}/access-requests',
    access: { kind: 'project', permission: 'channel_tester.manage', tenant: fromPath('channel_id', locateChannel) },
    params: inChannelPath,
    query: z.object(pageQuery),
    returns: accessRequestPage,
    status: 200,
    handle: (ctx, { params, query }) => listRequests(ctx, params.channel_id, query),
  }),
  operation({
    id: 'grantChannelAccessRequest',
    tag,
    summary: 'Give access to a person who asked for it',
    description: 'The person becomes a tester of the channel and gets an email with its link.',
    method: 'post',
    path: `${inRequest}/grant`,
    access: answering,
    params: inRequestPath,
    returns: empty,
    status: 204,
    handle: (ctx, { params }) => grantRequest(ctx, params.request_id),
  }),
  operation({
    id: 'declineChannelAccessRequest',
    tag,
    summary: 'Decline a request for access',
    description: "The person isn't told. They can't ask again until the request expires.",
    method: 'post',
    path: `${inRequest}/decline`,
    access: answering,
    params: inRequestPath,
    returns: empty,
    status: 204,
    handle: (ctx, { params }) => declineRequest(ctx, params.request_id),
  }),
];
