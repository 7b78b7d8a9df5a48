// Operations for deleting an account and canceling the deletion.
import { anonymous, empty, interactive, media, type Operation, operation } from '../http/operation.ts';
import { id } from '../lib/shapes.ts';
import * as z from '../lib/zod.ts';
import { stepUpBody } from '../second-factors/schema.ts';
import { stepUpOperation } from '../second-factors/step-up-operation.ts';
import { CANCEL_PATH, cancelDeletion, checkDeletion, requestDeletion } from './deletion.ts';
import { answerLink, refusalOf, showLinkPage } from './link-pages.ts';
import { linkBody, linkQuery } from './schema.ts';

const tag = 'Developers';

const cancelled = z.object({ status: z.literal('active') }).meta({ id: 'DeletionCancelled' });

export const deletionRoutes: Operation[] = [
  stepUpOperation({
    id: 'deleteDeveloper',
    tag,
    summary: 'Delete your account',
    description:
      'Locks the account immediately and deletes it after the grace period. An email contains a link that cancels the deletion. ' +
      'Requires a step-up. Not allowed while you are the only admin of an organization.',
    method: 'delete',
    path: '/api/v1/developers/{developer_id}',
    access: interactive,
    params: z.object({ developer_id: id() }),
    body: stepUpBody,
    isBodyOptional: true,
    returns: empty,
    status: 204,
    precheck: (ctx, { params }) => checkDeletion(ctx, params.developer_id),
    handle: (ctx) => requestDeletion(ctx),
  }),
  operation({
    id: 'showDeletionCancellation',
    tag,
    summary: 'Page of a link that cancels the deletion of an account',
    method: 'get',
    path: CANCEL_PATH,
    access: anonymous,
    query: linkQuery,
    returns: media('text/html'),
    status: 200,
    handle: (ctx, { query }) => showLinkPage(ctx, 'cancel_deletion', CANCEL_PATH, query.token),
  }),
  operation({
    id: 'cancelDeletion',
    tag,
    summary: 'Cancel the deletion of an account',
    description: 'Requires the token from the email, which works once. Forms get an HTML page instead of JSON.',
    method: 'post',
    path: CANCEL_PATH,
    access: anonymous,
    body: linkBody,
    acceptsForm: true,
    returns: cancelled,
    status: 200,
    showRefusal: refusalOf('cancel_deletion'),
    handle: (ctx, { body }) => answerLink(ctx, 'cancel_deletion', cancelDeletion(ctx, body.token)),
  }),
];
