// Operations for the caller's two-factor authentication: status, authenticator app, recovery codes, passkeys, step-up.
import { closePasskeyOffer } from '../developers/passkey-offer.ts';
import { empty, interactive, type Operation, operation } from '../http/operation.ts';
import { EMAIL_CODE_MS, englishLifetime, FRESH_SIGN_IN_MS } from '../lib/lifetimes.ts';
import { id, pageQuery } from '../lib/shapes.ts';
import * as z from '../lib/zod.ts';
import {
  beginRegistration,
  changePasskey,
  checkPasskeyLimit,
  checkPasskeyRemoval,
  finishRegistration,
  listPasskeys,
  removePasskey,
  requireOwnPasskey,
} from './passkeys.ts';
import {
  authenticationBegin,
  mfaStatus,
  passkey,
  passkeyChange,
  passkeyPage,
  recoveryCodes,
  registrationBegin,
  registrationFinishBody,
  stepUpBody,
  stepUpCodePending,
  totpBegin,
  totpConfirmBody,
} from './schema.ts';
import { beginPasskeyStepUp, requestStepUpCode } from './step-up.ts';
import { stepUpOperation } from './step-up-operation.ts';
import {
  beginTotp,
  confirmTotp,
  disableMfa,
  readStatus,
  regenerateRecoveryCodes,
  requireFactor,
  requireNoTotp,
  requireTotp,
} from './totp-enrollment.ts';

const STEP_UP =
  'Requires a step-up: current_password if the account has a password, and mfa_code or a passkey ' +
  'if it uses two-factor authentication. An account without a password must have signed in through its identity provider in the last ' +
  `${englishLifetime(FRESH_SIGN_IN_MS)}.`;
const ofPasskey = z.object({ passkey_id: id() });

export const mfaRoutes: Operation[] = [
  operation({
    id: 'getMfaStatus',
    tag: 'MFA',
    summary: 'Two-factor authentication status of the caller',
    method: 'get',
    path: '/api/v1/mfa',
    access: interactive,
    returns: mfaStatus,
    status: 200,
    handle: (ctx) => readStatus(ctx),
  }),
  stepUpOperation({
    id: 'beginTotp',
    tag: 'MFA',
    summary: 'Start enrolling an authenticator app',
    description: `This session must confirm the secret with a code within 15 minutes. Starting over replaces it. ${STEP_UP}`,
    method: 'post',
    path: '/api/v1/mfa/totp/begin',
    body: stepUpBody,
    isBodyOptional: true,
    returns: totpBegin,
    status: 200,
    precheck: requireNoTotp,
    handle: (ctx) => beginTotp(ctx),
  }),
  operation({
    id: 'confirmTotp',
    tag: 'MFA',
    summary: 'Confirm an authenticator app with its code',
    description:
      'Only in the session that started the enrollment. Returns ten recovery codes, which are shown only once.',
    method: 'post',
    path: '/api/v1/mfa/totp/confirm',
    access: interactive,
    body: totpConfirmBody,
    returns: recoveryCodes,
    status: 200,
    handle: (ctx, { body }) => confirmTotp(ctx, body.code),
  }),
  stepUpOperation({
    id: 'regenerateRecoveryCodes',
    tag: 'MFA',
    summary: 'Create new recovery codes',
    description: `They replace the earlier ones. For accounts with an authenticator app or a passkey. ${STEP_UP}`,
    method: 'post',
    path: '/api/v1/mfa/recovery-codes',
    body: stepUpBody,
    isBodyOptional: true,
    returns: recoveryCodes,
    status: 200,
    precheck: requireFactor,
    handle: (ctx) => regenerateRecoveryCodes(ctx),
  }),
  stepUpOperation({
    id: 'disableMfa',
    tag: 'MFA',
    summary: 'Remove the authenticator app and the recovery codes',
    description:
      'Passkeys stay. If an organization requires two-factor authentication, it rejects the account until it has ' +
      `a method again. ${STEP_UP}`,
    method: 'post',
    path: '/api/v1/mfa/disable',
    body: stepUpBody,
    isBodyOptional: true,
    returns: empty,
    status: 204,
    precheck: requireTotp,
    handle: (ctx) => disableMfa(ctx),
  }),
];

