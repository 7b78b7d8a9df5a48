// Operations for developers, their sessions and the first-run setup.
import { anonymous, empty, interactive, media, type Operation, operation } from '../http/operation.ts';
import { englishLifetime, SETUP_LINK_LIFETIME_MS } from '../lib/lifetimes.ts';
import { id, pageQuery } from '../lib/shapes.ts';
import * as z from '../lib/zod.ts';
import { sessionPage } from '../sessions/schema.ts';
import { listSessions, revokeAllSessions, revokeSession } from '../sessions/service.ts';
import { developer, editDeveloperBody, setupBody, setupResult } from './schema.ts';
import { editDeveloper, readDeveloper } from './service.ts';
import { answerSetup, showSetup, showSetupAsset, showSetupRefusal } from './setup-view.ts';

const ofDeveloper = z.object({ developer_id: id() });
const ofSetup = z.object({ token: z.string().max(200) });
/** Users can manage their own sessions before their email address is verified. */
const unverifiedToo = { ...interactive, allowsUnverified: true } as const;

export const setupRoutes: Operation[] = [
  operation({
    id: 'showSetup',
    tag: 'Setup',
    summary: 'Page for creating the operator',
    description: `The server prints a link to it while it has no operator. A link works once and expires in ${englishLifetime(SETUP_LINK_LIFETIME_MS)}.`,
    method: 'get',
    path: '/setup/{token}',
    access: anonymous,
    params: ofSetup,
    returns: media('text/html'),
    status: 200,
    handle: (ctx, { params }) => showSetup(ctx, params.token),
  }),
  operation({
    id: 'completeSetup',
    tag: 'Setup',
    summary: 'Create the operator and an organization',
    description:
      'If the address already has an account, that account becomes the operator. A verified account requires its current ' +
      'password. Forms get an HTML page instead of JSON.',
    method: 'post',
    path: '/setup/{token}',
    access: anonymous,
    params: ofSetup,
    body: setupBody,
    acceptsForm: true,
    returns: setupResult,
    status: 201,
    showRefusal: showSetupRefusal,
    handle: (ctx, { params, body }) => answerSetup(ctx, params.token, body),
  }),
  operation({
    id: 'getSetupAsset',
    tag: 'Setup',
    summary: 'Stylesheet of the setup page',
    method: 'get',
    path: '/setup/assets/{name}',
    access: anonymous,
    params: z.object({ name: z.string().max(100) }),
    returns: media('text/css'),
    status: 200,
    handle: (_ctx, { params }) => showSetupAsset(params.name),
  }),
];

export const sessionRoutes: Operation[] = [
  operation({
    id: 'listSessions',
    tag: 'Sessions',
    summary: 'List your sessions, newest first',
    method: 'get',
    path: '/api/v1/sessions',
    access: interactive,
    query: z.object(pageQuery),
    returns: sessionPage,
    status: 200,
    handle: (ctx, { query }) => listSessions(ctx, query),
  }),
  operation({
    id: 'revokeSession',
    tag: 'Sessions',
    summary: 'End a session',
    description: 'Its access and refresh tokens stop working immediately.',
    method: 'delete',
    path: '/api/v1/sessions/{session_id}',
    access: unverifiedToo,
    params: z.object({ session_id: id() }),
    returns: empty,
    status: 204,
    handle: (ctx, { params }) => revokeSession(ctx, params.session_id),
  }),
  operation({
    id: 'revokeAllSessions',
    tag: 'Sessions',
    summary: 'End all sessions, including this one',
    method: 'delete',
    path: '/api/v1/sessions',
    access: unverifiedToo,
    returns: empty,
    status: 204,
    handle: (ctx) => revokeAllSessions(ctx),
  }),
];

export const developerRoutes: Operation[] = [
  operation({
    id: 'getCurrentDeveloper',
    tag: 'Developers',
    summary: 'Your account',
    method: 'get',
    path: '/api/v1/developers/me',
    access: interactive,
    returns: developer,
    status: 200,
    handle: (ctx) => readDeveloper(ctx),
  }),
  operation({
    id: 'getDeveloper',
    tag: 'Developers',
    summary: 'Your account by its id',
    description: 'Responds with 404 for any other id.',
    method: 'get',
    path: '/api/v1/developers/{developer_id}',
    access: interactive,
    params: ofDeveloper,
    returns: developer,
    status: 200,
    handle: (ctx, { params }) => readDeveloper(ctx, params.developer_id),
  }),
  operation({
    id: 'editDeveloper',
    tag: 'Developers',
    summary: 'Change your name or language',
    method: 'patch',
    path: '/api/v1/developers/{developer_id}',
    access: interactive,
    params: ofDeveloper,
    body: editDeveloperBody,
    returns: developer,
    status: 200,
    handle: (ctx, { params, body }) => editDeveloper(ctx, params.developer_id, body),
  }),
];
