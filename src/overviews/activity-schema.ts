// API schemas of the activity of projects.
import { displayBuildNumber } from '../builds/schema.ts';
import { id, page } from '../lib/shapes.ts';
import * as z from '../lib/zod.ts';

/** Builds aren't counted beyond this number, so that reads stay cheap. */
export const MAX_BUILDS = 1000;

const channelActivity = z
  .object({
    channel_id: id(),
    name: z.string(),
    current: z
      .object({
        release_id: id(),
        build_id: id(),
        version_name: z.string(),
        display_build_number: displayBuildNumber,
      })
      .nullable()
      .meta({ description: 'Current release; null if the channel has none' }),
  })
  .meta({ id: 'ChannelActivity' });

const projectActivity = z
  .object({
    project_id: id(),
    channels: z
      .array(channelActivity)
      .meta({ description: 'The newest 100 channels, oldest first, without those of previews' }),
    builds_last_7_days: z
      .int()
      .meta({ description: `Builds uploaded in the last 7 days, counted up to ${MAX_BUILDS}` }),
    newest_build_devices: z.object({ build_id: id(), devices_total: z.int(), devices_able: z.int() }).nullable().meta({
      description:
        "Registered devices of the organization, and those that can install the newest build that isn't revoked. Null for Android and without builds",
    }),
  })
  .meta({ id: 'ProjectActivity' });

export const projectActivityPage = page('ProjectActivityPage', projectActivity);

export type ChannelActivity = z.input<typeof channelActivity>;
export type ProjectActivity = z.input<typeof projectActivity>;
