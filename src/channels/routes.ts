// Operations for channels.
import { empty, fromPath, fromQuery, type Operation, operation } from '../http/operation.ts';
import { id, inProject, pageQuery } from '../lib/shapes.ts';
import * as z from '../lib/zod.ts';
import {
  channel,
  channelAnalytics,
  channelPage,
  createChannelBody,
  editChannelBody,
  siblingChannels,
} from './schema.ts';
import * as service from './service.ts';
import { locateChannel } from './store.ts';

const tag = 'Channels';
const params = z.object({ channel_id: id() });
const tenant = fromPath('channel_id', locateChannel);

export const channelRoutes: Operation[] = [
  operation({
    id: 'createChannel',
    tag,
    summary: 'Create a channel',
    method: 'post',
    path: '/api/v1/channels',
    access: { kind: 'project', permission: 'channel.edit', tenant: fromQuery },
    query: z.object(inProject),
    body: createChannelBody,
    returns: channel,
    status: 201,
    handle: (ctx, { body }) => service.createChannel(ctx, body),
  }),
  operation({
    id: 'listChannels',
    tag,
    summary: 'List the channels of a project',
    method: 'get',
    path: '/api/v1/channels',
    access: { kind: 'project', permission: 'channel.read', tenant: fromQuery },
    query: z.object({ ...inProject, ...pageQuery }),
    returns: channelPage,
    status: 200,
    handle: (ctx, { query }) => service.listChannels(ctx, query),
  }),
  operation({
    id: 'getChannel',
    tag,
    summary: 'Get a channel',
    method: 'get',
    path: '/api/v1/channels/{channel_id}',
    access: { kind: 'project', permission: 'channel.read', tenant },
    params,
    returns: channel,
    status: 200,
    handle: (ctx, { params: { channel_id } }) => service.readChannel(ctx, channel_id),
  }),
  operation({
    id: 'listChannelSiblings',
    tag,
    summary: 'List the channels for other platforms that the link of a channel also serves',
    description:
      'The channels of the same name in the linked projects of the app, as far as the caller can access them. Phones of those platforms get them if they may install from them.',
    method: 'get',
    path: '/api/v1/channels/{channel_id}/siblings',
    access: { kind: 'project', permission: 'channel.read', tenant },
    params,
    returns: siblingChannels,
    status: 200,
    handle: (ctx, { params: { channel_id } }) => service.readSiblings(ctx, channel_id),
  }),
  operation({
    id: 'editChannel',
    tag,
    summary: 'Change a channel',
    method: 'patch',
    path: '/api/v1/channels/{channel_id}',
    access: { kind: 'project', permission: 'channel.edit', tenant },
    params,
    body: editChannelBody,
    returns: channel,
    status: 200,
    handle: (ctx, { params: { channel_id }, body }) => service.editChannel(ctx, channel_id, body),
  }),
  operation({
    id: 'deleteChannel',
    tag,
    summary: 'Delete a channel',
    description:
      'Responds with 409 dependency_exists if it has releases or SDK apps, unless force=true deletes them too.',
    method: 'delete',
    path: '/api/v1/channels/{channel_id}',
    access: { kind: 'project', permission: 'channel.edit', tenant },
    params,
    query: z.object({ force: z.boolean().default(false) }),
    returns: empty,
    status: 204,
    handle: (ctx, { params: { channel_id }, query }) => service.deleteChannel(ctx, channel_id, query.force),
  }),
  operation({
    id: 'getChannelAnalytics',
    tag,
    summary: 'Downloads of a channel',
    description: 'Counts the downloads that were recorded for this channel.',
    method: 'get',
    path: '/api/v1/channels/{channel_id}/analytics',
    access: { kind: 'project', permission: 'channel.read', tenant },
    params,
    returns: channelAnalytics,
    status: 200,
    handle: (ctx, { params: { channel_id } }) => service.readAnalytics(ctx, channel_id),
  }),
];
