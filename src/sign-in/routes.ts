// Operations of signing in and out.
import { anonymous, empty, interactive, type Operation, operation } from '../http/operation.ts';
import { loginBody, loginResponse, refreshBody, tokenResponse } from './schema.ts';
import { refreshTokens, signIn, signOut } from './service.ts';

const tag = 'Login';

export const signInRoutes: Operation[] = [
  operation({
    id: 'signIn',
    tag,
    summary: 'Sign in by e-mail and password',
    description:
      'The answer to an unknown address, a wrong password and a locked account is the same. With cookies=true the tokens ' +
      'travel as HttpOnly cookies only. An account with a second factor gets mfa_required with a token for /login/mfa.',
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
    id: 'refreshTokens',
    tag,
    summary: 'Exchange a refresh token for a new pair',
    description:
      'A refresh token works once. Sending a used one ends the whole session: of two exchanges at once the first wins and ' +
      'the second ends it. Browsers send the cookie instead of a body, and get cookies back.',
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
    summary: 'Sign out: end this session',
    method: 'post',
    path: '/api/v1/login/logout',
    access: { ...interactive, allowsUnverified: true },
    returns: empty,
    status: 204,
    handle: (ctx) => signOut(ctx),
  }),
];
