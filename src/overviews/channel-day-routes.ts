// The operation for the daily statistics of a channel.
import { locateChannel } from '../channels/store.ts';
import { fromPath, type Operation, operation } from '../http/operation.ts';
import { id } from '../lib/shapes.ts';
import * as z from '../lib/zod.ts';
import { channelDays, dayQuery } from './channel-day-schema.ts';
import { readDays } from './channel-days.ts';

export const channelDayRoutes: Operation[] = [
  operation({
    id: 'getChannelDays',
    tag: 'Channels',
    summary: 'Daily downloads and installs of a channel, and the adoption of its current release',
    method: 'get',
    path: '/api/v1/channels/{channel_id}/analytics/days',
    access: { kind: 'project', permission: 'channel.read', tenant: fromPath('channel_id', locateChannel) },
    params: z.object({ channel_id: id() }),
    query: dayQuery,
    returns: channelDays,
    status: 200,
    handle: (ctx, { params, query }) => readDays(ctx, params.channel_id, query.days),
  }),
];
