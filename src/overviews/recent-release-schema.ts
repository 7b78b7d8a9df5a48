// API schemas of the newest releases of an organization.
import { inOrganization } from '../lib/shapes.ts';
import * as z from '../lib/zod.ts';
import { release } from '../releases/schema.ts';

const MAX_RECENT_RELEASES = 50;
export const DEFAULT_RECENT = 20;

export const recentReleasesQuery = z.object({
  ...inOrganization,
  limit: z
    .int()
    .min(1)
    .max(MAX_RECENT_RELEASES)
    .optional()
    .meta({ description: `Number of releases; default ${DEFAULT_RECENT}` }),
});

const recentRelease = z
  .object({
    release,
    project_name: z.string(),
    channel_name: z.string(),
    testers: z.int().meta({ description: 'Testers of the channel, each counted once' }),
    adoption: z
      .object({
        testers: z.int().meta({ description: 'Testers of the channel who have downloaded the release' }),
        downloads: z.int().meta({ description: 'All its downloads, including anonymous ones' }),
      })
      .meta({ id: 'ReleaseAdoption' }),
  })
  .meta({ id: 'RecentRelease' });

export const recentReleases = z.object({ items: z.array(recentRelease) }).meta({ id: 'RecentReleases' });

export type RecentRelease = z.input<typeof recentRelease>;
export type RecentReleases = z.input<typeof recentReleases>;
