// Operations for uploading packages.
import { completeBody, completedBuild, initiateBody, pendingUpload } from '../builds/schema.ts';
import { fromQuery, type Operation, operation } from '../http/operation.ts';
import { id, inOrganization, inProject } from '../lib/shapes.ts';
import * as z from '../lib/zod.ts';
import { completeUpload } from './complete.ts';
import { packageProject, packageProjectInput } from './package-project-schema.ts';
import { createProjectFromPackage } from './package-projects.ts';
import { initiateUpload } from './service.ts';

const tag = 'Builds';
const upload = { kind: 'project', permission: 'build.upload', tenant: fromQuery } as const;

export const uploadRoutes: Operation[] = [
  operation({
    id: 'createProjectFromPackage',
    tag: 'Projects',
    summary: 'Create a project and its first channel for a package',
    description:
      'Upload the package next, with POST /builds/initiate. The first readable build gives the project its name, unless it was changed before, and its bundle identifier; ' +
      'until then complete responds with 400 invalid_input for unreadable packages. A project that has no build after a day is deleted. ' +
      'Responds with 409 already_exists if a project of the platform has the bundle identifier; details.project_id is its id.',
    method: 'post',
    path: '/api/v1/projects/from-package',
    access: { kind: 'organization', permission: 'organization.create_project', tenant: fromQuery },
    query: z.object(inOrganization),
    body: packageProjectInput,
    returns: packageProject,
    status: 201,
    handle: (ctx, { body }) => createProjectFromPackage(ctx, body),
  }),
  operation({
    id: 'initiateBuild',
    tag,
    summary: 'Start an upload',
    description:
      'Reserves version name and build number in the project and returns a signed URL for uploading the package with PUT. The reservation lasts until the upload is completed or cleaned up after its expiry. ' +
      'With identity_from_package, both can be left to the package, and are reserved at complete. ' +
      "A 409 can be caused by another pending upload. A 429 means that too many uploads are pending, including expired ones that weren't cleaned up yet.",
    method: 'post',
    path: '/api/v1/builds/initiate',
    access: upload,
    query: z.object(inProject),
    body: initiateBody,
    returns: pendingUpload,
    status: 201,
    errors: [503],
    hasCost: true,
    handle: (ctx, { body }) => initiateUpload(ctx, body),
  }),
  operation({
    id: 'completeBuild',
    tag,
    summary: 'Create a build from the uploaded package',
    description:
      'Reads the package and creates the build. Repeating it with the same checksum returns the same build, again with 201. Responds with 400 operation_not_allowed for another checksum, before any bytes have arrived, or after expiry. ' +
      'Responds with 400 invalid_input for an unsupported package (wrong platform, .aab, split packages): nothing is created, and the right package can be uploaded to the same URL. ' +
      'Responds with 413 for a package that is too large, and deletes it. An unreadable package is stored with inspection_status unreadable. ' +
      "released_to contains the automatic releases. The first readable package sets the project's bundle identifier. Builds of other apps are accepted and marked in mismatches.",
    method: 'post',
    path: '/api/v1/builds/{pending_upload_id}/complete',
    access: upload,
    params: z.object({ pending_upload_id: id() }),
    query: z.object(inProject),
    body: completeBody,
    returns: completedBuild,
    status: 201,
    errors: [413, 503],
    hasCost: true,
    handle: (ctx, { params: { pending_upload_id }, body }) => completeUpload(ctx, pending_upload_id, body.sha256),
  }),
];
