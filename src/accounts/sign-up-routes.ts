// Operations that prove who somebody is by mail: signing up, resetting the password, changing the address.
import { z } from 'zod';
import { anonymous, empty, interactive, media, type Operation, operation } from '../http/operation.ts';
import { id } from '../lib/shapes.ts';
import { stepUpOperation } from '../second-factors/step-up-operation.ts';
import { CHANGE_PATH, checkEmailChange, confirmEmailChange, requestEmailChange } from './email-change.ts';
import { answerLink, changePage, refusalOf, resetPage, showLinkPage, verifyPage } from './link-pages.ts';
import { changePassword, checkPasswordChange, confirmPasswordReset, requestPasswordReset } from './password-reset.ts';
import { RESET_PATH, VERIFY_PATH } from './paths.ts';
import { REVIEW_PATH, reviewAdditions } from './review.ts';
import { answerReset, answerReview, refuseReview } from './review-page.ts';
import * as schema from './schema.ts';
import { resendVerification, signUp, verifyEmail } from './sign-up.ts';

const tag = 'Sign-up';
const ofDeveloper = z.object({ developer_id: id() });
const html = media('text/html');

export const signUpRoutes: Operation[] = [
  operation({
    id: 'signUp',
    tag,
    summary: 'Make an account',
    description:
      'The answer is the same whether or not the address has an account, or is invited where only the invited may sign ' +
      'up. The account can read, and can change things once its address is verified by the link in the mail. Refused with ' +
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
    summary: 'The page of a verification link',
    description: 'Its button sends the token; looking at the page verifies nothing.',
    method: 'get',
    path: VERIFY_PATH,
    access: anonymous,
    query: schema.linkQuery,
    returns: html,
    status: 200,
    handle: (ctx, { query }) => showLinkPage(ctx, verifyPage, VERIFY_PATH, query.token),
  }),
  operation({
    id: 'verifyEmail',
    tag,
    summary: 'Verify an address by the token of its link',
    description:
      'A link works once, for 24 hours. If the address was signed up more than once, no password comes into force, and a ' +
      'mail with a link to set one follows. A form gets a page instead of JSON.',
    method: 'post',
    path: VERIFY_PATH,
    rateLimit: 'sign_up',
    access: anonymous,
    body: schema.linkBody,
    acceptsForm: true,
    returns: schema.verified,
    status: 200,
    showRefusal: refusalOf(verifyPage),
    handle: (ctx, { body }) => answerLink(ctx, verifyPage, verifyEmail(ctx, body.token)),
  }),
  operation({
    id: 'resendVerification',
    tag,
    summary: 'Send the verification link again',
    description: 'The answer is the same for every address. Within five minutes nothing more is sent.',
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
    summary: 'Send a link that sets a new password',
    description: 'The answer is the same for every address. Within five minutes nothing more is sent.',
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
    summary: 'The page of a password link',
    method: 'get',
    path: RESET_PATH,
    access: anonymous,
    query: schema.linkQuery,
    returns: html,
    status: 200,
    handle: (ctx, { query }) => showLinkPage(ctx, resetPage, RESET_PATH, query.token),
  }),
  operation({
    id: 'confirmPasswordReset',
    tag: 'Login',
    summary: 'Set a new password by the token of a link',
    description:
      'A link works once, for one hour. Every session ends; second factors stay. It verifies the address too: of an ' +
      'account that was not verified, factors end as well. The answer lists what was added since the last known good ' +
      'sign-in, for a review. A form gets a page instead of JSON.',
    method: 'post',
    path: RESET_PATH,
    rateLimit: 'password_reset',
    access: anonymous,
    body: schema.passwordResetBody,
    acceptsForm: true,
    returns: schema.passwordChanged,
    status: 200,
    showRefusal: refusalOf(resetPage),
    handle: async (ctx, { body }) => answerReset(ctx, resetPage, await confirmPasswordReset(ctx, body)),
  }),
  operation({
    id: 'reviewAdditions',
    tag: 'Login',
    summary: 'Remove or keep what was added before a password reset',
    description:
      'The answer to a password reset lists the second factors, passkeys and tokens that were added since the last known good ' +
      'sign-in: one through an identity provider, or by a second factor or passkey that was known before or is at least 30 days ' +
      'old. The review token ' +
      'works once, within the hour; while something is left the answer has another one. A form gets a page instead of JSON.',
    method: 'post',
    path: REVIEW_PATH,
    access: anonymous,
    body: schema.reviewBody,
    acceptsForm: true,
    returns: schema.additionReview,
    status: 200,
    showRefusal: refuseReview,
    handle: (ctx, { body }) => answerReview(ctx, reviewAdditions(ctx, body)),
  }),
  stepUpOperation({
    id: 'changePassword',
    tag: 'Developers',
    summary: "Change the caller's password",
    description:
      'Other sessions end, the one that asks stays. Requires a step-up: the current password and the second factor that the ' +
      'account has.',
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
    summary: "Change the caller's e-mail address",
    description:
      'Sends a link to the new address; until it is used the account keeps the old one. Needs the password and the second ' +
      'factor that the account has. The answer is the same when another account has the address.',
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
    summary: 'The page of a link that changes the address',
    method: 'get',
    path: CHANGE_PATH,
    access: anonymous,
    query: schema.linkQuery,
    returns: html,
    status: 200,
    handle: (ctx, { query }) => showLinkPage(ctx, changePage, CHANGE_PATH, query.token),
  }),
  operation({
    id: 'confirmEmailChange',
    tag: 'Developers',
    summary: 'Change the address by the token of its link',
    description: 'A link works once, for 24 hours. A form gets a page instead of JSON.',
    method: 'post',
    path: CHANGE_PATH,
    access: anonymous,
    body: schema.linkBody,
    acceptsForm: true,
    returns: schema.emailChanged,
    status: 200,
    showRefusal: refusalOf(changePage),
    handle: (ctx, { body }) => answerLink(ctx, changePage, confirmEmailChange(ctx, body.token)),
  }),
];
