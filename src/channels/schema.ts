// Wire shapes of channels.
import { dateTime, id, nameLine, page, prose } from '../lib/shapes.ts';
import * as z from '../lib/zod.ts';
import { MAX_KEEP_DAYS, MAX_KEEP_LAST } from './limits.ts';

const name = nameLine(100).meta({ description: 'Unique in its project', example: 'nightly' });
const description = prose(2000).nullable();
const slug = z
  .string()
  .trim()
  .toLowerCase()
  .min(3)
  .max(40)
  .regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/, 'Use letters from a to z, digits, and single hyphens between them')
  .nullable()
  .meta({ description: 'Last part of the short address, unique on the server; null for none', example: 'harbor-beta' });
const keepLast = z.int().min(1).max(MAX_KEEP_LAST).nullable().meta({
  description:
    'Retention: how many of the newest releases keep their builds. Null with keep_days null: the channel keeps all builds',
  example: 20,
});
const keepDays = z
  .int()
  .min(1)
  .max(MAX_KEEP_DAYS)
  .nullable()
  .meta({ description: 'Retention: for how many days a release keeps its build', example: 90 });
const siblingName = nameLine(100).or(z.literal('')).nullable().meta({
  description:
    "Name of the channels in the app's projects for other platforms that its link also serves. Null for its own name, empty for none",
  example: null,
});

export const channel = z
  .object({
    identifier: id(),
    organization_id: id(),
    project_id: id(),
    name: z.string(),
    created_at: dateTime(),
    description: z.string().nullable(),
    auto_distribute: z.boolean().meta({ description: 'Whether completed uploads are released to it automatically' }),
    notify_on_release: z.boolean(),
    public: z.boolean().meta({ description: 'Whether anyone with the link can install its current release' }),
    install_url: z
      .string()
      .meta({ description: "Install page for phones. If the channel isn't public, people sign in there" }),
    allow_device_registration: z.boolean().meta({
      description: 'Whether anyone with the link of the public channel can register their iPhone on its install page',
    }),
    slug: z.string().nullable(),
    sibling_name: z.string().nullable(),
    short_url: z.string().nullable().meta({ description: 'Short address of the install page; null without a slug' }),
    keep_last: keepLast,
    keep_days: keepDays,
  })
  .meta({ id: 'Channel' });

export const channelPage = page('ChannelPage', channel);

export const createChannelBody = z
  .object({
    name,
    description: description.optional(),
    auto_distribute: z.boolean().default(false),
    notify_on_release: z.boolean().default(true),
    public: z.boolean().default(false),
    allow_device_registration: z.boolean().default(false),
    slug: slug.optional(),
    sibling_name: siblingName.optional(),
    keep_last: keepLast.optional(),
    keep_days: keepDays.optional(),
  })
  .meta({ id: 'ChannelCreateRequest' });

export const editChannelBody = z
  .object({
    name: name.optional(),
    description: description.optional(),
    auto_distribute: z.boolean().optional(),
    notify_on_release: z.boolean().optional(),
    public: z.boolean().optional(),
    allow_device_registration: z.boolean().optional(),
    slug: slug.optional(),
    sibling_name: siblingName.optional(),
    keep_last: keepLast.optional(),
    keep_days: keepDays.optional(),
  })
  .meta({ id: 'ChannelEditRequest' });

export const channelAnalytics = z
  .object({
    channel_id: id(),
    distinct_builds: z.int(),
    total_downloads: z.int().meta({ description: 'Includes anonymous downloads' }),
    unique_testers: z.int().meta({ description: 'Number of developers who downloaded' }),
    first_downloaded_at: dateTime().nullable(),
    last_downloaded_at: dateTime().nullable(),
  })
  .meta({ id: 'ChannelAnalytics' });

export const siblingChannels = z
  .array(channel)
  .meta({ id: 'ChannelSiblings', description: 'At most one for each other platform' });

export type Channel = z.output<typeof channel>;
export type CreateChannel = z.output<typeof createChannelBody>;
export type EditChannel = z.output<typeof editChannelBody>;
