// Wire shapes of SDK apps and of the installs that enrolled with them.

import { z } from 'zod';
import { dateTime, id, line, page } from '../lib/shapes.ts';
import { reportState } from '../releases/schema.ts';

export const sdkApp = z
  .object({
    identifier: id(),
    organization_id: id(),
    project_id: id(),
    channel_id: id().meta({ description: 'The channel whose releases its installs get' }),
    name: z.string(),
    app_key: z.string().meta({ description: 'Public; ships inside the app and travels in X-Svc-App-Key' }),
    install_count: z.int().meta({ description: 'Installs that are enrolled' }),
    created_at: dateTime(),
    created_by: id().nullable().meta({ description: 'The developer; null for a project access token' }),
    secret_rotated_at: dateTime().nullable().meta({ description: 'When its secret was last exchanged' }),
    revoked_at: dateTime().nullable().meta({ description: 'Since when none of its installs is answered' }),
  })
  .meta({ id: 'SdkApp' });

export const sdkAppWithSecret = sdkApp
  .extend({ app_secret: z.string().meta({ description: 'Lets installs enroll; shown this once and kept nowhere' }) })
  .meta({ id: 'SdkAppWithSecret' });

export const sdkAppPage = page('SdkAppPage', sdkApp);

const name = line(100).meta({ description: 'What the app calls itself to the people who use it' });
const channelId = id().meta({ description: 'A channel of the same project' });

export const createSdkAppBody = z.object({ name, channel_id: channelId }).meta({ id: 'SdkAppCreateRequest' });

export const editSdkAppBody = z
  .object({ name: name.optional(), channel_id: channelId.optional() })
  .meta({ id: 'SdkAppEditRequest', description: 'Another channel_id moves every install to that channel' });

const sdkInstall = z
  .object({
    identifier: id(),
    install_id: id().meta({ description: 'What the install knows itself by' }),
    bundle_identifier: z.string().nullable(),
    device_model: z.string().nullable(),
    os_version: z.string().nullable(),
    version_name: z.string().nullable().meta({ description: 'As it said last' }),
    build_number: z.int().nullable(),
    enrolled_at: dateTime(),
    last_seen_at: dateTime().meta({ description: 'When it last asked for anything, within an hour' }),
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
