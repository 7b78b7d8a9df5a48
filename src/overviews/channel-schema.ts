// Wire shapes of channels as a page of all of them shows them.
import { z } from 'zod';
import { channel } from '../channels/schema.ts';
import { page } from '../lib/shapes.ts';
import { release } from '../releases/schema.ts';

const channelOverview = z
  .object({
    channel,
    current_release: release.nullable(),
    testers: z.int().meta({ description: 'People who reach it by a grant or a group, each counted once' }),
    adoption: z
      .object({
        testers: z.int().meta({ description: 'How many of the testers have downloaded the current release' }),
        downloads: z.int().meta({ description: 'All downloads of it, anonymous ones and those of others too' }),
      })
      .nullable()
      .meta({ description: 'Null while the channel serves nothing' }),
  })
  .meta({ id: 'ChannelOverview' });

export const channelOverviewPage = page('ChannelOverviewPage', channelOverview);

export type ChannelOverview = z.input<typeof channelOverview>;
