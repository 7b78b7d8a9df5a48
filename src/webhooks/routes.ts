// Operations for webhook subscriptions and their deliveries.
import { empty, fromPath, fromQuery, type Operation, operation } from '../http/operation.ts';
import { inOrganization, pageQuery } from '../lib/shapes.ts';
import * as z from '../lib/zod.ts';
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
    summary: 'Create a webhook for events of an organization',
    description:
      'The response contains the signing secret, which is shown only once; not for the format of a chat, which verifies nothing. Each delivery has the header X-Svc-Signature: `sha256=` and the HMAC-SHA256 in hex over X-Svc-Timestamp, a dot and the raw body, with that secret as key.',
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
    summary: 'List the webhooks of an organization',
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
    summary: 'Get a webhook',
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
      'Pending deliveries go to the new URL. Those of events that the webhook no longer subscribes to are deleted. An inactive webhook sends nothing; pending deliveries continue when it is active again.',
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
    summary: 'Delete a webhook and its delivery log',
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
    summary: 'Rotate the signing secret of a webhook',
    description: 'The new secret is shown only once and signs all attempts from now on.',
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
      "Queues an event of the type webhook.test for this webhook. Responds with 400 operation_not_allowed if it isn't active.",
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
    summary: 'List the deliveries of a webhook with their results',
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
    summary: 'Redeliver an event',
    description:
      "Queues a new delivery of the same event. If one is still pending, it is attempted immediately, and the response contains that one. Responds with 400 operation_not_allowed if the webhook isn't active or no longer subscribes to the event.",
    method: 'post',
    path: `${path}/deliveries/{delivery_id}/redeliver`,
    access: ofWebhook,
    params: inDeliveryPath,
    returns: delivery,
    status: 202,
    handle: (ctx, { params: { webhook_id, delivery_id } }) => redeliver(ctx, webhook_id, delivery_id),
  }),
];
