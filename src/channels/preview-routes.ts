// Operations for previews of pull requests.
import { empty, fromPath, fromQuery, type Operation, operation } from '../http/operation.ts';
import { id, inProject, pageQuery } from '../lib/shapes.ts';
import * as z from '../lib/zod.ts';
import { openPreviewBody, preview, previewPage } from './preview-schema.ts';
import { locatePreview } from './preview-store.ts';
import * as service from './previews.ts';

const tag = 'Channels';

export const previewRoutes: Operation[] = [
  operation({
    id: 'openPreview',
    tag,
    summary: 'Open the preview of a pull request, or keep it open',
    description:
      'Returns the open preview of the pull request and moves its end; otherwise creates one with a channel of its own, which has the settings of template_channel_id. ' +
      'Release builds to the channel with POST /releases.',
    method: 'post',
    path: '/api/v1/previews',
    access: { kind: 'project', permission: 'channel.edit', tenant: fromQuery },
    query: z.object(inProject),
    body: openPreviewBody,
    returns: preview,
    status: 200,
    handle: (ctx, { body }) => service.openPreview(ctx, body),
  }),
  operation({
    id: 'listPreviews',
    tag,
    summary: 'List the open previews of a project',
    method: 'get',
    path: '/api/v1/previews',
    access: { kind: 'project', permission: 'channel.read', tenant: fromQuery },
    query: z.object({ ...inProject, ...pageQuery }),
    returns: previewPage,
    status: 200,
    handle: (ctx, { query }) => service.listPreviews(ctx, query),
  }),
  operation({
    id: 'closePreview',
    tag,
    summary: 'End the preview of a pull request',
    description: 'Deletes its channel with its releases. Builds stay.',
    method: 'delete',
    path: '/api/v1/previews/{preview_id}',
    access: { kind: 'project', permission: 'channel.edit', tenant: fromPath('preview_id', locatePreview) },
    params: z.object({ preview_id: id() }),
    returns: empty,
    status: 204,
    handle: (ctx, { params: { preview_id } }) => service.closePreview(ctx, preview_id),
  }),
];
