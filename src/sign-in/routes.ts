// Operations for signing in and out.
import { anonymous, empty, interactive, type Operation, operation } from '../http/operation.ts';
import { ofKind } from '../invitations/schema.ts';
import { registrationBegin } from '../second-factors/schema.ts';
import { signUpInvited } from './invited-sign-up.ts';
import { beginPasskeySignUp, finishPasskeySignUp } from './passkey-sign-up.ts';
import {
  invitedSignUpBody,
  loginBody,
  loginResponse,
  passkeySignUpBeginBody,
  passkeySignUpFinishBody,
  refreshBody,
  tokenResponse,
} from './schema.ts';
import { refreshTokens, signIn, signOut } from './service.ts';

const tag = 'Login';

export const signInRoutes: Operation[] = [
  operation({
    id: 'signIn',
    tag,
    summary: 'Sign in with email and password',
    description:
      'The response is the same for an unknown address, an incorrect password and a locked account. With cookies=true the tokens ' +
      'are only returned as HttpOnly cookies. An account with two-factor authentication gets mfa_required with a token for /login/mfa.',
    method: 'post',
    path: '/api/v1/login',
    rateLimit: 'sign_in',
    access: anonymous,
    body: loginBody,
    returns: loginResponse,
    status: 200,
    errors: [401, 403, 503],
    handle: (ctx, { body }) => signIn(ctx, body),
  }),
  operation({
    id: 'signUpInvited',
    tag: 'Sign-up',
    summary: 'Sign up with the link of an invitation',
    description:
      'Creates the account, accepts the invitation and signs in. The emailed link verifies the address and accepts its other ' +
      'invitations. On a server that sends no email, accept_url can create the account as well.',
    method: 'post',
    path: '/api/v1/invites/{kind}/sign-up',
    rateLimit: 'sign_up',
    access: anonymous,
    params: ofKind,
    body: invitedSignUpBody,
    returns: tokenResponse,
    status: 200,
    errors: [402, 403, 404, 503],
    handle: (ctx, { params, body }) => signUpInvited(ctx, params.kind, body),
  }),
  operation({
    id: 'beginPasskeySignUp',
    tag: 'Sign-up',
    summary: 'Start a sign-up with a passkey and the link of an invitation',
    description:
      'Pass options to navigator.credentials.create, then finish within 5 minutes, once, with the same link. Creates nothing yet.',
    method: 'post',
    path: '/api/v1/invites/{kind}/sign-up/passkey/begin',
    rateLimit: 'sign_up',
    access: anonymous,
    params: ofKind,
    body: passkeySignUpBeginBody,
    returns: registrationBegin,
    status: 200,
    errors: [403, 404],
    handle: (ctx, { params, body }) => beginPasskeySignUp(ctx, params.kind, body),
  }),
  operation({
    id: 'finishPasskeySignUp',
    tag: 'Sign-up',
    summary: 'Finish a sign-up with a passkey and the link of an invitation',
    description: 'Like signing up with a password, but the account has the passkey and no password.',
    method: 'post',
    path: '/api/v1/invites/{kind}/sign-up/passkey/finish',
    rateLimit: 'sign_up',
    access: anonymous,
    params: ofKind,
    body: passkeySignUpFinishBody,
    returns: tokenResponse,
    status: 200,
    errors: [402, 403, 404],
    handle: (ctx, { params, body }) => finishPasskeySignUp(ctx, params.kind, body),
  }),
  operation({
    id: 'refreshTokens',
    tag,
    summary: 'Exchange a refresh token for a new pair',
    description:
      'A refresh token works once. Sending a used one ends the session: of two concurrent exchanges, the first succeeds and ' +
      'the second ends it. Browsers send the cookie instead of a body and get cookies back.',
    method: 'post',
    path: '/api/v1/login/refresh',
    rateLimit: 'token_exchange',
    access: anonymous,
    body: refreshBody,
    isBodyOptional: true,
    returns: tokenResponse,
    status: 200,
    errors: [401, 403],
    handle: (ctx, { body }) => refreshTokens(ctx, body),
  }),
  operation({
    id: 'signOut',
    tag,
    summary: 'Sign out of this session',
    method: 'post',
    path: '/api/v1/login/logout',
    access: { ...interactive, allowsUnverified: true },
    returns: empty,
    status: 204,
    handle: (ctx) => signOut(ctx),
  }),
];
