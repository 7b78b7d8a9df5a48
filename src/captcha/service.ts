// Captchas in front of sign-up and sign-in: one question, answered by whichever provider is configured.
import type { Context } from '../core/context.ts';
import { AppError } from '../lib/errors.ts';
import { checkAltcha } from './altcha.ts';
import { checkHostedCaptcha } from './hosted.ts';

function refuse(message: string): AppError {
  return new AppError('invalid_input', `captcha_token: ${message}`, { field: 'captcha_token' });
}

/**
 * Lets pass who solved the captcha, and everybody where none is configured. Throws invalid_input for a token that is
 * missing, wrong, used or expired, captcha_unavailable when the provider does not answer.
 */
export async function checkCaptcha(ctx: Context, token: string | null | undefined): Promise<void> {
  const { provider } = ctx.config.captcha;
  if (provider === 'none') return;
  if (token === undefined || token === null || token === '')
    throw refuse('solve the captcha first (GET /api/v1/captcha)');
  const isSolved = provider === 'altcha' ? await checkAltcha(ctx, token) : await checkHostedCaptcha(ctx, token);
  if (!isSolved) throw refuse('the captcha is not solved; get a new one');
}
