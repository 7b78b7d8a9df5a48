// API schemas of the overview of projects.
import { build } from '../builds/schema.ts';
import { page } from '../lib/shapes.ts';
import * as z from '../lib/zod.ts';
import { project } from '../projects/schema.ts';
import { release } from '../releases/schema.ts';

const projectOverview = z
  .object({
    project,
    newest_release: release.nullable().meta({ description: 'Newest current release of its channels' }),
    last_upload: build.nullable().meta({ description: "Newest build that isn't revoked" }),
    app_icon_url: z.string().nullable().meta({
      description: "Icon of the project's app, from one of its newest 20 builds; builds of other apps don't count",
    }),
  })
  .meta({ id: 'ProjectOverview' });

export const projectOverviewPage = page('ProjectOverviewPage', projectOverview);

export type ProjectOverview = z.input<typeof projectOverview>;
