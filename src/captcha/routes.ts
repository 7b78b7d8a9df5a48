// Operations for the captcha.
import { anonymous, media, type Operation, operation } from '../http/operation.ts';
import * as z from '../lib/zod.ts';
import { showCaptcha, showCaptchaAsset } from './page.ts';

const tag = 'Sign-up';

export const captchaRoutes: Operation[] = [
  operation({
    id: 'showCaptcha',
    tag,
    summary: 'Page with the configured captcha',
    description:
      'Solving it returns the captcha_token required for signing up and signing in. A page of this server that embeds or ' +
      'opens it gets the token by postMessage as {captcha_token}. With ALTCHA, programs read the challenge from the ' +
      'attribute data-challenge and send back base64 of {challenge, solution}.',
    method: 'get',
    path: '/api/v1/captcha',
    access: anonymous,
    returns: media('text/html'),
    status: 200,
    handle: (ctx) => showCaptcha(ctx),
  }),
  operation({
    id: 'getCaptchaAsset',
    tag,
    summary: 'Script of the captcha page',
    method: 'get',
    path: '/api/v1/captcha/assets/{name}',
    access: anonymous,
    params: z.object({ name: z.string().max(100) }),
    returns: media('text/javascript'),
    status: 200,
    handle: (_ctx, { params }) => showCaptchaAsset(params.name),
  }),
];
