// Operations for store connections and the devices registered through them.
import { device } from '../devices/schema.ts';
import { locateDevice } from '../devices/store.ts';
import { empty, fromPath, fromQuery, type Operation, operation } from '../http/operation.ts';
import { id, inOrganization, pageQuery } from '../lib/shapes.ts';
import * as z from '../lib/zod.ts';
import { readProfiles } from './profiles.ts';
import { queueDevices } from './queue.ts';
import { readDeviceQuota } from './quota.ts';
import { listRebuilds } from './rebuilds.ts';
import { registerDevice } from './registrations.ts';
import {
  connection,
  connectionChange,
  connectionInput,
  connectionPage,
  deviceQuota,
  inConnectionPath,
  provisioningProfiles,
  queuedDevices,
  rebuildPage,
  registrationInput,
  registrationsInput,
} from './schema.ts';
import {
  changeConnection,
  createConnection,
  deleteConnection,
  listConnections,
  readConnection,
  validateConnection,
} from './service.ts';
import { locateConnection } from './store.ts';

const tag = 'Store connections';
const path = '/api/v1/store-connections/{store_connection_id}';
const params = inConnectionPath;
const tenant = fromPath('store_connection_id', locateConnection);
const reads = { kind: 'organization', permission: 'store_connection.read', tenant } as const;
const manages = { kind: 'organization', permission: 'store_connection.manage', tenant } as const;

export const storeRoutes: Operation[] = [
  operation({
    id: 'createStoreConnection',
    tag,
    summary: 'Connect App Store Connect or Google Play',
    description:
      "The credentials are saved if the provider accepts them, and never returned. Responds with 400 if it doesn't, and with 503 store_connection_unavailable if it can't be asked.",
    method: 'post',
    path: '/api/v1/store-connections',
    access: { kind: 'organization', permission: 'store_connection.manage', tenant: fromQuery },
    query: z.object(inOrganization),
    body: connectionInput,
    returns: connection,
    status: 201,
    errors: [503],
    handle: (ctx, { body }) => createConnection(ctx, body),
  }),
  operation({
    id: 'listStoreConnections',
    tag,
    summary: 'List the store connections of an organization',
    method: 'get',
    path: '/api/v1/store-connections',
    access: { kind: 'organization', permission: 'store_connection.read', tenant: fromQuery },
    query: z.object({ ...inOrganization, ...pageQuery }),
    returns: connectionPage,
    status: 200,
    handle: (ctx, { query }) => listConnections(ctx, query),
  }),
  operation({
    id: 'getStoreConnection',
    tag,
    summary: 'Get a store connection',
    method: 'get',
    path,
    access: reads,
    params,
    returns: connection,
    status: 200,
    handle: (ctx, { params: { store_connection_id } }) => readConnection(ctx, store_connection_id),
  }),
  operation({
    id: 'editStoreConnection',
    tag,
    summary: 'Change a store connection',
    description:
      'Changed credentials are merged with the others, validated together and then saved. A new name is saved without asking the provider.',
    method: 'patch',
    path,
    access: manages,
    params,
    body: connectionChange,
    returns: connection,
    status: 200,
    errors: [503],
    handle: (ctx, { params: { store_connection_id }, body }) => changeConnection(ctx, store_connection_id, body),
  }),
  operation({
    id: 'deleteStoreConnection',
    tag,
    summary: 'Delete a store connection',
    description: 'Devices stay registered with Apple, and publish jobs keep the name of the connection.',
    method: 'delete',
    path,
    access: manages,
    params,
    returns: empty,
    status: 204,
    handle: (ctx, { params: { store_connection_id } }) => deleteConnection(ctx, store_connection_id),
  }),
  operation({
    id: 'validateStoreConnection',
    tag,
    summary: 'Ask the provider whether the credentials still work',
    description: 'Responds with 200 and the status invalid if the provider rejects them.',
    method: 'post',
    path: `${path}/validate`,
    access: manages,
    params,
    returns: connection,
    status: 200,
    errors: [503],
    handle: (ctx, { params: { store_connection_id } }) => validateConnection(ctx, store_connection_id),
  }),
  operation({
    id: 'getStoreDeviceQuota',
    tag,
    summary: 'Get the used places for devices of an Apple developer account',
    description:
      'Only for App Store Connect. At most ten minutes old, unless `fresh` is true. When Apple is asked, apple_registrations of all devices are updated, too.',
    method: 'get',
    path: `${path}/device-quota`,
    access: reads,
    params,
    query: z.object({
      fresh: z.boolean().default(false).meta({ description: 'Ask Apple even if it was asked in the last ten minutes' }),
    }),
    returns: deviceQuota,
    status: 200,
    errors: [400, 503],
    handle: (ctx, { params: { store_connection_id }, query }) => readDeviceQuota(ctx, store_connection_id, query.fresh),
  }),
  operation({
    id: 'listStoreProfiles',
    tag,
    summary: 'List the ad hoc and development profiles of an Apple developer account',
    description:
      'With the current builds of channels that have each profile. Only for App Store Connect. At most ten minutes old. Nothing is changed at Apple.',
    method: 'get',
    path: `${path}/profiles`,
    access: reads,
    params,
    returns: provisioningProfiles,
    status: 200,
    errors: [400, 503],
    handle: (ctx, { params: { store_connection_id } }) => readProfiles(ctx, store_connection_id),
  }),
  operation({
    id: 'registerDevices',
    tag,
    summary: 'Register several devices with Apple in the background',
    description:
      'Each takes a place of its class until the membership is renewed. The result is in apple_registrations of each device.',
    method: 'post',
    path: `${path}/register-devices`,
    access: { kind: 'organization', permission: 'device.manage', tenant },
    params,
    body: registrationsInput,
    returns: queuedDevices,
    status: 202,
    handle: (ctx, { params: { store_connection_id }, body }) => queueDevices(ctx, store_connection_id, body),
  }),
  operation({
    id: 'listRebuilds',
    tag: 'Devices',
    summary: 'List current builds whose profile lacks devices that are registered with Apple',
    method: 'get',
    path: '/api/v1/devices/rebuilds',
    access: { kind: 'organization', permission: 'device.read', tenant: fromQuery },
    query: z.object({ ...inOrganization, ...pageQuery, project_id: id().optional() }),
    returns: rebuildPage,
    status: 200,
    handle: (ctx, { query }) => listRebuilds(ctx, query),
  }),
  operation({
    id: 'registerDevice',
    tag: 'Devices',
    summary: 'Register a device with Apple',
    description:
      'Takes a place of its class until the membership is renewed. Registering a device again changes nothing. Responds with 400 quota_exceeded if its class has no place left.',
    method: 'post',
    path: '/api/v1/devices/{device_id}/register',
    access: { kind: 'organization', permission: 'device.manage', tenant: fromPath('device_id', locateDevice) },
    params: z.object({ device_id: id() }),
    body: registrationInput,
    returns: device,
    status: 200,
    errors: [503],
    handle: (ctx, { params: { device_id }, body }) => registerDevice(ctx, device_id, body.store_connection_id),
  }),
];
