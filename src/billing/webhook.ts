// The webhook of the payment provider: authentication by its signature.
import type { Context } from '../core/context.ts';
import { AppError, notFound } from '../lib/errors.ts';
import { usesPaddle } from './paddle.ts';
import { isSignedByPaddle } from './paddle-signature.ts';
import { readProviderEvent } from './provider-event-schema.ts';
import { receiveProviderEvent } from './provider-events.ts';

export const MAX_EVENT_BYTES = 1024 * 1024;

/** Throws `not_found` unless payments go through the provider. */
export function requireProvider(ctx: Context): void {
  if (!usesPaddle(ctx)) throw notFound();
}

/** Checks and applies an event. Throws `unauthorized` if it isn't signed by the provider, before it's parsed. */
export function receiveWebhook(ctx: Context, body: Buffer): Record<string, never> {
  requireProvider(ctx);
  const { webhook_secret: secret, webhook_tolerance_seconds: toleranceSeconds } = ctx.config.billing.paddle;
  const now = ctx.clock.time();
  const header = ctx.request.header('paddle-signature');
  if (!isSignedByPaddle({ header, body, secret, now, toleranceSeconds })) {
    throw new AppError('unauthorized', 'The signature is missing, wrong or too old');
  }
  receiveProviderEvent(ctx, readProviderEvent(body));
  return {};
}
