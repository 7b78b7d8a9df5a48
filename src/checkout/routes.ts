// The page on which people pay.
import { anonymous, media, type Operation, operation } from '../http/operation.ts';
import * as z from '../lib/zod.ts';
import { showCheckout, showCheckoutAsset } from './page.ts';

const tag = 'Billing';

export const checkoutRoutes: Operation[] = [
  operation({
    id: 'showCheckout',
    tag,
    summary: 'Page that opens a payment of Paddle',
    description: 'The default payment link of the Paddle account, and the target of each checkout_url.',
    method: 'get',
    path: '/billing/checkout',
    access: anonymous,
    query: z.object({ _ptxn: z.string().max(100).optional() }),
    returns: media('text/html'),
    status: 200,
    errors: [400, 404, 503],
    handle: (ctx, { query }) => showCheckout(ctx, query._ptxn),
  }),
  operation({
    id: 'getCheckoutAsset',
    tag,
    summary: 'Script of the payment page',
    method: 'get',
    path: '/billing/checkout/assets/{name}',
    access: anonymous,
    params: z.object({ name: z.string().max(100) }),
    returns: media('text/javascript'),
    status: 200,
    handle: (_ctx, { params }) => showCheckoutAsset(params.name),
  }),
];
