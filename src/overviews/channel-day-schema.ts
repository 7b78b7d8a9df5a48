// API schemas of the daily statistics of a channel.
import { id } from '../lib/shapes.ts';
import * as z from '../lib/zod.ts';

const MAX_DAYS = 365;

export const dayQuery = z.object({
  days: z.int().min(1).max(MAX_DAYS).default(30).meta({ description: 'Number of UTC days, ending today' }),
});

const channelDay = z
  .object({
    day: z.iso.date(),
    downloads: z.int().meta({ description: 'Downloads from the channel on that day' }),
    installs: z.int().meta({
      description:
        'SDK installs whose last report about a release of the channel is installed or launched, on the day of their first report about it',
    }),
    testers_on_current: z.int().meta({
      description: 'Testers who had downloaded the current release by the end of the day',
    }),
    installs_on_current: z.int().meta({
      description:
        'SDK installs whose last report about the current release is installed or launched, and that had reported about it by the end of the day',
    }),
  })
  .meta({ id: 'ChannelDay' });

export const channelDays = z
  .object({
    channel_id: id(),
    release_id: id().nullable().meta({ description: 'Current release; null if there is none' }),
    testers: z.int().meta({ description: 'Current number of testers with a grant or through a group' }),
    installs: z.int().meta({ description: 'Installs of the SDK apps that use the channel' }),
    days: z.array(channelDay).meta({ description: 'Oldest first, including days without events' }),
  })
  .meta({ id: 'ChannelDays' });

export type ChannelDays = z.output<typeof channelDays>;
export type ChannelDay = ChannelDays['days'][number];
