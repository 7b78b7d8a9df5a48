// Operations that end an account and take the end back.
import { z } from 'zod';
import { anonymous, empty, interactive, media, type Operation, operation } from '../http/operation.ts';
import { id } from '../lib/shapes.ts';
import { stepUpBody } from '../second-factors/schema.ts';
import { stepUpOperation } from '../second-factors/step-up-operation.ts';
import { CANCEL_PATH, cancelDeletion, checkDeletion, requestDeletion } from './deletion.ts';
import { answerLink, type LinkPage, refusalOf, showLinkPage } from './link-pages.ts';
import { linkBody, linkQuery } from './schema.ts';

const tag = 'Developers';

const cancelPage: LinkPage = {
  kind: 'cancel_deletion',
  title: 'Keep your account',
  text: 'Your account is locked and waits to be deleted. You can take that back.',
  button: 'Keep my account',
  done: { title: 'Your account is kept', text: 'Sign in as before. You can close this page.' },
};

const cancelled = z.object({ status: z.literal('active') }).meta({ id: 'DeletionCancelled' });

export const deletionRoutes: Operation[] = [
  stepUpOperation({
    id: 'deleteDeveloper',
    tag,
    summary: 'Delete your account',
    description:
      'Locks the account at once and deletes it after the grace period; a mail carries the link that takes it back. Needs ' +
      'what the account has of password and second factor. Refused while you are the only administrator of an organization.',
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
    summary: 'The page of a link that keeps an account',
    method: 'get',
    path: CANCEL_PATH,
    access: anonymous,
    query: linkQuery,
    returns: media('text/html'),
    status: 200,
    handle: (ctx, { query }) => showLinkPage(ctx, cancelPage, CANCEL_PATH, query.token),
  }),
  operation({
    id: 'cancelDeletion',
    tag,
    summary: 'Keep an account that waits to be deleted',
    description: 'By the token of the mail, once. A form gets a page instead of JSON.',
    method: 'post',
    path: CANCEL_PATH,
    access: anonymous,
    body: linkBody,
    acceptsForm: true,
    returns: cancelled,
    status: 200,
    showRefusal: refusalOf(cancelPage),
    handle: (ctx, { body }) => answerLink(ctx, cancelPage, cancelDeletion(ctx, body.token)),
  }),
];
