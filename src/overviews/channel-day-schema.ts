// Wire shapes of what happened on a channel day by day.
import { z } from 'zod';
import { id } from '../lib/shapes.ts';

const MOST_DAYS = 365;

export const dayQuery = z.object({
  days: z
    .int()
    .min(1)
    .max(MOST_DAYS)
    .default(30)
    .meta({ description: 'How many days of UTC are answered, the last one being today' }),
});

const channelDay = z
  .object({
    day: z.iso.date(),
    downloads: z.int().meta({ description: 'Downloads that the channel served on that day' }),
    installs: z.int().meta({
      description: 'Installs that update themselves and on that day began to report a release of the channel they run',
    }),
    testers_on_current: z.int().meta({
      description: 'How many of the testers had downloaded by the end of the day what is the current release now',
    }),
    installs_on_current: z.int().meta({ description: 'The same of installs that update themselves and run it' }),
  })
  .meta({ id: 'ChannelDay' });

export const channelDays = z
  .object({
    channel_id: id(),
    release_id: id().nullable().meta({ description: 'The current release; null while the channel serves nothing' }),
    testers: z.int().meta({ description: 'People who reach the channel by a grant or a group now' }),
    installs: z.int().meta({ description: 'Installs of the SDK apps that follow the channel now' }),
    days: z.array(channelDay).meta({ description: 'The oldest first; days on which nothing happened are there too' }),
  })
  .meta({ id: 'ChannelDays' });

export type ChannelDays = z.output<typeof channelDays>;
export type ChannelDay = ChannelDays['days'][number];
