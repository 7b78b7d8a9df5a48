// Operations on builds and their uploads.
import { z } from 'zod';
import { empty, fromPath, fromQuery, media, type Operation, operation } from '../http/operation.ts';
import { id, inProject } from '../lib/shapes.ts';
import { downloadBuild, serveBuildIcon } from './downloads.ts';
import { readInspection } from './inspections.ts';
import { deleteBuild } from './removal.ts';
import {
  build,
  buildDownload,
  buildInspection,
  buildPage,
  editBuildBody,
  listBuildsQuery,
  nextBuildNumber,
} from './schema.ts';
import { editBuild, findNextBuildNumber, listBuilds, readBuild, revokeBuild } from './service.ts';
import { locateBuild } from './store.ts';

const tag = 'Builds';
const params = z.object({ build_id: id() });
const tenant = fromPath('build_id', locateBuild);
const upload = { kind: 'project', permission: 'build.upload', tenant: fromQuery } as const;
const read = { kind: 'project', permission: 'build.read', tenant } as const;

export const buildRoutes: Operation[] = [
  operation({
    id: 'getNextBuildNumber',
    tag,
    summary: 'The next free build number of a project',
    description:
      'For packages whose own text is neither a whole number nor dotted, and to upload another package of a version that exists. The number is not reserved: initiate may still answer 409.',
    method: 'get',
    path: '/api/v1/builds/next-number',
    access: upload,
    query: z.object(inProject),
    returns: nextBuildNumber,
    status: 200,
    handle: (ctx) => findNextBuildNumber(ctx),
  }),
  operation({
    id: 'listBuilds',
    tag,
    summary: 'List the builds of a project, newest first',
    method: 'get',
    path: '/api/v1/builds',
    access: { kind: 'project', permission: 'build.read', tenant: fromQuery },
    query: listBuildsQuery,
    returns: buildPage,
    status: 200,
    handle: (ctx, { query }) => listBuilds(ctx, query),
  }),
  operation({
    id: 'getBuild',
    tag,
    summary: 'Read a build',
    method: 'get',
    path: '/api/v1/builds/{build_id}',
    access: read,
    params,
    returns: build,
    status: 200,
    handle: (ctx, { params: { build_id } }) => readBuild(ctx, build_id),
  }),
  operation({
    id: 'editBuild',
    tag,
    summary: 'Change the release notes of a build',
    method: 'patch',
    path: '/api/v1/builds/{build_id}',
    access: { kind: 'project', permission: 'build.upload', tenant },
    params,
    body: editBuildBody,
    returns: build,
    status: 200,
    handle: (ctx, { params: { build_id }, body }) => editBuild(ctx, build_id, body.release_notes),
  }),
  operation({
    id: 'revokeBuild',
    tag,
    summary: 'Revoke a build',
    description:
      'A revoked build keeps its identity and stays readable, but nobody can download it and no channel serves it. Revoking again answers the same.',
    method: 'post',
    path: '/api/v1/builds/{build_id}/revoke',
    access: { kind: 'project', permission: 'build.revoke', tenant },
    params,
    returns: build,
    status: 200,
    handle: (ctx, { params: { build_id } }) => revokeBuild(ctx, build_id),
  }),
  operation({
    id: 'deleteBuild',
    tag,
    summary: 'Delete a build for good',
    description: 'Its releases and its bytes go with it; downloads that were counted stay counted.',
    method: 'delete',
    path: '/api/v1/builds/{build_id}',
    access: { kind: 'project', permission: 'build.delete', tenant },
    params,
    returns: empty,
    status: 204,
    handle: (ctx, { params: { build_id } }) => deleteBuild(ctx, build_id),
  }),
  operation({
    id: 'downloadBuild',
    tag,
    summary: 'Get a link to the package',
    description:
      'The link is signed for the caller and serves for 15 minutes. A revoked build answers 400 operation_not_allowed.',
    method: 'get',
    path: '/api/v1/builds/{build_id}/download',
    access: { kind: 'project', permission: 'build.download', tenant, isDownload: true },
    params,
    returns: buildDownload,
    status: 200,
    errors: [503],
    handle: (ctx, { params: { build_id } }) => downloadBuild(ctx, build_id),
  }),
  operation({
    id: 'getBuildIcon',
    tag,
    summary: 'The icon found in the package',
    method: 'get',
    path: '/api/v1/builds/{build_id}/icon',
    access: { kind: 'project', permission: 'build.download', tenant },
    params,
    returns: media('image/*'),
    status: 200,
    errors: [503],
    handle: (ctx, { params: { build_id } }) => serveBuildIcon(ctx, build_id),
  }),
  operation({
    id: 'getBuildInspection',
    tag,
    summary: 'What the package says of itself',
    method: 'get',
    path: '/api/v1/builds/{build_id}/inspection',
    access: read,
    params,
    returns: buildInspection,
    status: 200,
    handle: (ctx, { params: { build_id } }) => readInspection(ctx, build_id),
  }),
];
