// Operations on webhook subscriptions and their deliveries.
import { z } from 'zod';
import { empty, fromPath, fromQuery, type Operation, operation } from '../http/operation.ts';
import { inOrganization, pageQuery } from '../lib/shapes.ts';
import { listDeliveries, redeliver, sendTest } from './deliveries.ts';
import {
  delivery,
  deliveryPage,
  deliveryStatuses,
  inDeliveryPath,
  inWebhookPath,
  webhook,
  webhookChange,
  webhookInput,
  webhookPage,
  webhookWithSecret,
} from './schema.ts';
import { changeWebhook, createWebhook, deleteWebhook, listWebhooks, readWebhook, rotateSecret } from './service.ts';
import { locateSubscription } from './store.ts';

const tag = 'Webhooks';
const params = inWebhookPath;
const ofOrganization = { kind: 'organization', permission: 'webhook.manage', tenant: fromQuery } as const;
const ofWebhook = {
  kind: 'organization',
  permission: 'webhook.manage',
  tenant: fromPath('webhook_id', locateSubscription),
} as const;
const path = '/api/v1/webhooks/{webhook_id}';

export const webhookRoutes: Operation[] = [
  operation({
    id: 'createWebhook',
    tag,
    summary: 'Subscribe an address to events of an organization',
    description:
      'The answer holds the secret that signs every delivery, this once. A delivery carries X-Svc-Signature: `sha256=` and the HMAC-SHA256 in hex over X-Svc-Timestamp, a dot and the raw body, keyed with that secret.',
    method: 'post',
    path: '/api/v1/webhooks',
    access: ofOrganization,
    query: z.object(inOrganization),
    body: webhookInput,
    returns: webhookWithSecret,
    status: 201,
    handle: (ctx, { body }) => createWebhook(ctx, body),
  }),
  operation({
    id: 'listWebhooks',
    tag,
    summary: 'The webhooks of an organization',
    method: 'get',
    path: '/api/v1/webhooks',
    access: ofOrganization,
    query: z.object({ ...inOrganization, ...pageQuery }),
    returns: webhookPage,
    status: 200,
    handle: (ctx, { query }) => listWebhooks(ctx, query),
  }),
  operation({
    id: 'getWebhook',
    tag,
    summary: 'Read a webhook',
    method: 'get',
    path,
    access: ofWebhook,
    params,
    returns: webhook,
    status: 200,
    handle: (ctx, { params: { webhook_id } }) => readWebhook(ctx, webhook_id),
  }),
  operation({
    id: 'editWebhook',
    tag,
    summary: 'Change a webhook',
    description:
      'Deliveries that wait for another attempt go to the new address. While a webhook is not active nothing is sent; what waited goes on when it is again.',
    method: 'patch',
    path,
    access: ofWebhook,
    params,
    body: webhookChange,
    returns: webhook,
    status: 200,
    handle: (ctx, { params: { webhook_id }, body }) => changeWebhook(ctx, webhook_id, body),
  }),
  operation({
    id: 'deleteWebhook',
    tag,
    summary: 'Delete a webhook and the log of its deliveries',
    method: 'delete',
    path,
    access: ofWebhook,
    params,
    returns: empty,
    status: 204,
    handle: (ctx, { params: { webhook_id } }) => deleteWebhook(ctx, webhook_id),
  }),
  operation({
    id: 'rotateWebhookSecret',
    tag,
    summary: 'Give a webhook a new signing secret',
    description: 'The secret is shown this once and signs every attempt from now on; the old one signs nothing more.',
    method: 'post',
    path: `${path}/rotate-secret`,
    access: ofWebhook,
    params,
    returns: webhookWithSecret,
    status: 200,
    handle: (ctx, { params: { webhook_id } }) => rotateSecret(ctx, webhook_id),
  }),
  operation({
    id: 'testWebhook',
    tag,
    summary: 'Send a test delivery',
    description:
      'Queues one event of the type webhook.test for this webhook. Answers 400 operation_not_allowed while it is not active.',
    method: 'post',
    path: `${path}/test`,
    access: ofWebhook,
    params,
    returns: delivery,
    status: 202,
    handle: (ctx, { params: { webhook_id } }) => sendTest(ctx, webhook_id),
  }),
  operation({
    id: 'listWebhookDeliveries',
    tag,
    summary: 'The deliveries of a webhook and what became of them',
    description: 'Newest first; kept for 30 days.',
    method: 'get',
    path: `${path}/deliveries`,
    access: ofWebhook,
    params,
    query: z.object({ ...pageQuery, status: z.enum(deliveryStatuses).optional() }),
    returns: deliveryPage,
    status: 200,
    handle: (ctx, { params: { webhook_id }, query }) => listDeliveries(ctx, webhook_id, query),
  }),
  operation({
    id: 'redeliverWebhookDelivery',
    tag,
    summary: 'Deliver an event once more',
    description:
      'Queues a new delivery of the same event. Where one still waits it gets its next attempt now instead, and is what is answered. Answers 400 operation_not_allowed while the webhook is not active.',
    method: 'post',
    path: `${path}/deliveries/{delivery_id}/redeliver`,
    access: ofWebhook,
    params: inDeliveryPath,
    returns: delivery,
    status: 202,
    handle: (ctx, { params: { webhook_id, delivery_id } }) => redeliver(ctx, webhook_id, delivery_id),
  }),
];
