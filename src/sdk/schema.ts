// Wire shapes of the in-app update API. Every text is bounded: whoever holds an app's secret can send them.
import { z } from 'zod';
import { dateTime, id, line, prose } from '../lib/shapes.ts';
import { platform } from '../platforms.ts';
import { reportState } from '../releases/schema.ts';

const LONGEST_SECRET = 200;
const versionName = line(255).meta({ description: 'Version of the build that is running' });
const buildNumber = z
  .int()
  .min(0)
  .max(Number.MAX_SAFE_INTEGER)
  .meta({ description: 'Number of the build that is running (CFBundleVersion, versionCode)' });

export const enrollBody = z
  .object({
    app_secret: z.string().max(LONGEST_SECRET),
    install_id: id()
      .nullish()
      .meta({ description: 'What the install called itself before; without it, it is given one' }),
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
      description: 'To be kept and sent when enrolling again; not always the one that was sent',
    }),
    update_token: z.string().meta({ description: 'Shown this once' }),
    expires_at: dateTime(),
  })
  .meta({ id: 'SdkEnrollment' });

export const rotatedToken = z
  .object({ update_token: z.string().meta({ description: 'Shown this once' }), expires_at: dateTime() })
  .meta({ id: 'SdkUpdateToken' });

export const appFacts = z
  .object({
    name: z.string(),
    organization_name: z.string(),
    icon_url: z.string().nullable().meta({ description: 'Of the current release; may be fetched for 15 minutes' }),
    platform,
    channel_name: z.string(),
  })
  .meta({ id: 'SdkAppFacts' });

export const latestQuery = z.object({
  build_number: buildNumber.optional(),
  // One check instead of four: apps ask this all day.
  version_name: z
    .string()
    .regex(/^[^\p{Cc}\p{Cs}\u2028\u2029]{1,255}$/u, 'Input should be one line of at most 255 characters')
    .optional()
    .meta({ description: 'Version of the build that is running' }),
});

const updateRelease = z
  .object({
    identifier: id(),
    version_name: z.string(),
    build_number: z.int(),
    release_notes: z.string().nullable().meta({ description: 'Of the release, else of its build' }),
    mandatory: z.boolean().meta({ description: 'Of this release alone' }),
    min_os_version: z.string().nullable(),
    size_bytes: z.int(),
    sha256: z.string(),
    created_at: dateTime().meta({ description: 'When it was released' }),
  })
  .meta({ id: 'SdkRelease' });

export const latest = z
  .object({
    update_available: z.boolean().meta({ description: 'The current release is newer than the build that is running' }),
    mandatory: z
      .boolean()
      .meta({ description: 'There is an update, and any release newer than the build that is running is mandatory' }),
    release: updateRelease
      .nullable()
      .meta({ description: 'What the channel serves now; null while it serves nothing' }),
  })
  .meta({ id: 'SdkLatest' });

export const updateDownload = z
  .object({
    download_url: z.string().meta({ description: 'The package; signed, serves GET and HEAD until expires_at' }),
    expires_at: dateTime(),
    sha256: z.string().meta({ description: 'Fingerprint to compare the downloaded package with' }),
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
    error: prose(1000).nullish().meta({ description: 'Why it failed' }),
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
