// The events that webhooks can subscribe to (docs/specification/webhooks.md#events), and the formats of their bodies.
import type { Language } from './languages.ts';

interface WebhookEventFacts {
  names: Record<Language, string>;
}

const webhookEvents = {
  'release.created': { names: { en: 'New release', de: 'Neues Release' } },
  'release.deleted': { names: { en: 'Release deleted', de: 'Release gelöscht' } },
  'release.rolled_back': { names: { en: 'Release rolled back', de: 'Release zurückgerollt' } },
  'build.uploaded': { names: { en: 'Build uploaded', de: 'Build hochgeladen' } },
  'build.deleted': { names: { en: 'Build deleted', de: 'Build gelöscht' } },
} as const satisfies Record<string, WebhookEventFacts>;

export type SubscribableEvent = keyof typeof webhookEvents;

export const subscribableEvents = Object.keys(webhookEvents) as [SubscribableEvent, ...SubscribableEvent[]];

/** `webhook.test` is sent by a test delivery only, so nobody subscribes to it. */
export type WebhookEvent = SubscribableEvent | 'webhook.test';

/** The name of an event in a language. */
export function webhookEventName(event: WebhookEvent, language: Language): string {
  if (event === 'webhook.test') return 'Test';
  return webhookEvents[event].names[language];
}

/** Formats of a delivery's body: the service's own JSON, or a message for a chat. */
export const formats = ['svc', 'slack', 'teams', 'discord'] as const;
export type Format = (typeof formats)[number];
