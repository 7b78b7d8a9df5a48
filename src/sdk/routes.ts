// Operations of the in-app update API. The HTTP layer authenticates developers and tokens; installs are authenticated
// here, with one function used by all operations except enrolling and the manifest.
import type { Context } from '../core/context.ts';
import { type AnonymousAccess, empty, media, type Operation, operation } from '../http/operation.ts';
import { reply } from '../http/reply.ts';
import { manifestMediaType } from '../install/manifest.ts';
import * as z from '../lib/zod.ts';
import { authenticateInstall, type Install, requireSdkApp, requireSecret } from './credentials.ts';
import { downloadUpdate, readAppFacts, writeUpdateManifest } from './downloads.ts';
import { enroll, rotateToken } from './enrollment.ts';
import { answerLatest } from './latest.ts';
import { takeReport } from './reports.ts';
import {
  appFacts,
  enrollBody,
  enrollment,
  latest,
  latestQuery,
  reportBody,
  rotatedToken,
  updateDownload,
} from './schema.ts';

const tag = 'SDK';
const bySecret: AnonymousAccess = {
  kind: 'anonymous',
  credential: 'sdk_app',
  check: requireSdkApp,
  checkBody: requireSecret,
};
export const byUpdateToken: AnonymousAccess = {
  kind: 'anonymous',
  credential: 'sdk_install',
  check: authenticateInstall,
};
const byCapability = { kind: 'anonymous' } as const;
// Malformed values get the same error as wrong ones, so their format isn't validated here.
const params = z.object({ release_id: z.string().toLowerCase().meta({ format: 'uuid' }) });

/** A handler that only installs can call. */
export function asInstall<Input, Result>(handle: (ctx: Context, install: Install, input: Input) => Result) {
  return (ctx: Context, input: Input): Result => handle(ctx, authenticateInstall(ctx), input);
}

export const sdkRoutes: Operation[] = [
  operation({
    id: 'enrollInstall',
    tag,
    summary: 'Enroll an install with the secret of its SDK app',
    description:
      'Returns an update token that works for 30 days. All errors under /sdk/v1 are the same 401: enroll again and retry once. If ' +
      'enrolling fails too, the secret was revoked. A known install_id adds a token to that install.',
    method: 'post',
    path: '/sdk/v1/enroll',
    access: bySecret,
    body: enrollBody,
    returns: enrollment,
    status: 201,
    errors: [401],
    handle: (ctx, { body }) => enroll(ctx, body),
  }),
  operation({
    id: 'rotateUpdateToken',
    tag,
    summary: 'Exchange the update token for a new one',
    description: "The old one works for five more minutes and can't be exchanged again.",
    method: 'post',
    path: '/sdk/v1/token/rotate',
    access: byUpdateToken,
    returns: rotatedToken,
    status: 200,
    errors: [401],
    handle: asInstall(rotateToken),
  }),
  operation({
    id: 'getUpdatedApp',
    tag,
    summary: 'Branding of the app and its updates',
    method: 'get',
    path: '/sdk/v1/app',
    access: byUpdateToken,
    returns: appFacts,
    status: 200,
    errors: [401],
    handle: asInstall(readAppFacts),
  }),
  operation({
    id: 'getLatestRelease',
    tag,
    summary: 'Check for an update',
    description:
      'Builds are compared like on the platform: on Android by build_number, on iOS by version_name and then build_number. ' +
      'If both are missing, the last reported build is used. Send the ETag in If-None-Match: 304 means that nothing changed.',
    method: 'get',
    path: '/sdk/v1/releases/latest',
    access: byUpdateToken,
    query: latestQuery,
    returns: latest,
    status: 200,
    isConditional: true,
    errors: [401],
    handle: asInstall((ctx, install, { query }: { query: z.output<typeof latestQuery> }) =>
      answerLatest(ctx, install, query),
    ),
  }),
  operation({
    id: 'downloadUpdate',
    tag,
    summary: 'Create a signed link to the package of a release, and to its manifest on iOS',
    description: 'Counts one download. Repeated requests within 15 minutes count once.',
    method: 'get',
    path: '/sdk/v1/releases/{release_id}/download',
    access: byUpdateToken,
    params,
    returns: updateDownload,
    status: 200,
    errors: [401, 503],
    hasCost: true,
    handle: asInstall((ctx, install, input: { params: z.output<typeof params> }) =>
      downloadUpdate(ctx, install, input.params.release_id),
    ),
  }),
  operation({
    id: 'getUpdateManifest',
    tag,
    summary: 'Over-the-air manifest of a release (iOS)',
    description: "Doesn't require an update token, only the capability.",
    method: 'get',
    path: '/sdk/v1/releases/{release_id}/manifest.plist',
    access: byCapability,
    params,
    query: z.object({
      capability: z.string().optional().meta({ description: 'From the response to the download request' }),
    }),
    returns: media(manifestMediaType),
    status: 200,
    errors: [401],
    handle: (ctx, { params: { release_id }, query }) =>
      reply(manifestMediaType, writeUpdateManifest(ctx, release_id, query.capability ?? '')),
  }),
  operation({
    id: 'reportInstall',
    tag,
    summary: 'Report the result of an update',
    description: 'Optional and asynchronous: reports are saved shortly afterwards and may be dropped under load.',
    method: 'post',
    path: '/sdk/v1/installs/report',
    access: byUpdateToken,
    body: reportBody,
    returns: empty,
    status: 202,
    errors: [401],
    handle: asInstall((ctx, install, { body }: { body: z.output<typeof reportBody> }) =>
      takeReport(ctx, install, body),
    ),
  }),
];
