// The events that webhooks can subscribe to (docs/specification/webhooks.md#events), and the formats of their bodies.

const names = {
  'release.created': 'New release',
  'release.deleted': 'Release deleted',
  'release.rolled_back': 'Release rolled back',
  'build.uploaded': 'Build uploaded',
  'build.inspected': 'Build inspected',
  'build.deleted': 'Build deleted',
  'preview.ended': 'Preview ended',
  'device.registered': 'Device registered with Apple',
  'feedback.received': 'Feedback received',
} as const;

export type SubscribableEvent = keyof typeof names;

export const subscribableEvents = Object.keys(names) as [SubscribableEvent, ...SubscribableEvent[]];

/** `webhook.test` is sent by a test delivery only, so nobody subscribes to it. */
export type WebhookEvent = SubscribableEvent | 'webhook.test';

/** The names of events in English. The web app has them in other languages. */
export const webhookEventNames: Readonly<Record<WebhookEvent, string>> = { ...names, 'webhook.test': 'Test' };

/** Formats of a delivery's body: the service's own JSON, or a message for a chat. */
export const formats = ['svc', 'slack', 'teams', 'discord', 'mattermost', 'google_chat'] as const;
export type Format = (typeof formats)[number];
export type ChatFormat = Exclude<Format, 'svc'>;

/** Whether deliveries are messages for a chat. Chats don't verify signatures, so nobody needs the secret. */
export function isChatFormat(format: Format): format is ChatFormat {
  return format !== 'svc';
}
