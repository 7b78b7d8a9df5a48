// The operation that tells which devices can run a build.
import { z } from 'zod';
import { fromPath, fromQuery, type Operation, operation } from '../http/operation.ts';
import { id, inProject, pageQuery } from '../lib/shapes.ts';
import { countBuildDevices, MOST_COUNTED } from './device-counts.ts';
import { buildDeviceCounts, buildDevicePage } from './device-schema.ts';
import { listBuildDevices } from './devices.ts';
import { locateBuild } from './store.ts';

export const buildDeviceRoutes: Operation[] = [
  operation({
    id: 'listBuildDevices',
    tag: 'Builds',
    summary: 'Which registered devices can install a build, and why not the others',
    description:
      'Every device of the organization with its verdict, newest first. Whole identifiers are for managers and for the owners of the devices.',
    method: 'get',
    path: '/api/v1/builds/{build_id}/devices',
    access: { kind: 'project', permission: 'build.read', tenant: fromPath('build_id', locateBuild) },
    params: z.object({ build_id: id() }),
    query: z.object({
      ...pageQuery,
      device_id: id().optional().describe('Only this device, to learn what it can run'),
    }),
    returns: buildDevicePage,
    status: 200,
    handle: (ctx, { params, query }) => listBuildDevices(ctx, params.build_id, query, query.device_id),
  }),
  operation({
    id: 'countBuildDevices',
    tag: 'Builds',
    summary: 'On how many registered devices each of several builds installs',
    description:
      'For iOS builds only, as no Android devices are registered. Builds of Android projects, and builds that are not in the project, are left out.',
    method: 'get',
    path: '/api/v1/builds/device-counts',
    access: { kind: 'project', permission: 'build.read', tenant: fromQuery },
    query: z.object({
      ...inProject,
      build_ids: z
        .string()
        .max(MOST_COUNTED * 37)
        .regex(/^[0-9A-Fa-f-]{36}(?:,[0-9A-Fa-f-]{36})*$/, 'Input should be build ids, separated by commas')
        .describe(`Identifiers of up to ${MOST_COUNTED} builds, separated by commas`),
    }),
    returns: buildDeviceCounts,
    status: 200,
    handle: (ctx, { query }) => countBuildDevices(ctx, query.build_ids.toLowerCase().split(',')),
  }),
];
