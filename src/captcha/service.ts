// Captchas for sign-up and sign-in, independent of the provider.
import type { Context } from '../core/context.ts';
import { AppError } from '../lib/errors.ts';
import { checkAltcha } from './altcha.ts';
import { checkHostedCaptcha } from './hosted.ts';

function refuse(message: string): AppError {
  return new AppError('invalid_input', `captcha_token: ${message}`, { field: 'captcha_token' });
}

/**
 * Returns if the captcha was solved or none is configured. Throws `invalid_input` for a token that is missing, wrong,
 * used or expired, and `captcha_unavailable` if the provider doesn't respond.
 */
export async function checkCaptcha(ctx: Context, token: string | null | undefined): Promise<void> {
  const { provider } = ctx.config.captcha;
  if (provider === 'none') return;
  if (token === undefined || token === null || token === '')
    throw refuse('Solve the captcha first (GET /api/v1/captcha)');
  const isSolved =
    provider === 'altcha' ? await checkAltcha(ctx, token) : await checkHostedCaptcha(ctx, provider, token);
  if (!isSolved) throw refuse("The captcha isn't solved. Get a new one");
}
