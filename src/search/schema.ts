// API schemas of the search.

import { displayBuildNumber } from '../builds/schema.ts';
import { composed, id, platform } from '../lib/shapes.ts';
import * as z from '../lib/zod.ts';

const MAX_QUERY_LENGTH = 100;

export const searchQuery = z.object({
  query: z
    .string()
    .trim()
    .overwrite(composed(MAX_QUERY_LENGTH))
    .min(1)
    .max(MAX_QUERY_LENGTH)
    .meta({ description: 'Part of a name, version, build number or email address' }),
});

const inProject = { project_id: id(), project_name: z.string() };

export const searchResults = z
  .object({
    projects: z.array(z.object({ identifier: id(), name: z.string(), platform })),
    channels: z.array(z.object({ identifier: id(), name: z.string(), ...inProject })),
    builds: z.array(
      z.object({
        identifier: id(),
        version_name: z.string(),
        build_number: z.int(),
        display_build_number: displayBuildNumber,
        original_filename: z.string().nullable(),
        ...inProject,
      }),
    ),
    people: z.array(z.object({ developer_id: id(), display_name: z.string(), email: z.string() })),
    truncated: z.boolean().meta({ description: 'Whether there may be more results' }),
  })
  .meta({ id: 'SearchResults' });

export type SearchResults = z.input<typeof searchResults>;
