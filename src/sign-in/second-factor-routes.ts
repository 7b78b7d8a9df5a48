// Operations of signing in by a second factor, and by a passkey instead of a password.
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
  beginSecondStepByPasskey,
  finishPasskeyLogin,
  finishSecondStepByPasskey,
  signInByCode,
} from './second-factor.ts';

const tag = 'Login';

export const secondFactorSignInRoutes: Operation[] = [
  operation({
    id: 'signInBySecondFactor',
    tag,
    summary: 'Finish signing in by a code',
    description:
      'Each code works once. A wrong one leaves mfa_token usable; after a few, the account has to wait longer before each ' +
      'further try (429 with Retry-After). Tokens travel as the first step asked.',
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
    summary: 'Begin to finish signing in by a passkey',
    method: 'post',
    path: '/api/v1/login/mfa/passkey/begin',
    rateLimit: 'sign_in',
    access: anonymous,
    body: mfaPasskeyBeginBody,
    returns: authenticationBegin,
    status: 200,
    errors: [401],
    handle: (ctx, { body }) => beginSecondStepByPasskey(ctx, body.mfa_token),
  }),
  operation({
    id: 'finishSecondFactorByPasskey',
    tag,
    summary: 'Finish signing in by a passkey as second factor',
    method: 'post',
    path: '/api/v1/login/mfa/passkey/finish',
    rateLimit: 'sign_in',
    access: anonymous,
    body: authenticationFinishBody,
    returns: tokenResponse,
    status: 200,
    errors: [401, 403],
    handle: (ctx, { body }) => finishSecondStepByPasskey(ctx, body),
  }),
  operation({
    id: 'beginPasskeyLogin',
    tag,
    summary: 'Begin to sign in by a passkey, without password',
    description:
      'Names no account: the browser offers the passkeys it has. The challenge lives 5 minutes and works once.',
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
    summary: 'Sign in by a passkey',
    description: 'The device verifies its owner, so no other factor is asked.',
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
