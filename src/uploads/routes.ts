// Operations on uploads of packages.
import { z } from 'zod';
import { completeBody, completedBuild, initiateBody, pendingUpload } from '../builds/schema.ts';
import { fromQuery, type Operation, operation } from '../http/operation.ts';
import { id, inProject } from '../lib/shapes.ts';
import { completeUpload, initiateUpload } from './service.ts';

const tag = 'Builds';
const upload = { kind: 'project', permission: 'build.upload', tenant: fromQuery } as const;

export const uploadRoutes: Operation[] = [
  operation({
    id: 'initiateBuild',
    tag,
    summary: 'Begin an upload',
    description:
      'Claims version name and build number in the project and answers a signed URL that takes the package by PUT. The claim lasts until the upload is completed, or until the sweep after its expiry. ' +
      'A 409 may be caused by another pending upload; a 429 says that too many are in flight. An upload that is not yet swept counts, expired or not.',
    method: 'post',
    path: '/api/v1/builds/initiate',
    access: upload,
    query: z.object(inProject),
    body: initiateBody,
    returns: pendingUpload,
    status: 201,
    errors: [503],
    handle: (ctx, { body }) => initiateUpload(ctx, body),
  }),
  operation({
    id: 'completeBuild',
    tag,
    summary: 'Make a build of the uploaded package',
    description:
      'Reads the package and creates the build. Repeated with the same checksum it answers the same build, again with 201; with another checksum, before any bytes have arrived, or after expiry it answers 400 operation_not_allowed. ' +
      'A package of another kind (wrong platform, .aab, split packages) answers 400 invalid_input: nothing is created, and the right package can be sent to the same URL. ' +
      'One that is too large answers 413, and its bytes are removed. One that cannot be read is kept with inspection_status unreadable. ' +
      'released_to names the automatic releases. The first build whose package can be read gives the project its bundle identifier; builds of another app are accepted and marked in mismatches.',
    method: 'post',
    path: '/api/v1/builds/{pending_upload_id}/complete',
    access: upload,
    params: z.object({ pending_upload_id: id() }),
    query: z.object(inProject),
    body: completeBody,
    returns: completedBuild,
    status: 201,
    errors: [413, 503],
    handle: (ctx, { params: { pending_upload_id }, body }) => completeUpload(ctx, pending_upload_id, body.sha256),
  }),
];
