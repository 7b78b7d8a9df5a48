// API schemas of SDK apps and their installs.

import { dateTime, id, nameLine, page } from '../lib/shapes.ts';
import * as z from '../lib/zod.ts';
import { reportState } from '../releases/schema.ts';

export const sdkApp = z
  .object({
    identifier: id(),
    organization_id: id(),
    project_id: id(),
    channel_id: id().meta({ description: 'Channel of the releases for its installs' }),
    name: z.string(),
    app_key: z.string().meta({ description: 'Public key, included in the app and sent as X-Svc-App-Key' }),
    install_count: z.int().meta({ description: 'Number of enrolled installs' }),
    created_at: dateTime(),
    created_by: id().nullable().meta({ description: 'Creating developer; null for a project access token' }),
    secret_rotated_at: dateTime().nullable().meta({ description: 'Time of the last rotation' }),
    revoked_at: dateTime()
      .nullable()
      .meta({ description: "Time of the revocation; its installs don't work since then" }),
  })
  .meta({ id: 'SdkApp' });

export const sdkAppWithSecret = sdkApp
  .extend({ app_secret: z.string().meta({ description: 'Secret for enrolling installs, shown only once' }) })
  .meta({ id: 'SdkAppWithSecret' });

export const sdkAppPage = page('SdkAppPage', sdkApp);

const name = nameLine(100).meta({ description: 'Name of the app as shown to users' });
const channelId = id().meta({ description: 'Channel of the same project' });

export const createSdkAppBody = z.object({ name, channel_id: channelId }).meta({ id: 'SdkAppCreateRequest' });

export const editSdkAppBody = z
  .object({ name: name.optional(), channel_id: channelId.optional() })
  .meta({ id: 'SdkAppEditRequest', description: 'Changing channel_id moves all installs to that channel' });

const sdkInstall = z
  .object({
    identifier: id(),
    install_id: id().meta({ description: 'Id chosen by the install' }),
    bundle_identifier: z.string().nullable(),
    device_model: z.string().nullable(),
    os_version: z.string().nullable(),
    version_name: z.string().nullable().meta({ description: 'Last reported version' }),
    build_number: z.int().nullable(),
    enrolled_at: dateTime(),
    last_seen_at: dateTime().meta({ description: 'Time of the last request, accurate to an hour' }),
    last_report: z
      .object({
        release_id: id().nullable(),
        state: reportState,
        error: z.string().nullable(),
        reported_at: dateTime(),
      })
      .nullable(),
  })
  .meta({ id: 'SdkInstall' });

export const sdkInstallPage = page('SdkInstallPage', sdkInstall);

export type SdkApp = z.input<typeof sdkApp>;
export type SdkAppWithSecret = z.input<typeof sdkAppWithSecret>;
export type CreateSdkApp = z.output<typeof createSdkAppBody>;
export type EditSdkApp = z.output<typeof editSdkAppBody>;
export type SdkInstall = z.input<typeof sdkInstall>;
