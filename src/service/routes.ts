// Operations for health, version, platforms and the API description.
import { isSetupPending } from '../accounts/setup.ts';
import { anonymous, media, type Operation, operation } from '../http/operation.ts';
import { reply } from '../http/reply.ts';
import { platform } from '../lib/shapes.ts';
import * as z from '../lib/zod.ts';
import { showHome } from './home.ts';
import { showMetrics } from './metrics.ts';
import { liveness, readiness, serviceInfo, versionInfo } from './schema.ts';
import { checkReadiness, describeService, describeVersion } from './service.ts';

const tag = 'Service';

export const serviceRoutes: Operation[] = [
  operation({
    id: 'showHome',
    tag,
    summary: 'Start page for browsers',
    method: 'get',
    path: '/',
    access: anonymous,
    returns: media('text/html'),
    status: 200,
    handle: (ctx) => showHome(isSetupPending(ctx)),
  }),
  operation({
    id: 'getLiveness',
    tag,
    summary: 'Liveness check',
    method: 'get',
    path: '/health/live',
    access: anonymous,
    returns: liveness,
    status: 200,
    handle: () => ({ status: 'ok' as const }),
  }),
  operation({
    id: 'getReadiness',
    tag,
    summary: 'Readiness check of database, migrations, storage and disk',
    method: 'get',
    path: '/health/ready',
    access: anonymous,
    returns: readiness,
    status: 200,
    errors: [503],
    ownErrors: { 503: readiness },
    async handle(ctx) {
      const state = await checkReadiness(ctx);
      return state.status === 'ready' ? state : { ...reply('application/json', JSON.stringify(state)), status: 503 };
    },
  }),
  operation({
    id: 'getService',
    tag,
    summary: 'Name, versions, features and limits',
    method: 'get',
    path: '/api/v1/service',
    access: anonymous,
    returns: serviceInfo,
    status: 200,
    handle: (ctx) => describeService(ctx),
  }),
  operation({
    id: 'getVersion',
    tag,
    summary: 'Version, commit and build time of the program',
    method: 'get',
    path: '/api/v1/version',
    access: anonymous,
    returns: versionInfo,
    status: 200,
    handle: () => describeVersion(),
  }),
  operation({
    id: 'listPlatforms',
    tag,
    summary: 'Platform identifiers accepted for projects and uploads',
    method: 'get',
    path: '/api/v1/platforms',
    access: anonymous,
    returns: z.array(platform),
    status: 200,
    handle: () => [...platform.options],
  }),
  operation({
    id: 'getMetrics',
    tag,
    summary: 'Metrics for Prometheus',
    description:
      'Requires the configured token as bearer. Without one, only requests from the same machine are allowed.',
    method: 'get',
    path: '/metrics',
    access: anonymous,
    returns: media('text/plain'),
    status: 200,
    handle: (ctx) => showMetrics(ctx),
  }),
];
