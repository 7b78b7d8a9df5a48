// Wire shapes of builds and their uploads.
import { installability } from '../compatibility/installability-schema.ts';
import { Inspection, InspectionWarning } from '../inspection/schema.ts';
import { MAX_RELEASE_NOTES } from '../lib/markdown/notes-limit.ts';
import { dateTime, dateTimeInput, id, line, page, pageQuery, plainLine, platform, prose } from '../lib/shapes.ts';
import * as z from '../lib/zod.ts';
import {
  branch,
  buildSource,
  label,
  labels,
  MIN_COMMIT_PREFIX,
  pullRequest,
  sourceInput,
  uploader,
} from './source-schema.ts';

/** Up to 2^53 - 1, because JavaScript clients would lose digits of larger numbers. */
const buildNumber = z.int().min(0).max(Number.MAX_SAFE_INTEGER);

export const inspectionStatus = z
  .enum(['ok', 'unreadable'])
  .meta({ id: 'InspectionStatus', description: 'unreadable: stored, but its content could not be read' });

/** The displayed number of a build. */
export const displayBuildNumber = z.string().meta({
  description: "Displayed build number: on iOS the package's own text, on Android build_number",
  example: '1.0',
});

const buildSummary = z
  .object({
    bundle_identifier: z.string().meta({ description: "The package's own bundle identifier or package name" }),
    build_number: z.string().nullable().meta({ description: "The package's own text: CFBundleVersion or versionCode" }),
  })
  .meta({
    id: 'BuildSummary',
    description: 'Package details in short; GET /builds/{build_id}/inspection has the rest',
  });

export const build = z
  .object({
    identifier: id(),
    organization_id: id(),
    project_id: id(),
    platform,
    version_name: z.string(),
    build_number: buildNumber,
    display_build_number: displayBuildNumber,
    sha256: z.string().meta({ description: 'SHA-256 computed by the client' }),
    size_bytes: z.int().meta({ description: 'Size of the stored package' }),
    uploaded_at: dateTime(),
    bundle_identifier: z.string().nullable().meta({ description: 'As sent at initiate, or from the package' }),
    original_filename: z.string().nullable(),
    release_notes: z.string().nullable(),
    min_os_version: z
      .string()
      .nullable()
      .meta({ description: 'Minimum iOS version or Android API level of the package' }),
    has_icon: z.boolean(),
    icon_url: z.string().nullable(),
    inspection_status: inspectionStatus,
    inspection: buildSummary.nullable().meta({ description: "Null when the package can't be read" }),
    installability,
    revoked_at: dateTime().nullable(),
    pinned_at: dateTime().nullable().meta({ description: "Retention doesn't delete a pinned build" }),
    uploaded_by_developer_id: id().nullable().meta({ description: 'Null for a project access token' }),
    uploaded_by: uploader.nullable().meta({ description: 'Null if the account was deleted or nothing was recorded' }),
    source: buildSource.nullable().meta({ description: 'Null if nothing was sent' }),
    labels: z.array(z.string()).meta({ description: 'Sorted regardless of case' }),
  })
  .meta({ id: 'BuildResponse' });

export const buildPage = page('BuildPage', build);

const buildStatusFilter = z.enum(['active', 'revoked', 'all']).meta({ id: 'BuildStatusFilter' });

const bundleIdentifier = line(255);

export const listBuildsQuery = z.object({
  organization_id: id(),
  project_id: id(),
  status: buildStatusFilter.optional().meta({ description: 'Default: active' }),
  include_revoked: z
    .boolean()
    .optional()
    .meta({ description: 'Used only when status is left out: false means active, true means all', deprecated: true }),
  branch: branch.optional().meta({ description: 'Whole name of the branch' }),
  commit: z
    .string()
    .regex(
      new RegExp(`^[0-9a-fA-F]{${MIN_COMMIT_PREFIX},64}$`),
      `Input should be ${MIN_COMMIT_PREFIX} to 64 hexadecimal digits`,
    )
    .toLowerCase()
    .optional()
    .meta({ description: 'Commit, or its beginning' }),
  pull_request: pullRequest.optional(),
  label: label.optional().meta({ description: 'In any case' }),
  bundle_identifier: bundleIdentifier.optional(),
  uploaded_by: id().optional().meta({ description: 'Id of the developer who uploaded the build' }),
  installable: z
    .boolean()
    .optional()
    .meta({ description: 'true: installability is installable. false: it is uninstallable or unknown' }),
  uploaded_from: dateTimeInput().optional().meta({ description: 'Uploaded at this time or later' }),
  uploaded_until: dateTimeInput().optional().meta({ description: 'Uploaded before this time' }),
  text: plainLine(100).optional().meta({
    description:
      'Part of version and build number, file name, bundle identifier, release notes, source or a label, in any case',
  }),
  sort: z
    .enum(['uploaded_at', 'version'])
    .optional()
    .meta({ id: 'BuildOrder', description: 'Default: uploaded_at. Newest, or highest version, first' }),
  ...pageQuery,
});

