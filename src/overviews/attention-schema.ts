// API schemas of what needs attention in an organization.
import { displayBuildNumber } from '../builds/schema.ts';
import { installability } from '../compatibility/installability-schema.ts';
import { dateTime, id, platform } from '../lib/shapes.ts';
import * as z from '../lib/zod.ts';

/** A response contains this many items, the worst ones. */
export const MAX_ITEMS = 50;

const build = {
  project_id: id(),
  project_name: z.string(),
  platform,
  build_id: id(),
  version_name: z.string(),
  display_build_number: displayBuildNumber,
  channel_names: z.array(z.string()).meta({ description: 'Channels where the build is live' }),
};

const uninstallable = z
  .object({
    kind: z.literal('uninstallable'),
    ...build,
    reason: installability.shape.reason,
    profile_expires_at: dateTime().nullable(),
  })
  .meta({
    id: 'UninstallableAttention',
    description: 'A build that no device can install: live on a channel, or the newest build of its project',
  });

const expiring = z
  .object({
    kind: z.literal('expiring'),
    ...build,
    signature: z.enum(['profile', 'certificate']),
    name: z.string().nullable().meta({ description: 'Name of the profile; null for a certificate' }),
    expires_at: dateTime(),
    is_expired: z.boolean(),
    days_left: z.int(),
  })
  .meta({
    id: 'ExpiringAttention',
    description:
      'A profile or certificate of live builds that expires within 30 days. An expired profile is uninstallable instead',
  });

const devicesWaiting = z
  .object({
    kind: z.literal('devices_waiting'),
    devices: z.int().meta({
      description:
        "Registered devices that aren't in the profile of any live build and don't wait for a build of a channel",
    }),
    since: dateTime().meta({ description: 'Registration of the first of them' }),
  })
  .meta({ id: 'DevicesWaitingAttention' });

const webhookFailing = z
  .object({
    kind: z.literal('webhook_failing'),
    webhook_id: id(),
    name: z.string().nullable().meta({ description: 'Description or host of the webhook' }),
    deliveries: z.int().meta({ description: 'Failed deliveries since the last success, counted up to 100' }),
    last_failed_at: dateTime().meta({ description: 'Creation of the newest failed delivery' }),
    last_status_code: z.int().nullable(),
    last_error: z.string().nullable(),
  })
  .meta({ id: 'WebhookFailingAttention' });

const webhookDisabled = z
  .object({
    kind: z.literal('webhook_disabled'),
    webhook_id: id(),
    name: z.string().nullable().meta({ description: 'Description or host of the webhook' }),
    deliveries: z.int().meta({ description: 'Deliveries that wait until it is enabled, counted up to 100' }),
  })
  .meta({ id: 'WebhookDisabledAttention' });

const accessRequested = z
  .object({
    kind: z.literal('access_requested'),
    project_id: id(),
    project_name: z.string(),
    platform,
    channel_id: id(),
    channel_name: z.string(),
    requests: z.int().meta({ description: 'People who ask for access to the channel' }),
    since: dateTime().meta({ description: 'Time of the first of these requests' }),
  })
  .meta({ id: 'AccessRequestedAttention' });

const channelAwaited = z
  .object({
    kind: z.literal('channel_awaited'),
    project_id: id(),
    project_name: z.string(),
    platform,
    channel_id: id(),
    channel_name: z.string(),
    devices: z.int().meta({ description: 'Devices that wait for a build of the channel, counted up to 1,000' }),
    since: dateTime().meta({ description: 'Since when the first of them waits' }),
  })
  .meta({ id: 'ChannelAwaitedAttention' });

const attentionItem = z
  .discriminatedUnion('kind', [
    uninstallable,
    expiring,
    devicesWaiting,
    channelAwaited,
    accessRequested,
    webhookFailing,
    webhookDisabled,
  ])
  .meta({ id: 'AttentionItem' });

export const attention = z
  .object({
    items: z.array(attentionItem).meta({ description: `Worst first, at most ${MAX_ITEMS}` }),
    total: z.int().meta({ description: 'Number of items, including those left out' }),
  })
  .meta({ id: 'Attention' });

export type AttentionItem = z.input<typeof attentionItem>;
export type Attention = z.input<typeof attention>;
