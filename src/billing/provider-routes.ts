// Operations that talk to the payment provider, and the one that it calls.
import { fromPath, type Operation, operation } from '../http/operation.ts';
import { inOrganizationPath } from '../lib/shapes.ts';
import * as z from '../lib/zod.ts';
import { captureCard, topUp } from './payments.ts';
import { cardCaptureInput, cardCaptureResponse, tierChange, tierInput, topUpInput } from './provider-schema.ts';
import { changeTier } from './tiers.ts';
import { MAX_EVENT_BYTES, receiveWebhook, requireProvider } from './webhook.ts';

const tag = 'Billing';
const params = inOrganizationPath;
const tenant = fromPath('organization_id');

export const providerRoutes: Operation[] = [
  operation({
    id: 'changeTier',
    tag,
    summary: 'Change the plan of an organization',
    description:
      'An upgrade is charged in advance. Without a card it answers checkout_required and a checkout; the plan changes when that ' +
      'is paid.',
    method: 'post',
    path: '/api/v1/organizations/{organization_id}/tier',
    access: { kind: 'organization', permission: 'billing.manage', tenant },
    params,
    body: tierInput,
    returns: tierChange,
    status: 200,
    errors: [503],
    handle: (ctx, { body }) => changeTier(ctx, body.tier),
  }),
  operation({
    id: 'captureCard',
    tag,
    summary: 'Open a checkout for a payment method',
    description:
      'Without a subscription, the checkout orders the plan. Otherwise it changes the card, and pays what is owed. ' +
      'card_on_file becomes true when the provider has reported the payment. Works while the organization is locked.',
    method: 'post',
    path: '/api/v1/organizations/{organization_id}/billing/card-capture',
    access: { kind: 'organization', permission: 'billing.manage', tenant, isLockExempt: true },
    params,
    body: cardCaptureInput,
    isBodyOptional: true,
    returns: cardCaptureResponse,
    status: 200,
    errors: [503],
    handle: (ctx, { body }) => captureCard(ctx, body.tier),
  }),
  operation({
    id: 'topUp',
    tag,
    summary: 'Open a checkout that adds credit to the balance',
    description:
      'The balance grows when the provider has reported the payment. Works while the organization is locked.',
    method: 'post',
    path: '/api/v1/organizations/{organization_id}/billing/topup',
    access: { kind: 'organization', permission: 'billing.manage', tenant, isLockExempt: true },
    params,
    body: topUpInput,
    returns: cardCaptureResponse,
    status: 200,
    errors: [503],
    handle: (ctx, { body }) => topUp(ctx, body.amount_cents),
  }),
  operation({
    id: 'receivePaddleEvent',
    tag,
    summary: 'Webhook of the payment provider Paddle',
    description:
      'The credential is the header Paddle-Signature: an HMAC-SHA256 of time and body with the secret of the destination. ' +
      'Events are applied once, in any order.',
    method: 'post',
    path: '/billing/v1/paddle',
    access: { kind: 'anonymous', check: requireProvider },
    rateLimit: 'payment_provider',
    body: { kind: 'raw', type: 'application/json', maximumBytes: MAX_EVENT_BYTES },
    returns: z.object({}),
    status: 200,
    errors: [401, 404, 503],
    handle: (ctx, { body }) => receiveWebhook(ctx, body),
  }),
];