const MEDIA_TYPE = /^[A-Za-z0-9!#$&^_.+-]+\/[A-Za-z0-9!#$&^_.+-]+$/;

export const initiateBody = z
  .object({
    version_name: line(255).nullish().meta({ description: 'Required, unless identity_from_package is true' }),
    build_number: buildNumber.nullish().meta({ description: 'Required, unless identity_from_package is true' }),
    identity_from_package: z.boolean().nullish().meta({
      description:
        "true: version_name and build_number can be left out. The version name is then the package's own, and the number derived from the package's own, or the next free one",
    }),
    bundle_identifier: bundleIdentifier.nullish(),
    original_filename: line(255).nullish(),
    release_notes: prose(MAX_RELEASE_NOTES).nullish(),
    source: sourceInput.nullish(),
    labels: labels.nullish(),
    size_bytes: z
      .int()
      .min(1)
      .optional()
      .meta({ description: 'Size of the package. Bound to upload_url if the storage supports it' }),
    content_type: z
      .string()
      .max(100)
      .regex(MEDIA_TYPE, 'Input should be a media type')
      .optional()
      .meta({ description: 'Content-Type of the PUT request. Bound to upload_url if the storage supports it' }),
  })
  // Reported beside other invalid fields too.
  .superRefine(
    (body, ctx) => {
      if (body.identity_from_package === true) return;
      for (const name of ['version_name', 'build_number'] as const) {
        if (body[name] !== undefined && body[name] !== null) continue;
        const expected = name === 'version_name' ? 'string' : 'int';
        ctx.addIssue({ code: 'invalid_type', expected, path: [name], input: body[name] });
      }
    },
    { when: ({ value }) => typeof value === 'object' && value !== null && !Array.isArray(value) },
  )
  .meta({ id: 'BuildInitiateRequest' });

export const pendingUpload = z
  .object({
    pending_upload_id: id(),
    upload_url: z
      .string()
      .meta({ description: 'For uploading the package with PUT, any number of times until complete' }),
    expires_at: dateTime(),
    required_headers: z.record(z.string(), z.string()).meta({ description: 'Required headers of the PUT request' }),
    max_size_bytes: z.int(),
  })
  .meta({ id: 'PendingUpload' });

export const completeBody = z
  .object({
    sha256: z
      .string()
      .regex(/^[0-9A-Fa-f]{64}$/, 'Input should be 64 hexadecimal digits')
      .meta({ description: 'SHA-256 of the package, computed by the client' }),
  })
  .meta({ id: 'BuildCompleteRequest' });

export const completedBuild = build
  .extend({
    released_to: z.array(z.object({ channel_id: id(), release_id: id() }).meta({ id: 'AutomaticRelease' })).meta({
      description:
        'Automatic releases to channels with auto_distribute. Empty for a build whose installability is uninstallable',
    }),
    over_budget_bytes: z
      .int()
      .nullable()
      .meta({ description: "Bytes by which the package exceeds the project's size_budget_bytes; null if it doesn't" }),
  })
  .meta({ id: 'CompletedBuild' });

export const nextBuildNumber = z
  .object({
    build_number: buildNumber.meta({ description: 'Higher than the numbers of all builds and pending uploads' }),
  })
  .meta({ id: 'NextBuildNumber' });

export const editBuildBody = z
  .object({
    release_notes: prose(MAX_RELEASE_NOTES).nullish().meta({ description: 'null removes them' }),
    labels: labels.nullish().meta({ description: 'Replace all labels of the build; null removes them' }),
  })
  .meta({ id: 'BuildEditRequest', description: 'Fields that are left out stay as they are. Others cannot be edited' });

export const buildDownload = z
  .object({
    download_url: z.string().meta({ description: 'Signed link for the caller, valid for GET and HEAD for 15 minutes' }),
    expires_at: dateTime(),
  })
  .meta({ id: 'BuildDownloadResponse' });

const mismatch = z
  .object({
    field: z.enum(['bundle_identifier', 'version_name', 'build_number', 'project_bundle_identifier']),
    declared: z.string().meta({ description: 'Value sent at initiate, or of the project' }),
    found: z.string().meta({ description: 'Value in the package' }),
  })
  .meta({ id: 'BuildMismatch' });

export const buildInspection = z
  .object({
    build_id: id(),
    inspection_status: inspectionStatus,
    reason: z.string().nullable().meta({ description: "Reason why the package can't be read" }),
    content: Inspection.omit({ warnings: true })
      .nullable()
      .meta({ description: "Package details; null if the package can't be read" }),
    mismatches: z.array(mismatch).meta({ description: 'Declared values that contradict the package' }),
    warnings: z.array(InspectionWarning),
  })
  .meta({ id: 'BuildInspection' });

const leavingBuild = z
  .object({
    build,
    deleted_from: dateTime().meta({ description: 'When it is deleted at the earliest' }),
    reason: z.enum(['plan', 'channels']).meta({
      id: 'RetentionReason',
      description: "plan: older than the plan keeps builds; channels: the rules of its channels don't keep it",
    }),
  })
  .meta({ id: 'LeavingBuild' });

export const leavingBuildPage = page('LeavingBuildPage', leavingBuild);

export type LeavingBuild = z.input<typeof leavingBuild>;
export type Build = z.input<typeof build>;
export type CompletedBuild = z.input<typeof completedBuild>;
export type NextBuildNumber = z.input<typeof nextBuildNumber>;
export type Mismatch = z.input<typeof mismatch>;
export type BuildInspection = z.input<typeof buildInspection>;
export type EditBuild = z.output<typeof editBuildBody>;
export type InitiateBuild = z.output<typeof initiateBody>;
export type ListBuilds = z.output<typeof listBuildsQuery>;
export type PendingUpload = z.input<typeof pendingUpload>;
