// Operations for signing in with a code or a link in an email.
import { anonymous, type Operation, operation } from '../http/operation.ts';
import { EMAIL_CODE_MS, englishLifetime } from '../lib/lifetimes.ts';
import { confirmEmailSignIn, requestEmailSignIn } from './email.ts';
import { emailSignInBody, emailSignInConfirmBody, emailSignInPending, loginResponse } from './schema.ts';

const tag = 'Login';

export const emailSignInRoutes: Operation[] = [
  operation({
    id: 'requestEmailSignIn',
    tag,
    summary: 'Request a code and a link for signing in by email',
    description:
      'The response is the same for every address, and sets a cookie that binds the code to this browser. People with an account ' +
      'or a pending invitation get the email. Fails with operation_not_allowed if the server sends no email.',
    method: 'post',
    path: '/api/v1/login/email',
    rateLimit: 'password_reset',
    access: anonymous,
    body: emailSignInBody,
    returns: emailSignInPending,
    status: 202,
    errors: [403, 503],
    handle: (ctx, { body }) => requestEmailSignIn(ctx, body),
  }),
  operation({
    id: 'confirmEmailSignIn',
    tag,
    summary: 'Sign in with the code or the link of an email',
    description:
      `Code and link work once, in the browser that requested them, for ${englishLifetime(EMAIL_CODE_MS)}. Five incorrect codes end them. ` +
      'The first sign-in of an invited address creates its account, without a password. An account with two-factor authentication ' +
      'gets mfa_required with a token for /login/mfa.',
    method: 'post',
    path: '/api/v1/login/email/confirm',
    rateLimit: 'sign_in',
    access: anonymous,
    body: emailSignInConfirmBody,
    returns: loginResponse,
    status: 200,
    errors: [401, 403],
    handle: (ctx, { body }) => confirmEmailSignIn(ctx, body),
  }),
];
