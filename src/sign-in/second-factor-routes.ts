// Operations for signing in with a two-factor method, and with a passkey instead of a password.
import { anonymous, type Operation, operation } from '../http/operation.ts';
import {
  authenticationBegin,
  authenticationFinishBody,
  mfaLoginBody,
  mfaPasskeyBeginBody,
  passkeyLoginBeginBody,
} from '../second-factors/schema.ts';
import { tokenResponse } from './schema.ts';
import {
  beginPasskeyLogin,
  finishPasskeyLogin,
  finishTwoFactorByPasskey,
  signInByCode,
  startTwoFactorByPasskey,
} from './second-factor.ts';

const tag = 'Login';

export const secondFactorSignInRoutes: Operation[] = [
  operation({
    id: 'signInBySecondFactor',
    tag,
    summary: 'Complete a sign-in with a code',
    description:
      'Each code works once. After an incorrect code mfa_token still works. After several, the account must wait longer before each ' +
      'further attempt (429 with Retry-After). Tokens are returned as requested when signing in by password.',
    method: 'post',
    path: '/api/v1/login/mfa',
    rateLimit: 'sign_in',
    access: anonymous,
    body: mfaLoginBody,
    returns: tokenResponse,
    status: 200,
    errors: [401, 403],
    handle: (ctx, { body }) => signInByCode(ctx, body),
  }),
  operation({
    id: 'beginSecondFactorByPasskey',
    tag,
    summary: 'Start completing a sign-in with a passkey',
    method: 'post',
    path: '/api/v1/login/mfa/passkey/begin',
    rateLimit: 'sign_in',
    access: anonymous,
    body: mfaPasskeyBeginBody,
    returns: authenticationBegin,
    status: 200,
    errors: [401],
    handle: (ctx, { body }) => startTwoFactorByPasskey(ctx, body.mfa_token),
  }),
  operation({
    id: 'finishSecondFactorByPasskey',
    tag,
    summary: 'Complete a sign-in with a passkey',
    method: 'post',
    path: '/api/v1/login/mfa/passkey/finish',
    rateLimit: 'sign_in',
    access: anonymous,
    body: authenticationFinishBody,
    returns: tokenResponse,
    status: 200,
    errors: [401, 403],
    handle: (ctx, { body }) => finishTwoFactorByPasskey(ctx, body),
  }),
  operation({
    id: 'beginPasskeyLogin',
    tag,
    summary: 'Start a sign-in with a passkey, without a password',
    description:
      "Doesn't name an account: the browser offers the passkeys it has. The challenge works once and expires in 5 minutes.",
    method: 'post',
    path: '/api/v1/login/passkey/begin',
    rateLimit: 'sign_in',
    access: anonymous,
    body: passkeyLoginBeginBody,
    isBodyOptional: true,
    returns: authenticationBegin,
    status: 200,
    errors: [403],
    handle: (ctx, { body }) => beginPasskeyLogin(ctx, body),
  }),
  operation({
    id: 'finishPasskeyLogin',
    tag,
    summary: 'Sign in with a passkey',
    description: 'The device verifies its owner, so no other method is required.',
    method: 'post',
    path: '/api/v1/login/passkey/finish',
    rateLimit: 'sign_in',
    access: anonymous,
    body: authenticationFinishBody,
    returns: tokenResponse,
    status: 200,
    errors: [401, 403],
    handle: (ctx, { body }) => finishPasskeyLogin(ctx, body),
  }),
];
