// A single attempt of a delivery: body, signature, request.
import type { Context } from '../core/context.ts';
import { version } from '../lib/version.ts';
import { writeReason } from '../outbound/reasons.ts';
import type { Resolve } from '../outbound/resolve.ts';
import { renderBody } from './body.ts';
import type { DueDelivery } from './delivery-store.ts';
import { type PostOutcome, post } from './post.ts';
import { openSubscription } from './sealed-subscription.ts';
import { signBody } from './signature.ts';

/** Sends a delivery to the current URL of its subscription. Never throws. `signal` aborts it. */
export async function attemptDelivery(
  ctx: Context,
  due: DueDelivery,
  resolve: Resolve,
  signal: AbortSignal,
): Promise<PostOutcome> {
  try {
    const { url, secret } = openSubscription(ctx, due.subscription);
    const body = renderBody(ctx, due.event, due.subscription.format);
    const timestamp = String(Math.floor(ctx.clock.time() / 1_000));
    // Events of a commit that could still be lost aren't sent.
    await ctx.db.durability.settle();
    return await post({
      url,
      headers: {
        'content-type': 'application/json',
        'user-agent': `Taxiway/${version.version}`,
        'x-svc-event': due.event.type,
        'x-svc-delivery': due.delivery.id,
        'x-svc-timestamp': timestamp,
        'x-svc-signature': signBody(secret, timestamp, body),
      },
      body,
      policy: ctx.config.webhooks,
      resolve,
      timeoutMs: ctx.config.webhooks.timeout_ms,
      signal,
    });
  } catch (error) {
    ctx.log.error({ err: error, delivery_id: due.delivery.id }, 'preparing a webhook request failed');
    const text = writeReason('not_prepared');
    return { statusCode: null, error: text, reason: text };
  }
}
