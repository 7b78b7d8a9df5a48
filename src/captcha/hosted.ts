// Hosted captchas: the widget of a provider returns a token, and the provider verifies it.

import type { Context } from '../core/context.ts';
import { readBoundedText } from '../lib/bounded-text.ts';
import { type HostedCaptchaProvider, hostedCaptchaProviders } from '../lib/captcha-providers.ts';
import { SECOND } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import * as z from '../lib/zod.ts';

const TIMEOUT_MS = 5 * SECOND;
const MAX_ANSWER_BYTES = 64 * 1024;

const verdict = z.object({ success: z.boolean(), 'error-codes': z.array(z.string()).catch([]) });

/** Error codes that don't concern the token: a problem of the provider, or a wrong secret. */
const PROVIDER_PROBLEMS = new Set([
  'missing-input-secret',
  'invalid-input-secret',
  'sitekey-secret-mismatch',
  'not-using-dummy-secret',
  'bad-request',
  'internal-error',
]);

function unavailable(): AppError {
  return new AppError('captcha_unavailable', undefined, {}, { 'retry-after': '5' });
}

/**
 * Returns whether the provider accepts a token. The provider remembers used ones. Throws `captcha_unavailable` if it
 * doesn't respond in time or correctly, or rejects our secret, so nobody passes then.
 */
export async function checkHostedCaptcha(
  ctx: Context,
  provider: HostedCaptchaProvider,
  token: string,
): Promise<boolean> {
  const answer = await ask(ctx, provider, token).catch((error: unknown) => {
    ctx.log.error({ request_id: ctx.request.id, err: error }, 'captcha service not responding');
    throw unavailable();
  });
  if (answer.success) return true;
  const trouble = answer['error-codes'].find((code) => PROVIDER_PROBLEMS.has(code));
  if (trouble === undefined) return false;
  ctx.log.error({ request_id: ctx.request.id, code: trouble }, 'captcha service rejected the request');
  throw unavailable();
}

async function ask(
  { config, fetch }: Context,
  provider: HostedCaptchaProvider,
  token: string,
): Promise<z.output<typeof verdict>> {
  const { site_key, secret, verify_url } = config.captcha;
  const { verifyUrl, verifiesSiteKey } = hostedCaptchaProviders[provider];
  const body = new URLSearchParams({ secret, response: token });
  if (verifiesSiteKey) body.set('sitekey', site_key);
  const response = await fetch(verify_url === '' ? verifyUrl : verify_url, {
    method: 'POST',
    body,
    redirect: 'error',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  const text = await readBoundedText(response, MAX_ANSWER_BYTES);
  if (!response.ok && response.status !== 400) throw new Error(`it responded with ${response.status}`);
  return verdict.parse(JSON.parse(text));
}
