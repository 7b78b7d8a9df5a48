// The fixture of webhook tests: subscriptions, events and deliveries.
import { systemContext } from '../../src/core/transact.ts';
import type { EventName } from '../../src/events.ts';
import type { Fixture } from '../../src/testing/fixture.ts';
import type { SubscribableEvent } from '../../src/webhook-events.ts';
import { type Answer, api, type Client, type Json, type Page } from '../support/harness.ts';

export interface Webhook {
  identifier: string;
  organization_id: string;
  project_id: string | null;
  url: string;
  events: string[];
  format: string;
  description: string | null;
  active: boolean;
  created_at: string;
  created_by: string | null;
  secret_rotated_at: string | null;
  secret: string;
}

export interface Delivery {
  identifier: string;
  webhook_id: string;
  event_id: string;
  type: string;
  status: string;
  attempts: number;
  last_status_code: number | null;
  last_error: string | null;
  next_attempt_at: string | null;
  created_at: string;
  delivered_at: string | null;
}

/** The events that actions of one name trigger alone. */
export const everyEvent: (SubscribableEvent & EventName)[] = [
  'release.created',
  'release.deleted',
  'release.rolled_back',
  'build.uploaded',
  'build.deleted',
  'preview.ended',
  'device.registered',
];

export const path = '/api/v1/webhooks';

export interface WebhookScenario {
  client: Client;
  inOrganization: { organization_id: string };
  subscribe(url: string, wanted?: Json): Promise<Webhook>;
  /** Records an event of the Android project (or another one), as an action does. */
  happen(event?: SubscribableEvent & EventName, projectId?: string): void;
  send<Body = Delivery>(webhook: Webhook, action: string): Promise<Answer<Body>>;
  /** Newest first. */
  deliveriesOf(webhook: Webhook, status?: string): Promise<Delivery[]>;
}

export function startWebhookScenario(fixture: Fixture, client = api(fixture)): WebhookScenario {
  const inOrganization = { organization_id: fixture.organization_id };
  return {
    client,
    inOrganization,
    async subscribe(url, wanted = {}) {
      const answer = await client.post<Webhook>(path, { url, events: everyEvent, ...wanted }, inOrganization);
      if (answer.status !== 201) throw new Error(answer.text);
      return answer.body;
    },
    happen(event = 'release.created', projectId = fixture.android_project_id) {
      const ctx = systemContext(fixture.app);
      ctx.transact((tx) =>
        tx.record(event, {
          identifier: tx.ids.next(),
          organizationId: fixture.organization_id,
          projectId,
          details: { channel: 'nightly', version_name: '1.4.0', build_number: 77 },
          data: { release_id: tx.ids.next(), channel_id: fixture.channel_id, build_id: tx.ids.next() },
        }),
      );
    },
    send: (webhook, action) => client.post(`${path}/${webhook.identifier}/${action}`),
    async deliveriesOf(webhook, status) {
      const answer = await client.get<Page<Delivery>>(`${path}/${webhook.identifier}/deliveries`, { status });
      return answer.body.items;
    },
  };
}
