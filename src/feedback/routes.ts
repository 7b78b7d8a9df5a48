// Operations of feedback: sending it from an app or a page, and reading and answering it.
import type { Context } from '../core/context.ts';
import { choice, empty, fromPath, media, type Operation, operation, visitor } from '../http/operation.ts';
import { sendPage } from '../install/page/send.ts';
import { refuseInFixedTime } from '../install/refusal-time.ts';
import { id } from '../lib/shapes.ts';
import * as z from '../lib/zod.ts';
import { locateProject } from '../projects/store.ts';
import type { Install } from '../sdk/credentials.ts';
import { asInstall, byUpdateToken } from '../sdk/routes.ts';
import { showFeedbackPage, takeFeedback } from './page.ts';
import { readPicture } from './pictures.ts';
import {
  exportedFeedback,
  exportQuery,
  feedback,
  feedbackChange,
  feedbackPage,
  feedbackQuery,
  pageFeedbackBody,
  received,
  replyInput,
  type SdkFeedback,
  sdkFeedbackBody,
} from './schema.ts';
import { sendFromApp } from './sending.ts';
import {
  changeFeedback,
  deleteFeedback,
  exportFeedback,
  listFeedback,
  readFeedback,
  replyToFeedback,
} from './service.ts';

const tag = 'Feedback';
const tenant = fromPath('project_id', locateProject);
const mayRead = { kind: 'project', permission: 'feedback.read', tenant } as const;
const mayManage = { kind: 'project', permission: 'feedback.manage', tenant } as const;
const inProject = z.object({ project_id: id() });
const inFeedback = z.object({ project_id: id(), feedback_id: id() });
const path = '/api/v1/projects/{project_id}/feedback';

export const feedbackPageRoutes: Operation[] = [
  operation({
    id: 'showFeedbackPage',
    tag: 'Public',
    summary: 'Form for feedback on the current release of a channel',
    description: "For the same people as the channel's install page.",
    method: 'get',
    path: '/install/channels/{channel_id}/feedback',
    access: visitor,
    params: z.object({ channel_id: z.string().toLowerCase() }),
    query: z.object({ from: z.string().max(40).optional() }),
    returns: media('text/html'),
    status: 200,
    errors: [402],
    handle: async (ctx, { params, query }) =>
      sendPage(await refuseInFixedTime(async () => showFeedbackPage(ctx, params.channel_id, query.from ?? ''))),
  }),
  operation({
    id: 'sendFeedbackFromPage',
    tag: 'Public',
    summary: 'Send feedback on the current release of a channel',
    description: "For the same people as the channel's install page. Up to 5 pictures as PNG, JPEG or WebP.",
    method: 'post',
    path: '/install/channels/{channel_id}/feedback',
    access: visitor,
    rateLimit: 'feedback',
    params: z.object({ channel_id: z.string().toLowerCase() }),
    body: pageFeedbackBody,
    returns: media('text/html'),
    status: 200,
    errors: [402, 403, 503],
    handle: async (ctx, { params, body }) =>
      sendPage(await refuseInFixedTime(() => takeFeedback(ctx, params.channel_id, body))),
  }),
];

export const sdkFeedbackRoutes: Operation[] = [
  operation({
    id: 'sendFeedbackFromApp',
    tag: 'SDK',
    summary: 'Send feedback from the app',
    description:
      'A form with the text, up to 5 pictures as PNG, JPEG or WebP in parts named pictures, and an address for replies. Device and version are known from the install unless they are sent.',
    method: 'post',
    path: '/sdk/v1/feedback',
    access: byUpdateToken,
    rateLimit: 'feedback',
    body: sdkFeedbackBody,
    returns: received,
    status: 201,
    errors: [401, 402, 403, 503],
    handle: asInstall((ctx: Context, install: Install, { body }: { body: { fields: SdkFeedback; files: Buffer[] } }) =>
      sendFromApp(ctx, install, body),
    ),
  }),
];

export const feedbackRoutes: Operation[] = [
  operation({
    id: 'listFeedback',
    tag,
    summary: 'List the feedback of a project',
    description: 'Newest first.',
    method: 'get',
    path,
    access: mayRead,
    params: inProject,
    query: feedbackQuery,
    returns: feedbackPage,
    status: 200,
    handle: (ctx, { query }) => listFeedback(ctx, query),
  }),
  operation({
    id: 'exportFeedback',
    tag,
    summary: 'Export the feedback of a project as JSON or CSV',
    method: 'get',
    path: `${path}/export`,
    access: mayRead,
    params: inProject,
    query: exportQuery,
    returns: choice(exportedFeedback, 'text/csv'),
    status: 200,
    handle: (ctx, { query }) => exportFeedback(ctx, query),
  }),
  operation({
    id: 'getFeedback',
    tag,
    summary: 'Get feedback with its pictures and replies',
    method: 'get',
    path: `${path}/{feedback_id}`,
    access: mayRead,
    params: inFeedback,
    returns: feedback,
    status: 200,
    handle: (ctx, { params }) => readFeedback(ctx, params.feedback_id),
  }),
  operation({
    id: 'editFeedback',
    tag,
    summary: 'Mark feedback as open or done',
    method: 'patch',
    path: `${path}/{feedback_id}`,
    access: mayManage,
    params: inFeedback,
    body: feedbackChange,
    returns: feedback,
    status: 200,
    handle: (ctx, { params, body }) => changeFeedback(ctx, params.feedback_id, body.state),
  }),
  operation({
    id: 'replyToFeedback',
    tag,
    summary: 'Reply to feedback by email',
    description: 'Responds with 400 operation_not_allowed if the tester left no address.',
    method: 'post',
    path: `${path}/{feedback_id}/replies`,
    access: mayManage,
    params: inFeedback,
    body: replyInput,
    returns: feedback,
    status: 201,
    handle: (ctx, { params, body }) => replyToFeedback(ctx, params.feedback_id, body.text),
  }),
  operation({
    id: 'deleteFeedback',
    tag,
    summary: 'Delete feedback with its pictures and replies',
    method: 'delete',
    path: `${path}/{feedback_id}`,
    access: mayManage,
    params: inFeedback,
    returns: empty,
    status: 204,
    handle: (ctx, { params }) => deleteFeedback(ctx, params.feedback_id),
  }),
  operation({
    id: 'getFeedbackPicture',
    tag,
    summary: 'Picture of feedback, without metadata of the camera',
    method: 'get',
    path: `${path}/{feedback_id}/pictures/{picture_id}`,
    access: mayRead,
    params: z.object({ project_id: id(), feedback_id: id(), picture_id: id() }),
    returns: media('image/*'),
    status: 200,
    errors: [503],
    handle: (ctx, { params }) => readPicture(ctx, params.feedback_id, params.picture_id),
  }),
];
