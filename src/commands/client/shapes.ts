// What the client commands read out of the server's answers. Builds and releases keep the rest too, for --json.
import * as z from 'zod';

export const Build = z.looseObject({
  identifier: z.string(),
  organization_id: z.string(),
  project_id: z.string(),
  platform: z.string(),
  version_name: z.string(),
  build_number: z.number(),
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
  platform: z.enum(['ios', 'android']),
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

export const Release = z.looseObject({
  identifier: z.string(),
  channel_id: z.string(),
  state: z.string(),
  is_current: z.boolean(),
  mandatory: z.boolean(),
  build: Build,
});

export const PendingUpload = z.object({
  pending_upload_id: z.string(),
  upload_url: z.string(),
  expires_at: z.string(),
  required_headers: z.record(z.string(), z.string()),
  max_size_bytes: z.number(),
});

/** What the server found in a package, as far as it keeps phones from installing it. */
export const Inspection = z.object({
  inspection_status: z.string(),
  content: z
    .object({
      platform: z.string().nullish(),
      build_number: z.string().nullish(),
      is_simulator: z.boolean().nullish(),
      test_only: z.boolean().nullish(),
      signing: z
        .object({
          kind: z.string().nullish(),
          expires_at: z.string().nullish(),
          provisioned_devices: z.array(z.string()).nullish(),
          provisions_all_devices: z.boolean().nullish(),
          verified: z.boolean().nullish(),
          verified_from_sdk: z.number().nullish(),
        })
        .nullish(),
    })
    .nullish(),
});

/** One page of a list of these. */
export const pageOf = <Item extends z.ZodType>(item: Item) =>
  z.object({ items: z.array(item), next_cursor: z.string().nullable() });

export type Inspection = z.output<typeof Inspection>;
export type Build = z.output<typeof Build>;
export type Organization = z.output<typeof Organization>;
export type Project = z.output<typeof Project>;
export type Channel = z.output<typeof Channel>;
export type Release = z.output<typeof Release>;
export type PendingUpload = z.output<typeof PendingUpload>;
