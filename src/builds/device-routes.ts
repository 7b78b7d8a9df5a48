// Operations for the devices that can run a build.
import { fromPath, fromQuery, type Operation, operation } from '../http/operation.ts';
import { id, inProject, pageQuery } from '../lib/shapes.ts';
import * as z from '../lib/zod.ts';
import { countBuildDevices, MAX_COUNTED } from './device-counts.ts';
import { buildDeviceCounts, buildDevicePage } from './device-schema.ts';
import { listBuildDevices } from './devices.ts';
import { locateBuild } from './store.ts';

export const buildDeviceRoutes: Operation[] = [
  operation({
    id: 'listBuildDevices',
    tag: 'Builds',
    summary: 'List the registered devices with their compatibility with a build',
    description:
      'All devices of the organization, newest first, each with its verdict. Only managers and the owners of the devices see full identifiers.',
    method: 'get',
    path: '/api/v1/builds/{build_id}/devices',
    access: { kind: 'project', permission: 'build.read', tenant: fromPath('build_id', locateBuild) },
    params: z.object({ build_id: id() }),
    query: z.object({
      ...pageQuery,
      device_id: id().optional().describe('Only this device'),
    }),
    returns: buildDevicePage,
    status: 200,
    handle: (ctx, { params, query }) => listBuildDevices(ctx, params.build_id, query, query.device_id),
  }),
  operation({
    id: 'countBuildDevices',
    tag: 'Builds',
    summary: 'Count the registered devices that can install each of several builds',
    description:
      "Only for iOS builds, because Android devices aren't registered. Other builds, and builds of other projects, are left out.",
    method: 'get',
    path: '/api/v1/builds/device-counts',
    access: { kind: 'project', permission: 'build.read', tenant: fromQuery },
    query: z.object({
      ...inProject,
      build_ids: z
        .string()
        .max(MAX_COUNTED * 37)
        .regex(/^[0-9A-Fa-f-]{36}(?:,[0-9A-Fa-f-]{36})*$/, 'Input should be build ids separated by commas')
        .describe(`Identifiers of up to ${MAX_COUNTED} builds, separated by commas`),
    }),
    returns: buildDeviceCounts,
    status: 200,
    handle: (ctx, { query }) => countBuildDevices(ctx, query.build_ids.toLowerCase().split(',')),
  }),
];
