// Operations for an organization's devices and for a tester's own.
import { empty, fromPath, fromQuery, media, type Operation, operation } from '../http/operation.ts';
import { id, inOrganization, pageQuery } from '../lib/shapes.ts';
import * as z from '../lib/zod.ts';
import { device, deviceChange, deviceInput, devicePage } from './schema.ts';
import { addDevice, changeDevice, exportDevices, listDevices, readDevice, removeDevice } from './service.ts';
import { locateDevice } from './store.ts';

const tag = 'Devices';
const tenant = fromPath('device_id', locateDevice);
const deviceParams = z.object({ device_id: id() });

export const deviceRoutes: Operation[] = [
  operation({
    id: 'listDevices',
    tag,
    summary: 'List the devices of an organization',
    method: 'get',
    path: '/api/v1/devices',
    access: { kind: 'organization', permission: 'device.read', tenant: fromQuery },
    query: z.object({ ...inOrganization, ...pageQuery }),
    returns: devicePage,
    status: 200,
    handle: (ctx, { query }) => listDevices(ctx, query),
  }),
  operation({
    id: 'exportDevices',
    tag,
    summary: "Export the devices of an organization as a file for Apple's website",
    method: 'get',
    path: '/api/v1/devices/export',
    access: { kind: 'organization', permission: 'device.export', tenant: fromQuery },
    query: z.object(inOrganization),
    returns: media('text/plain'),
    status: 200,
    handle: (ctx) => exportDevices(ctx),
  }),
  operation({
    id: 'createDevice',
    tag,
    summary: 'Register a device by its identifier',
    method: 'post',
    path: '/api/v1/devices',
    access: { kind: 'organization', permission: 'device.manage', tenant: fromQuery },
    query: z.object(inOrganization),
    body: deviceInput,
    returns: device,
    status: 201,
    handle: (ctx, { body }) => addDevice(ctx, body),
  }),
  operation({
    id: 'getDevice',
    tag,
    summary: 'Get a device',
    method: 'get',
    path: '/api/v1/devices/{device_id}',
    access: { kind: 'organization', permission: 'device.read', tenant },
    params: deviceParams,
    returns: device,
    status: 200,
    handle: (ctx, { params }) => readDevice(ctx, params.device_id),
  }),
  operation({
    id: 'updateDevice',
    tag,
    summary: 'Change the name or the owner of a device',
    method: 'patch',
    path: '/api/v1/devices/{device_id}',
    access: { kind: 'organization', permission: 'device.manage', tenant },
    params: deviceParams,
    body: deviceChange,
    returns: device,
    status: 200,
    handle: (ctx, { params, body }) => changeDevice(ctx, params.device_id, body),
  }),
  operation({
    id: 'deleteDevice',
    tag,
    summary: 'Delete a device',
    description: 'Devices registered with Apple stay registered there.',
    method: 'delete',
    path: '/api/v1/devices/{device_id}',
    access: { kind: 'organization', permission: 'device.manage', tenant },
    params: deviceParams,
    returns: empty,
    status: 204,
    handle: (ctx, { params }) => removeDevice(ctx, params.device_id),
  }),
];
