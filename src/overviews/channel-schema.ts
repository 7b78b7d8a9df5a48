// API schemas of the overview of channels.
import { channel } from '../channels/schema.ts';
import { page } from '../lib/shapes.ts';
import * as z from '../lib/zod.ts';
import { release } from '../releases/schema.ts';

const channelOverview = z
  .object({
    channel,
    current_release: release.nullable(),
    testers: z.int().meta({ description: 'Testers with a grant or through a group, each counted once' }),
    adoption: z
      .object({
        testers: z.int().meta({ description: 'Testers who have downloaded the current release' }),
        downloads: z.int().meta({ description: 'All its downloads, including anonymous ones' }),
      })
      .nullable()
      .meta({ description: 'Null if the channel has no current release' }),
  })
  .meta({ id: 'ChannelOverview' });

export const channelOverviewPage = page('ChannelOverviewPage', channelOverview);

export type ChannelOverview = z.input<typeof channelOverview>;
