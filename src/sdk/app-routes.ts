// Operations for SDK apps.
import { empty, fromPath, fromQuery, type Operation, operation } from '../http/operation.ts';
import { id, inProject, pageQuery } from '../lib/shapes.ts';
import * as z from '../lib/zod.ts';
import {
  createSdkAppBody,
  editSdkAppBody,
  sdkApp,
  sdkAppPage,
  sdkAppWithSecret,
  sdkInstallPage,
} from './app-schema.ts';
import { locateSdkApp } from './app-store.ts';
import * as apps from './apps.ts';

const tag = 'SDK Apps';
const params = z.object({ sdk_app_id: id() });
const tenant = fromPath('sdk_app_id', locateSdkApp);
const read = { kind: 'project', permission: 'sdk_app.read', tenant } as const;
const manage = { kind: 'project', permission: 'sdk_app.manage', tenant } as const;
const path = '/api/v1/sdk-apps/{sdk_app_id}';

export const sdkAppRoutes: Operation[] = [
  operation({
    id: 'createSdkApp',
    tag,
    summary: 'Create an SDK app for in-app updates from a channel',
    description: 'The secret is only shown in this response.',
    method: 'post',
    path: '/api/v1/sdk-apps',
    access: { kind: 'project', permission: 'sdk_app.manage', tenant: fromQuery },
    query: z.object(inProject),
    body: createSdkAppBody,
    returns: sdkAppWithSecret,
    status: 201,
    handle: (ctx, { body }) => apps.createSdkApp(ctx, body),
  }),
  operation({
    id: 'listSdkApps',
    tag,
    summary: 'List the SDK apps of a project, including revoked ones',
    method: 'get',
    path: '/api/v1/sdk-apps',
    access: { kind: 'project', permission: 'sdk_app.read', tenant: fromQuery },
    query: z.object({ ...inProject, ...pageQuery }),
    returns: sdkAppPage,
    status: 200,
    handle: (ctx, { query }) => apps.listSdkApps(ctx, query),
  }),
  operation({
    id: 'getSdkApp',
    tag,
    summary: 'Get an SDK app',
    method: 'get',
    path,
    access: read,
    params,
    returns: sdkApp,
    status: 200,
    handle: (ctx, { params: { sdk_app_id } }) => apps.readSdkApp(ctx, sdk_app_id),
  }),
  operation({
    id: 'editSdkApp',
    tag,
    summary: 'Change the name or channel of an SDK app',
    method: 'patch',
    path,
    access: manage,
    params,
    body: editSdkAppBody,
    returns: sdkApp,
    status: 200,
    handle: (ctx, { params: { sdk_app_id }, body }) => apps.editSdkApp(ctx, sdk_app_id, body),
  }),
  operation({
    id: 'deleteSdkApp',
    tag,
    summary: 'Delete an SDK app. Its installs stop working immediately',
    method: 'delete',
    path,
    access: manage,
    params,
    returns: empty,
    status: 204,
    handle: (ctx, { params: { sdk_app_id } }) => apps.deleteSdkApp(ctx, sdk_app_id),
  }),
  operation({
    id: 'rotateSdkAppSecret',
    tag,
    summary: 'Rotate the secret. Enrolled installs stay enrolled',
    method: 'post',
    path: `${path}/rotate-secret`,
    access: manage,
    params,
    returns: sdkAppWithSecret,
    status: 200,
    handle: (ctx, { params: { sdk_app_id } }) => apps.rotateSdkAppSecret(ctx, sdk_app_id),
  }),
  operation({
    id: 'revokeSdkApp',
    tag,
    summary: 'Revoke an SDK app and all its installs',
    method: 'post',
    path: `${path}/revoke`,
    access: manage,
    params,
    returns: empty,
    status: 204,
    handle: (ctx, { params: { sdk_app_id } }) => apps.revokeSdkApp(ctx, sdk_app_id),
  }),
  operation({
    id: 'listSdkInstalls',
    tag,
    summary: 'List the installs of an SDK app, newest first',
    method: 'get',
    path: `${path}/installs`,
    access: read,
    params,
    query: z.object(pageQuery),
    returns: sdkInstallPage,
    status: 200,
    handle: (ctx, { params: { sdk_app_id }, query }) => apps.listSdkInstalls(ctx, sdk_app_id, query),
  }),
];
