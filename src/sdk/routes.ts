// Operations of the in-app update API. The kernel knows developers and their tokens; installs are let in here, by one function
// that every operation but enrolling and the manifest goes through first.
import { z } from 'zod';
import type { Context } from '../core/context.ts';
import { type AnonymousAccess, empty, media, type Operation, operation } from '../http/operation.ts';
import { reply } from '../http/reply.ts';
import { manifestMediaType } from '../install/manifest.ts';
import { authenticateInstall, type Install, requireSdkApp } from './credentials.ts';
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
const bySecret: AnonymousAccess = { kind: 'anonymous', credential: 'sdk_app', check: requireSdkApp };
const byUpdateToken: AnonymousAccess = { kind: 'anonymous', credential: 'sdk_install', check: authenticateInstall };
const byCapability = { kind: 'anonymous' } as const;
// Whatever it is, who may not ask learns nothing of it: so its form is no matter of validation.
const params = z.object({ release_id: z.string().toLowerCase().meta({ format: 'uuid' }) });

/** A handler that only installs reach. */
function asInstall<Input, Result>(handle: (ctx: Context, install: Install, input: Input) => Result) {
  return (ctx: Context, input: Input): Result => handle(ctx, authenticateInstall(ctx), input);
}

export const sdkRoutes: Operation[] = [
  operation({
    id: 'enrollInstall',
    tag,
    summary: 'Enroll an install with the secret of its SDK app',
    description:
      'Answers an update token for 30 days. Every refusal under /sdk/v1 is the same 401: enroll again and retry once; when ' +
      'enrolling is refused too, the secret has been revoked. An install_id that is known joins that install.',
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
    description: 'The old one works for five more minutes and cannot be exchanged again.',
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
    summary: 'What an app may show of itself and of where its updates come from',
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
    summary: 'Whether there is an update for the build that is running',
    description:
      'Builds are ordered as the platform orders them: Android by build_number, iOS by version_name and then build_number. ' +
      'Without either, what the install said last counts. Send the ETag in If-None-Match: 304 says that nothing changed.',
    method: 'get',
    path: '/sdk/v1/releases/latest',
    access: byUpdateToken,
    query: latestQuery,
    returns: latest,
    status: 200,
    errors: [401],
    handle: asInstall((ctx, install, { query }: { query: z.output<typeof latestQuery> }) =>
      answerLatest(ctx, install, query),
    ),
  }),
  operation({
    id: 'downloadUpdate',
    tag,
    summary: 'A signed link to the package of a release, and for iOS to its manifest',
    description: 'Counts one download; asking again within a quarter of an hour counts no other.',
    method: 'get',
    path: '/sdk/v1/releases/{release_id}/download',
    access: byUpdateToken,
    params,
    returns: updateDownload,
    status: 200,
    errors: [401, 402, 503],
    handle: asInstall((ctx, install, input: { params: z.output<typeof params> }) =>
      downloadUpdate(ctx, install, input.params.release_id),
    ),
  }),
  operation({
    id: 'getUpdateManifest',
    tag,
    summary: 'Over-the-air manifest of a release (iOS)',
    description: 'Carries no update token: the capability is the proof.',
    method: 'get',
    path: '/sdk/v1/releases/{release_id}/manifest.plist',
    access: byCapability,
    params,
    query: z.object({ capability: z.string().optional().meta({ description: 'Of the answer to the download' }) }),
    returns: media(manifestMediaType),
    status: 200,
    errors: [401],
    handle: (ctx, { params: { release_id }, query }) =>
      reply(manifestMediaType, writeUpdateManifest(ctx, release_id, query.capability ?? '')),
  }),
  operation({
    id: 'reportInstall',
    tag,
    summary: 'Say how a release went',
    description: 'Optional, and never waited for: it is written within moments, and what does not fit is lost.',
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
