// Operations for builds and their uploads.
import { empty, fromPath, fromQuery, media, type Operation, operation } from '../http/operation.ts';
import { id, inProject, pageQuery } from '../lib/shapes.ts';
import * as z from '../lib/zod.ts';
import { locateProject } from '../projects/store.ts';
import { compareBuilds } from './compare.ts';
import { buildComparison } from './compare-schema.ts';
import { downloadBuild, serveBuildIcon } from './downloads.ts';
import { readInspection } from './inspections.ts';
import { listLeavingBuilds, pinBuild, unpinBuild } from './pins.ts';
import { deleteBuild } from './removal.ts';
import {
  build,
  buildDownload,
  buildInspection,
  buildPage,
  editBuildBody,
  leavingBuildPage,
  listBuildsQuery,
  nextBuildNumber,
} from './schema.ts';
import { editBuild, findNextBuildNumber, listBuilds, readBuild, readUploaderAvatar, revokeBuild } from './service.ts';
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
    summary: 'Next free build number of a project',
    description:
      "For packages whose build number is neither a whole number nor dotted, and for uploading another package of an existing version. The number isn't reserved: initiate may still return 409.",
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
    description:
      'Filters are combined: builds match all of them. With filters, a page can have fewer items than its size, or none, although more follow; next_cursor is null at the end of the list.',
    method: 'get',
    path: '/api/v1/builds',
    access: { kind: 'project', permission: 'build.read', tenant: fromQuery },
    query: listBuildsQuery,
    returns: buildPage,
    status: 200,
    handle: (ctx, { query }) => listBuilds(ctx, query),
  }),
  operation({
    id: 'listLeavingBuilds',
    tag,
    summary: 'List the builds of a project that retention deletes within a week',
    description:
      'Newest first. A build is listed from its announcement until it is deleted or something keeps it: a pin, a channel, or a changed rule. A page can have fewer builds than its limit.',
    method: 'get',
    path: '/api/v1/builds/leaving',
    access: { kind: 'project', permission: 'build.read', tenant: fromQuery },
    query: z.object({ ...inProject, ...pageQuery }),
    returns: leavingBuildPage,
    status: 200,
    handle: (ctx, { query }) => listLeavingBuilds(ctx, query),
  }),
  operation({
    id: 'getBuild',
    tag,
    summary: 'Get a build',
    method: 'get',
    path: '/api/v1/builds/{build_id}',
    access: read,
    params,
    returns: build,
    isResultKept: true,
    status: 200,
    handle: (ctx, { params: { build_id } }) => readBuild(ctx, build_id),
  }),
  operation({
    id: 'editBuild',
    tag,
    summary: 'Change the release notes and labels of a build',
    method: 'patch',
    path: '/api/v1/builds/{build_id}',
    access: { kind: 'project', permission: 'build.upload', tenant },
    params,
    body: editBuildBody,
    returns: build,
    status: 200,
    handle: (ctx, { params: { build_id }, body }) => editBuild(ctx, build_id, body),
  }),
  operation({
    id: 'revokeBuild',
    tag,
    summary: 'Revoke a build',
    description:
      "A revoked build keeps its version and build number and can be read, but not downloaded, and it isn't live on any channel. Revoking it again has no effect.",
    method: 'post',
    path: '/api/v1/builds/{build_id}/revoke',
    access: { kind: 'project', permission: 'build.revoke', tenant },
    params,
    returns: build,
    status: 200,
    handle: (ctx, { params: { build_id } }) => revokeBuild(ctx, build_id),
  }),
  operation({
    id: 'pinBuild',
    tag,
    summary: 'Pin a build',
    description:
      "Retention doesn't delete a pinned build; people still can. A project can have 100. Pinning it again has no effect.",
    method: 'post',
    path: '/api/v1/builds/{build_id}/pin',
    access: { kind: 'project', permission: 'build.pin', tenant },
    params,
    returns: build,
    status: 200,
    handle: (ctx, { params: { build_id } }) => pinBuild(ctx, build_id),
  }),
  operation({
    id: 'unpinBuild',
    tag,
    summary: 'Unpin a build',
    description: 'If nothing else keeps it, it is announced, and deleted a week later.',
    method: 'post',
    path: '/api/v1/builds/{build_id}/unpin',
    access: { kind: 'project', permission: 'build.pin', tenant },
    params,
    returns: build,
    status: 200,
    handle: (ctx, { params: { build_id } }) => unpinBuild(ctx, build_id),
  }),
  operation({
    id: 'deleteBuild',
    tag,
    summary: 'Delete a build',
    description: 'Also deletes its releases and its package. Recorded downloads still count.',
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
    summary: 'Create a download link for a package',
    description:
      'The link is signed for the caller and works for 15 minutes. Responds with 400 operation_not_allowed for a revoked build.',
    method: 'get',
    path: '/api/v1/builds/{build_id}/download',
    access: { kind: 'project', permission: 'build.download', tenant, isDownload: true },
    params,
    returns: buildDownload,
    status: 200,
    errors: [503],
    hasCost: true,
    handle: (ctx, { params: { build_id } }) => downloadBuild(ctx, build_id),
  }),
  operation({
    id: 'getBuildIcon',
    tag,
    summary: 'Icon of a build',
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
    id: 'getUploaderAvatar',
    tag,
    summary: 'Picture of a developer who uploaded builds',
    description: 'Responds with 404 unless the developer uploaded a build of the project and has a picture.',
    method: 'get',
    path: '/api/v1/projects/{project_id}/uploaders/{developer_id}/avatar',
    access: { kind: 'project', permission: 'build.read', tenant: fromPath('project_id', locateProject) },
    params: z.object({ project_id: id(), developer_id: id() }),
    returns: media('image/*'),
    status: 200,
    isConditional: true,
    errors: [503],
    handle: (ctx, { params: { developer_id } }) => readUploaderAvatar(ctx, developer_id),
  }),
  operation({
    id: 'getBuildInspection',
    tag,
    summary: 'Package details of a build',
    method: 'get',
    path: '/api/v1/builds/{build_id}/inspection',
    access: read,
    params,
    returns: buildInspection,
    status: 200,
    handle: (ctx, { params: { build_id } }) => readInspection(ctx, build_id),
  }),
  operation({
    id: 'compareBuilds',
    tag,
    summary: 'Compare a build with an earlier one of the same project',
    description: 'before is the build other_id, after the build build_id.',
    method: 'get',
    path: '/api/v1/builds/{build_id}/compare/{other_id}',
    access: read,
    params: params.extend({ other_id: id() }),
    returns: buildComparison,
    status: 200,
    handle: (ctx, { params: { build_id, other_id } }) => compareBuilds(ctx, build_id, other_id),
  }),
];
