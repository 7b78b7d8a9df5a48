// Operations that show the operator the state of the server.
import { interactive, type Operation, operation } from '../http/operation.ts';
import { readFindings } from './findings.ts';
import { systemFindings, systemState } from './schema.ts';
import { readSystem } from './service.ts';

export const systemRoutes: Operation[] = [
  operation({
    id: 'getSystem',
    tag: 'Operator',
    summary: 'Version, storage, disk, queues, certificate and cleanup jobs, for operators',
    method: 'get',
    path: '/api/v1/system',
    access: interactive,
    isInternal: true,
    returns: systemState,
    status: 200,
    errors: [404],
    handle: (ctx) => readSystem(ctx),
  }),
  operation({
    id: 'getSystemFindings',
    tag: 'Operator',
    summary: 'Health checks of the running server, refreshed at most once a minute',
    method: 'get',
    path: '/api/v1/system/findings',
    access: interactive,
    isInternal: true,
    returns: systemFindings,
    status: 200,
    errors: [404],
    handle: (ctx) => readFindings(ctx),
  }),
];
