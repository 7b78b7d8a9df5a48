// Operations for publish jobs.
import { fromPath, fromQuery, type Operation, operation } from '../http/operation.ts';
import { id, inProject, pageQuery } from '../lib/shapes.ts';
import * as z from '../lib/zod.ts';
import { listPublishJobs, readPublishJob, requestPublish } from './publish.ts';
import { publishInput, publishJob, publishPage } from './publish-schema.ts';
import { locatePublish } from './publish-store.ts';

const tag = 'Publish';

export const publishRoutes: Operation[] = [
  operation({
    id: 'publishBuild',
    tag,
    summary: 'Request that a build is published to an app store',
    description:
      "Publishing isn't operational: the request creates a job, and every job ends with the state failed. Nothing is sent to a store.",
    method: 'post',
    path: '/api/v1/publish',
    access: { kind: 'project', permission: 'publish.request', tenant: fromQuery },
    query: z.object(inProject),
    body: publishInput,
    returns: publishJob,
    status: 202,
    handle: (ctx, { body }) => requestPublish(ctx, body),
  }),
  operation({
    id: 'listPublishJobs',
    tag,
    summary: 'List the publish jobs of a project',
    method: 'get',
    path: '/api/v1/publish',
    access: { kind: 'project', permission: 'publish.read', tenant: fromQuery },
    query: z.object({ ...inProject, ...pageQuery }),
    returns: publishPage,
    status: 200,
    handle: (ctx, { query }) => listPublishJobs(ctx, query),
  }),
  operation({
    id: 'getPublishJob',
    tag,
    summary: 'Get a publish job',
    method: 'get',
    path: '/api/v1/publish/{job_id}',
    access: { kind: 'project', permission: 'publish.read', tenant: fromPath('job_id', locatePublish) },
    params: z.object({ job_id: id() }),
    returns: publishJob,
    status: 200,
    handle: (ctx, { params: { job_id } }) => readPublishJob(ctx, job_id),
  }),
];
