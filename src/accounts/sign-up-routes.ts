// Operations that verify an email address: sign-up, password reset and email change.
import { anonymous, empty, interactive, media, type Operation, operation } from '../http/operation.ts';
import { CHANGE_LINK_MS, englishLifetime, VERIFY_LINK_MS } from '../lib/lifetimes.ts';
import { id } from '../lib/shapes.ts';
import * as z from '../lib/zod.ts';
import { stepUpOperation } from '../second-factors/step-up-operation.ts';
import { CHANGE_PATH, checkEmailChange, confirmEmailChange, requestEmailChange } from './email-change.ts';
import { answerLink, refusalOf, showLinkPage } from './link-pages.ts';
import { changePassword, checkPasswordChange, confirmPasswordReset, requestPasswordReset } from './password-reset.ts';
import { RESET_PATH, VERIFY_PATH } from './paths.ts';
import { REVIEW_PATH, reviewAdditions } from './review.ts';
import { answerReset, answerReview, showReviewError } from './review-page.ts';
import * as schema from './schema.ts';
import { resendVerification, signUp, verifyEmail } from './sign-up.ts';

const tag = 'Sign-up';
const ofDeveloper = z.object({ developer_id: id() });
const html = media('text/html');

export const signUpRoutes: Operation[] = [
  operation({
    id: 'signUp',
    tag,
    summary: 'Sign up',
    description:
      'The response is the same whether or not the address has an account, or is invited if only invited people can sign ' +
      'up. The account is read-only until its address is verified with the link in the email. Fails with ' +
      'operation_not_allowed until the server is set up.',
    method: 'post',
    path: '/api/v1/developers',
    rateLimit: 'sign_up',
    access: anonymous,
    body: schema.signUpBody,
    returns: schema.verificationPending,
    status: 202,
    errors: [503],
    handle: (ctx, { body }) => signUp(ctx, body),
  }),
  operation({
    id: 'showEmailVerification',
    tag,
    summary: 'Page of a verification link',
    description: "Its button submits the token. Opening the page doesn't verify the address.",
    method: 'get',
    path: VERIFY_PATH,
    access: anonymous,
    query: schema.linkQuery,
    returns: html,
    status: 200,
    handle: (ctx, { query }) => showLinkPage(ctx, 'verify_email', VERIFY_PATH, query.token),
  }),
  operation({
    id: 'verifyEmail',
    tag,
    summary: 'Verify an email address with the token of its link',
    description:
      `A link works once and expires in ${englishLifetime(VERIFY_LINK_MS)}. If sign-ups with different passwords used the address, none of them works, and an ` +
      'email with a link for setting one follows. Forms get an HTML page instead of JSON.',
    method: 'post',
    path: VERIFY_PATH,
    rateLimit: 'sign_up',
    access: anonymous,
    body: schema.linkBody,
    acceptsForm: true,
    returns: schema.verified,
    status: 200,
    showRefusal: refusalOf('verify_email'),
    handle: (ctx, { body }) => answerLink(ctx, 'verify_email', verifyEmail(ctx, body.token)),
  }),
  operation({
    id: 'resendVerification',
    tag,
    summary: 'Resend the verification link',
    description: 'The response is the same for every address. At most one email is sent in five minutes.',
    method: 'post',
    path: '/api/v1/developers/resend_verification',
    rateLimit: 'sign_up',
    access: anonymous,
    body: schema.emailBody,
    returns: schema.verificationPending,
    status: 202,
    handle: (ctx, { body }) => resendVerification(ctx, body),
  }),
  operation({
    id: 'requestPasswordReset',
    tag: 'Login',
    summary: 'Request a password reset',
    description: 'The response is the same for every address. At most one email is sent in five minutes.',
    method: 'post',
    path: '/api/v1/login/password_reset',
    rateLimit: 'password_reset',
    access: anonymous,
    body: schema.emailBody,
    returns: schema.resetPending,
    status: 202,
    handle: (ctx, { body }) => requestPasswordReset(ctx, body),
  }),
  operation({
    id: 'showPasswordReset',
    tag: 'Login',
    summary: 'Page of a password reset link',
    method: 'get',
    path: RESET_PATH,
    access: anonymous,
    query: schema.linkQuery,
    returns: html,
    status: 200,
    handle: (ctx, { query }) => showLinkPage(ctx, 'password_reset', RESET_PATH, query.token),
  }),
  operation({
    id: 'confirmPasswordReset',
    tag: 'Login',
    summary: 'Set a new password with the token of a link',
    description:
      'A link works once and expires in one hour. All sessions end. Two-factor methods stay. The address becomes verified. If it ' +
      "wasn't before, two-factor methods are removed as well. The response lists the additions since the last known good " +
      'sign-in, for a review. Forms get an HTML page instead of JSON.',
    method: 'post',
    path: RESET_PATH,
    rateLimit: 'password_reset',
    access: anonymous,
    body: schema.passwordResetBody,
    acceptsForm: true,
    returns: schema.passwordChanged,
    status: 200,
    showRefusal: refusalOf('password_reset'),
    handle: async (ctx, { body }) => answerReset(ctx, await confirmPasswordReset(ctx, body)),
  }),
  operation({
    id: 'reviewAdditions',
    tag: 'Login',
    summary: 'Remove or keep the additions before a password reset',
    description:
      'The response to a password reset lists the two-factor methods, passkeys and tokens added since the last known good ' +
      'sign-in: a sign-in through an identity provider, or with a two-factor method or passkey that was already known or is at least 30 days ' +
      'old. The review token ' +
      'works once and expires in one hour. While something is left, the response contains a new one. Forms get an HTML page instead of JSON.',
    method: 'post',
    path: REVIEW_PATH,
    access: anonymous,
    body: schema.reviewBody,
    acceptsForm: true,
    returns: schema.additionReview,
    status: 200,
    showRefusal: showReviewError,
    handle: (ctx, { body }) => answerReview(ctx, reviewAdditions(ctx, body)),
  }),
  stepUpOperation({
    id: 'changePassword',
    tag: 'Developers',
    summary: 'Change your password',
    description:
      'Ends all other sessions. Requires a step-up: the current password and, if enabled, two-factor authentication.',
    method: 'post',
    path: '/api/v1/developers/{developer_id}/change_password',
    access: interactive,
    params: ofDeveloper,
    body: schema.changePasswordBody,
    returns: empty,
    status: 204,
    precheck: (ctx, { params, body }) => checkPasswordChange(ctx, params.developer_id, body),
    handle: (ctx, { body }) => changePassword(ctx, body),
  }),
  stepUpOperation({
    id: 'changeEmail',
    tag: 'Developers',
    summary: 'Change your email address',
    description:
      'Sends a link to the new address. The account keeps the old address until the link is used. Requires a step-up. ' +
      'The response is the same if another account has the address.',
    method: 'post',
    path: '/api/v1/developers/{developer_id}/change_email',
    access: interactive,
    params: ofDeveloper,
    body: schema.changeEmailBody,
    returns: schema.verificationPending,
    status: 202,
    precheck: (ctx, { params, body }) => checkEmailChange(ctx, params.developer_id, body),
    handle: (ctx, { body }) => requestEmailChange(ctx, body),
  }),
  operation({
    id: 'showEmailChange',
    tag: 'Developers',
    summary: 'Page of a link that changes the email address',
    method: 'get',
    path: CHANGE_PATH,
    access: anonymous,
    query: schema.linkQuery,
    returns: html,
    status: 200,
    handle: (ctx, { query }) => showLinkPage(ctx, 'change_email', CHANGE_PATH, query.token),
  }),
  operation({
    id: 'confirmEmailChange',
    tag: 'Developers',
    summary: 'Confirm a new email address with the token of its link',
    description: `A link works once and expires in ${englishLifetime(CHANGE_LINK_MS)}. Forms get an HTML page instead of JSON.`,
    method: 'post',
    path: CHANGE_PATH,
    access: anonymous,
    body: schema.linkBody,
    acceptsForm: true,
    returns: schema.emailChanged,
    status: 200,
    showRefusal: refusalOf('change_email'),
    handle: (ctx, { body }) => answerLink(ctx, 'change_email', confirmEmailChange(ctx, body.token)),
  }),
];
