// Operations on a developer's picture; interactive sign-ins only (docs/specification/tokens.md#operations-that-reject-tokens).
import { empty, interactive, media, type Operation, operation } from '../http/operation.ts';
import { imageBody } from '../images/service.ts';
import { id } from '../lib/shapes.ts';
import * as z from '../lib/zod.ts';
import { readAvatar, removeAvatar, setAvatar } from './avatar.ts';
import { developer } from './schema.ts';

const tag = 'Developers';
const path = '/api/v1/developers/{developer_id}/avatar';
const params = z.object({ developer_id: id() });

export const avatarRoutes: Operation[] = [
  operation({
    id: 'setAvatar',
    tag,
    summary: "Set the caller's picture",
    description: 'PNG, JPEG or WebP, detected from the content.',
    method: 'post',
    path,
    access: interactive,
    params,
    body: imageBody,
    returns: developer,
    status: 201,
    errors: [503],
    handle: (ctx, { params, body }) => setAvatar(ctx, params.developer_id, body),
  }),
  operation({
    id: 'getAvatar',
    tag,
    summary: 'Picture of the caller, as uploaded',
    method: 'get',
    path,
    access: interactive,
    params,
    returns: media('image/*'),
    status: 200,
    isConditional: true,
    errors: [503],
    handle: (ctx, { params }) => readAvatar(ctx, params.developer_id),
  }),
  operation({
    id: 'deleteAvatar',
    tag,
    summary: "Remove the caller's picture",
    method: 'delete',
    path,
    access: interactive,
    params,
    returns: empty,
    status: 204,
    handle: (ctx, { params }) => removeAvatar(ctx, params.developer_id),
  }),
];
