// API schemas of expiring items.

import { displayBuildNumber } from '../builds/schema.ts';
import { dateTime, id, page, pageQuery, platform } from '../lib/shapes.ts';
import * as z from '../lib/zod.ts';

/** A year, the lifetime of a provisioning profile. */
const MAX_DAYS = 366;

export const expiringQuery = z.object({
  days: z.int().min(1).max(MAX_DAYS).optional().meta({ description: 'Default: 60, when the first warning is sent' }),
  ...pageQuery,
});

const expiringItem = z
  .object({
    kind: z.enum(['profile', 'certificate']).meta({
      description: 'profile: of an iOS build. certificate: the one that signs an iOS profile or an Android package',
    }),
    name: z.string().nullable().meta({ description: 'Name of the profile; null for a certificate' }),
    platform,
    expires_at: dateTime(),
    is_expired: z.boolean().meta({ description: 'Expired items stay listed while their release is current' }),
    days_left: z.int().meta({ description: 'Whole days until expires_at; 0 if expired' }),
    project_id: id(),
    project_name: z.string(),
    channel_id: id(),
    channel_name: z.string(),
    release_id: id(),
    build_id: id(),
    version_name: z.string(),
    build_number: z.int(),
    display_build_number: displayBuildNumber,
    last_warned_at: dateTime().nullable().meta({ description: 'Time of the last email to the maintainers about it' }),
  })
  .meta({ id: 'ExpiringItem' });

export const expiringPage = page('ExpiringPage', expiringItem);

export type ExpiringQuery = z.output<typeof expiringQuery>;
export type ExpiringItem = z.input<typeof expiringItem>;
