// API schemas of the in-app update API. All texts are limited, because anyone with an app's secret can send them.
import { dateTime, id, line, platform, prose } from '../lib/shapes.ts';
import * as z from '../lib/zod.ts';
import { reportState } from '../releases/schema.ts';

const MAX_SECRET_LENGTH = 200;
const versionName = line(255).meta({ description: 'Version of the running build' });
const buildNumber = z
  .int()
  .min(0)
  .max(Number.MAX_SAFE_INTEGER)
  .meta({ description: 'Number of the running build (CFBundleVersion, versionCode)' });

export const enrollBody = z
  .object({
    app_secret: z.string().max(MAX_SECRET_LENGTH),
    install_id: id().nullish().meta({ description: 'Previous id of the install. If missing, a new one is created' }),
    bundle_identifier: line(255).nullish(),
    device_model: line(100).nullish(),
    os_version: line(50).nullish(),
    version_name: versionName.nullish(),
    build_number: buildNumber.nullish(),
  })
  .meta({ id: 'SdkEnrollRequest' });

export const enrollment = z
  .object({
    install_id: id().meta({
      description: 'Store it and send it when enrolling again. It may differ from the one sent',
    }),
    update_token: z.string().meta({ description: 'Shown only once' }),
    expires_at: dateTime(),
  })
  .meta({ id: 'SdkEnrollment' });

export const rotatedToken = z
  .object({ update_token: z.string().meta({ description: 'Shown only once' }), expires_at: dateTime() })
  .meta({ id: 'SdkUpdateToken' });

export const appFacts = z
  .object({
    name: z.string(),
    organization_name: z.string(),
    icon_url: z.string().nullable().meta({ description: 'Icon of the current release; the link works for 15 minutes' }),
    platform,
    channel_name: z.string(),
  })
  .meta({ id: 'SdkAppFacts' });

export const latestQuery = z.object({
  build_number: buildNumber.optional(),
  // One check instead of four, because apps send this often.
  version_name: z
    .string()
    .regex(/^[^\p{Cc}\p{Cs}\u2028\u2029]{1,255}$/u, 'Input should be one line of at most 255 characters')
    .optional()
    .meta({ description: 'Version of the running build' }),
});

const updateRelease = z
  .object({
    identifier: id(),
    version_name: z.string(),
    build_number: z.int(),
    release_notes: z.string().nullable().meta({ description: 'Notes of the release, or of its build if it has none' }),
    release_notes_text: z
      .string()
      .nullable()
      .meta({ description: 'The notes without Markdown, for apps that show them as text' }),
    mandatory: z.boolean().meta({ description: 'Whether this release is mandatory' }),
    min_os_version: z.string().nullable(),
    size_bytes: z.int(),
    sha256: z.string(),
    created_at: dateTime().meta({ description: 'Time of the release' }),
  })
  .meta({ id: 'SdkRelease' });

export const latest = z
  .object({
    update_available: z.boolean().meta({ description: 'Whether the current release is newer than the running build' }),
    mandatory: z
      .boolean()
      .meta({ description: 'Whether there is an update and a release newer than the running build is mandatory' }),
    release: updateRelease.nullable().meta({ description: 'Current release of the channel; null if there is none' }),
  })
  .meta({ id: 'SdkLatest' });

export const updateDownload = z
  .object({
    download_url: z
      .string()
      .meta({ description: 'Signed link to the package, valid for GET and HEAD until expires_at' }),
    expires_at: dateTime(),
    sha256: z.string().meta({ description: 'SHA-256 of the package, for checking the download' }),
    size_bytes: z.int(),
    capability: z.string().optional().meta({ description: 'For the manifest, until expires_at; iOS only' }),
    manifest_url: z.string().optional().meta({ description: 'Property list for installing over the air; iOS only' }),
    itms_url: z.string().optional().meta({ description: 'Starts the installation; iOS only' }),
  })
  .meta({ id: 'SdkDownload' });

export const reportBody = z
  .object({
    release_id: id().nullish(),
    state: reportState,
    error: prose(1000).nullish().meta({ description: 'Error message' }),
  })
  .meta({ id: 'SdkInstallReport' });

export type Enroll = z.output<typeof enrollBody>;
export type Enrollment = z.input<typeof enrollment>;
export type RotatedToken = z.input<typeof rotatedToken>;
export type AppFacts = z.input<typeof appFacts>;
export type LatestQuery = z.output<typeof latestQuery>;
export type UpdateRelease = z.input<typeof updateRelease>;
export type Latest = z.input<typeof latest>;
export type UpdateDownload = z.input<typeof updateDownload>;
export type Report = z.output<typeof reportBody>;
