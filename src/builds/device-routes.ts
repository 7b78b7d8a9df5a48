// The operation that tells which devices can run a build.
import { z } from 'zod';
import { fromPath, type Operation, operation } from '../platform/operation.ts';
import { id, pageQuery } from '../platform/shapes.ts';
import { buildDevicePage } from './device-schema.ts';
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
];
