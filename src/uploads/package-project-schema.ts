// API schemas of projects that are created from a package.
import { channel, createChannelBody } from '../channels/schema.ts';
import { nameLine, platform } from '../lib/shapes.ts';
import * as z from '../lib/zod.ts';
import { bundleIdentifier, MAX_NAME_LENGTH, project } from '../projects/schema.ts';

export const packageProjectInput = z
  .object({
    platform,
    bundle_identifier: bundleIdentifier.nullish().meta({ description: "The package's, if the client can read it" }),
    name: nameLine(MAX_NAME_LENGTH)
      .nullish()
      .meta({ description: 'Name until the package is uploaded. A name that is taken gets a number' }),
    channel: createChannelBody
      .pick({ name: true, public: true })
      .partial({ name: true })
      .optional()
      .meta({ id: 'FirstChannel' }),
  })
  .meta({ id: 'PackageProjectInput' });

export const packageProject = z.object({ project, channel }).meta({ id: 'PackageProject' });

export type PackageProjectInput = z.output<typeof packageProjectInput>;
export type PackageProject = z.output<typeof packageProject>;