export const passkeyRoutes: Operation[] = [
  operation({
    id: 'listPasskeys',
    tag: 'Passkeys',
    summary: 'List your passkeys, newest first',
    method: 'get',
    path: '/api/v1/passkeys',
    access: interactive,
    query: z.object(pageQuery),
    returns: passkeyPage,
    status: 200,
    handle: (ctx, { query }) => listPasskeys(ctx, query),
  }),
  stepUpOperation({
    id: 'beginPasskeyRegistration',
    tag: 'Passkeys',
    summary: 'Start registering a passkey',
    description: `Pass options to navigator.credentials.create. This session must finish within 5 minutes, once. ${STEP_UP}`,
    method: 'post',
    path: '/api/v1/passkeys/register/begin',
    body: stepUpBody,
    isBodyOptional: true,
    returns: registrationBegin,
    status: 200,
    precheck: checkPasskeyLimit,
    handle: (ctx) => beginRegistration(ctx),
  }),
  operation({
    id: 'finishPasskeyRegistration',
    tag: 'Passkeys',
    summary: 'Finish registering a passkey',
    description:
      'Only in the session that started the registration. From then on, signing in by password requires two-factor authentication.',
    method: 'post',
    path: '/api/v1/passkeys/register/finish',
    access: interactive,
    body: registrationFinishBody,
    returns: passkey,
    status: 201,
    handle: (ctx, { body }) => finishRegistration(ctx, body),
  }),
  stepUpOperation({
    id: 'renamePasskey',
    tag: 'Passkeys',
    summary: 'Rename a passkey',
    description: STEP_UP,
    method: 'patch',
    path: '/api/v1/passkeys/{passkey_id}',
    params: ofPasskey,
    body: passkeyChange,
    returns: passkey,
    status: 200,
    errors: [404],
    precheck: (ctx, { params }) => requireOwnPasskey(ctx, params.passkey_id),
    handle: (ctx, { params, body }) => changePasskey(ctx, params.passkey_id, body),
  }),
  stepUpOperation({
    id: 'removePasskey',
    tag: 'Passkeys',
    summary: 'Remove a passkey',
    description:
      'If it was the last two-factor method and an organization requires one, the organization rejects the account ' +
      `until it has one again. Recovery codes are deleted with the last method. The last passkey of an account that can't sign in otherwise can't be removed. ${STEP_UP}`,
    method: 'delete',
    path: '/api/v1/passkeys/{passkey_id}',
    params: ofPasskey,
    body: stepUpBody,
    isBodyOptional: true,
    returns: empty,
    status: 204,
    errors: [404],
    precheck: (ctx, { params }) => checkPasskeyRemoval(ctx, params.passkey_id),
    handle: (ctx, { params }) => removePasskey(ctx, params.passkey_id),
  }),
  operation({
    id: 'beginPasskeyStepUp',
    tag: 'Passkeys',
    summary: 'Start a step-up by passkey',
    description:
      "Send challenge_id as passkey_challenge_id and the browser's credential as passkey_assertion to any operation that " +
      'requires a step-up.',
    method: 'post',
    path: '/api/v1/developers/{developer_id}/change_email/passkey/begin',
    access: interactive,
    params: z.object({ developer_id: id() }),
    returns: authenticationBegin,
    status: 200,
    errors: [400, 404],
    handle: (ctx, { params }) => beginPasskeyStepUp(ctx, params.developer_id),
  }),
  operation({
    id: 'requestStepUpCode',
    tag: 'MFA',
    summary: 'Email a code for a step-up',
    description:
      'For accounts without a password and any other method. Send the code as email_code to any operation that requires a step-up. ' +
      `It works once, in this session, for ${englishLifetime(EMAIL_CODE_MS)}.`,
    method: 'post',
    path: '/api/v1/developers/{developer_id}/step_up_code',
    rateLimit: 'password_reset',
    access: interactive,
    params: z.object({ developer_id: id() }),
    returns: stepUpCodePending,
    status: 202,
    errors: [400, 404],
    handle: (ctx, { params }) => requestStepUpCode(ctx, params.developer_id),
  }),
  operation({
    id: 'closePasskeyOffer',
    tag: 'Passkeys',
    summary: 'Stop offering a passkey',
    description: 'offers_passkey of the two-factor status is false from then on.',
    method: 'post',
    path: '/api/v1/passkeys/offer/close',
    access: interactive,
    returns: empty,
    status: 204,
    handle: (ctx) => closePasskeyOffer(ctx),
  }),
];
