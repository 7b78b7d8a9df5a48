// The fields of responses that the client commands use. Builds and releases keep all other fields for --json.

import { installabilityReasons } from '../../compatibility/reasons.ts';
import { appleRegistrationStates } from '../../lib/apple-registration-states.ts';
import * as z from '../../lib/zod.ts';
import { platforms } from '../../platforms.ts';

/** Missing in responses of servers that are older than this program. */
const Installability = z
  .object({
    status: z.enum(['installable', 'uninstallable', 'unknown']),
    reason: z.enum(installabilityReasons),
    profile_expires_at: z.string().nullable(),
    needed_system: z.string().nullable(),
    newest_system: z.string().nullable().default(null),
  })
  .optional()
  .catch(undefined);

export const Build = z.looseObject({
  identifier: z.string(),
  organization_id: z.string(),
  project_id: z.string(),
  platform: z.string(),
  version_name: z.string(),
  build_number: z.number(),
  display_build_number: z.string().nullish(),
  installability: Installability,
  released_to: z.array(z.object({ channel_id: z.string(), release_id: z.string() })).optional(),
  over_budget_bytes: z.number().nullish(),
  sha256: z.string(),
  size_bytes: z.number(),
  uploaded_at: z.string(),
  bundle_identifier: z.string().nullish(),
  original_filename: z.string().nullish(),
  revoked_at: z.string().nullish(),
  inspection_status: z.string().nullish(),
});

export const Organization = z.object({ identifier: z.string(), name: z.string() });

export const Project = z.object({
  identifier: z.string(),
  organization_id: z.string(),
  name: z.string(),
  platform: z.enum(platforms),
  bundle_identifier: z.string().nullish(),
});

export const Channel = z.object({
  identifier: z.string(),
  organization_id: z.string(),
  project_id: z.string(),
  name: z.string(),
  public: z.boolean().default(false),
  install_url: z.string().nullable().default(null),
  auto_distribute: z.boolean().default(false),
});

export const Preview = z.object({
  identifier: z.string(),
  pull_request: z.number(),
  channel: Channel,
  ends_at: z.string(),
});

/** The response of operations that return nothing. */
export const Nothing = z.undefined();

export const Release = z.looseObject({
  identifier: z.string(),
  channel_id: z.string(),
  state: z.string(),
  is_current: z.boolean(),
  mandatory: z.boolean(),
  created_at: z.string(),
  build: Build,
});

export const PendingUpload = z.object({
  pending_upload_id: z.string(),
  upload_url: z.string(),
  expires_at: z.string(),
  required_headers: z.record(z.string(), z.string()),
  max_size_bytes: z.number(),
});

export const NextBuildNumber = z.object({ build_number: z.number() });

export const DeviceCounts = z.object({
  items: z.array(z.object({ build_id: z.string(), devices_total: z.number(), devices_able: z.number() })),
});

/** Keeps all other fields for --json. */
export const Device = z.looseObject({
  identifier: z.string(),
  organization_id: z.string(),
  udid: z.string(),
  name: z.string(),
  product: z.string().nullish(),
  model: z.string().nullish(),
  /** Missing for people who aren't managers. */
  apple_registrations: z
    .array(
      z.looseObject({
        store_connection_id: z.string(),
        state: z.enum(appleRegistrationStates),
        device_class: z.string().nullish(),
      }),
    )
    .optional(),
});

/** Keeps all other fields for --json. */
export const StoreConnection = z.looseObject({
  identifier: z.string(),
  organization_id: z.string(),
  provider: z.string(),
  name: z.string(),
  package_name: z.string().nullish(),
  status: z.enum(['valid', 'invalid']),
  validation: z.looseObject({ checked_at: z.string(), scope: z.string(), message: z.string().nullable() }),
});

export const DeviceQuota = z.object({
  classes: z.array(z.object({ device_class: z.string(), used: z.number(), limit: z.number() })),
});

/** The schema of a list page. */
export const pageOf = <Item extends z.ZodType>(item: Item) =>
  z.object({ items: z.array(item), next_cursor: z.string().nullable() });

export type DeviceQuota = z.output<typeof DeviceQuota>;
export type Build = z.output<typeof Build>;
export type Organization = z.output<typeof Organization>;
export type Project = z.output<typeof Project>;
export type Channel = z.output<typeof Channel>;
export type Preview = z.output<typeof Preview>;
export type Device = z.output<typeof Device>;
export type StoreConnection = z.output<typeof StoreConnection>;
export type Release = z.output<typeof Release>;
export type PendingUpload = z.output<typeof PendingUpload>;
