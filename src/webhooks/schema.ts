// Wire shapes of webhook subscriptions and their deliveries.

import { dateTime, id, page, prose } from '../lib/shapes.ts';
import * as z from '../lib/zod.ts';
import { formats, subscribableEvents } from '../webhook-events.ts';

export const deliveryStatuses = ['pending', 'delivered', 'retrying', 'dead'] as const;

const MAX_EVENTS = 50;

function hasSlashes(url: string): boolean {
  return !URL.canParse(url) || /^https?:\/\/[^/]/i.test(url);
}

function hasNoUser(url: string): boolean {
  if (!URL.canParse(url)) return true;
  const { username, password } = new URL(url);
  return username === '' && password === '';
}

const url = z
  .string()
  .max(2048)
  // Checked before parsing the URL, because parsers drop some of these characters and interpret backslashes
  // differently.
  .regex(/^[^\s\p{C}\\]*$/u, 'Input should be a URL without spaces, control characters and backslashes')
  .url({ protocol: /^https?$/ })
  .refine(hasSlashes, 'Input should be a URL with exactly two slashes after http: or https:')
  .refine(hasNoUser, 'Input should be a URL without user name and password')
  .meta({ description: 'http or https', example: 'https://ci.example.com/hooks/taxiway' });

const events = z
  .array(z.enum(subscribableEvents))
  .min(1)
  .max(MAX_EVENTS)
  .transform((list) => [...new Set(list)])
  .meta({ description: 'Events to send' });

const format = z.enum(formats).meta({
  description:
    'Format of the body: native, or a message for an incoming webhook of Slack, Teams, Discord, Mattermost or Google Chat',
});

const description = prose(2000).nullable();
const projectId = id().nullable().meta({ description: 'Send only events of this project; null for all projects' });

export const webhook = z
  .object({
    identifier: id(),
    organization_id: id(),
    project_id: id().nullable(),
    url: z.string(),
    damaged: z.boolean().meta({
      description:
        "The stored URL or secret can't be decrypted, and `url` is empty: delete the webhook and create it again",
    }),
    events: z.array(z.enum(subscribableEvents)),
    format,
    description: z.string().nullable(),
    active: z.boolean(),
    created_at: dateTime(),
    created_by: id().nullable().meta({ description: 'Creating developer; null if the account was deleted' }),
    secret_rotated_at: dateTime().nullable(),
  })
  .meta({ id: 'Webhook' });

export const webhookWithSecret = webhook
  .extend({
    secret: z.string().nullable().meta({
      description: "Signing secret, shown only once; null for a new webhook of a chat, which doesn't need it",
    }),
  })
  .meta({ id: 'WebhookWithSecret' });

export const webhookPage = page('WebhookPage', webhook);

export const webhookInput = z
  .object({
    url,
    events,
    project_id: projectId.optional(),
    format: format.default('svc'),
    description: description.optional(),
    active: z.boolean().default(true),
  })
  .meta({ id: 'WebhookCreateRequest' });

export const webhookChange = z
  .object({
    url: url.optional(),
    events: events.optional(),
    project_id: projectId.optional(),
    format: format.optional(),
    description: description.optional(),
    active: z.boolean().optional(),
  })
  .meta({ id: 'WebhookEditRequest' });

export const delivery = z
  .object({
    identifier: id(),
    webhook_id: id(),
    event_id: id().meta({ description: 'The `id` in the body, the same for all attempts and redeliveries' }),
    type: z.enum([...subscribableEvents, 'webhook.test']),
    status: z.enum(deliveryStatuses),
    attempts: z.int(),
    last_status_code: z.int().nullable(),
    last_error: z.string().nullable(),
    next_attempt_at: dateTime().nullable(),
    created_at: dateTime(),
    delivered_at: dateTime().nullable(),
  })
  .meta({ id: 'WebhookDelivery' });

export const deliveryPage = page('WebhookDeliveryPage', delivery);

export const inWebhookPath = z.object({ webhook_id: id() });
export const inDeliveryPath = z.object({ webhook_id: id(), delivery_id: id() });

export type Webhook = z.input<typeof webhook>;
export type WebhookWithSecret = z.input<typeof webhookWithSecret>;
export type WebhookInput = z.output<typeof webhookInput>;
export type WebhookChange = z.output<typeof webhookChange>;
export type Delivery = z.input<typeof delivery>;
export type DeliveryStatus = (typeof deliveryStatuses)[number];
