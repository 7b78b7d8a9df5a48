// Operations for devices that wait for a build of a channel.
import { locateChannel } from '../../channels/store.ts';
import { empty, fromPath, type Operation, operation } from '../../http/operation.ts';
import { pageQuery } from '../../lib/shapes.ts';
import * as z from '../../lib/zod.ts';
import { inChannelPath, inWaitingDevicePath, waitingDevicePage } from './schema.ts';
import { listWaitingDevices, removeWaitingDevice } from './service.ts';

const tag = 'Devices';
const tenant = fromPath('channel_id', locateChannel);

export const waitingDeviceRoutes: Operation[] = [
  operation({
    id: 'listWaitingDevices',
    tag,
    summary: 'List the devices that wait for a build of a channel',
    description:
      'Phones that were registered on its install page, or whose owners asked for a build there, newest first. A release that includes them removes them.',
    method: 'get',
    path: '/api/v1/channels/{channel_id}/waiting-devices',
    access: { kind: 'project', permission: 'channel_tester.list', tenant },
    params: inChannelPath,
    query: z.object(pageQuery),
    returns: waitingDevicePage,
    status: 200,
    handle: (ctx, { params, query }) => listWaitingDevices(ctx, params.channel_id, query),
  }),
  operation({
    id: 'removeWaitingDevice',
    tag,
    summary: 'Remove a device from those that wait for a build of a channel',
    description: 'It stays registered. Its owner can ask for a build again.',
    method: 'delete',
    path: '/api/v1/channels/{channel_id}/waiting-devices/{device_id}',
    access: { kind: 'project', permission: 'channel_tester.manage', tenant },
    params: inWaitingDevicePath,
    returns: empty,
    status: 204,
    handle: (ctx, { params }) => removeWaitingDevice(ctx, params.channel_id, params.device_id),
  }),
];
