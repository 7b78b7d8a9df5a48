// Operations on the caller's own second factors: status, authenticator app, recovery codes, passkeys, step-up.
import { z } from 'zod';
import { empty, interactive, type Operation, operation } from '../platform/operation.ts';
import { id, pageQuery } from '../platform/shapes.ts';
import { beginTotp, confirmTotp, disableMfa, readStatus, regenerateRecoveryCodes } from './enrolment.ts';
import { beginRegistration, changePasskey, finishRegistration, listPasskeys, removePasskey } from './passkeys.ts';
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
  totpBegin,
  totpConfirmBody,
} from './schema.ts';
import { beginPasskeyStepUp } from './step-up.ts';

const ofPasskey = z.object({ passkey_id: id() });

export const mfaRoutes: Operation[] = [
  operation({
    id: 'getMfaStatus',
    tag: 'MFA',
    summary: 'The second factors of the caller',
    method: 'get',
    path: '/api/v1/mfa',
    access: interactive,
    returns: mfaStatus,
    status: 200,
    handle: (ctx) => readStatus(ctx),
  }),
  operation({
    id: 'beginTotp',
    tag: 'MFA',
    summary: 'Begin to enrol an authenticator app',
    description:
      'The secret counts once it is confirmed by a code, within 15 minutes. Beginning again replaces it. An account with ' +
      'neither password nor factor needs a sign-in of the last ten minutes.',
    method: 'post',
    path: '/api/v1/mfa/totp/begin',
    access: interactive,
    returns: totpBegin,
    status: 200,
    errors: [400],
    handle: (ctx) => beginTotp(ctx),
  }),
  operation({
    id: 'confirmTotp',
    tag: 'MFA',
    summary: 'Enrol the authenticator app by a code of it',
    description: 'Answers ten recovery codes, which are shown this once.',
    method: 'post',
    path: '/api/v1/mfa/totp/confirm',
    access: interactive,
    body: totpConfirmBody,
    returns: recoveryCodes,
    status: 200,
    handle: (ctx, { body }) => confirmTotp(ctx, body.code),
  }),
  operation({
    id: 'regenerateRecoveryCodes',
    tag: 'MFA',
    summary: 'Make new recovery codes',
    description: 'The set before ends. For accounts with an authenticator app or a passkey.',
    method: 'post',
    path: '/api/v1/mfa/recovery-codes',
    access: interactive,
    returns: recoveryCodes,
    status: 200,
    errors: [400],
    handle: (ctx) => regenerateRecoveryCodes(ctx),
  }),
  operation({
    id: 'disableMfa',
    tag: 'MFA',
    summary: 'Give up the authenticator app and the recovery codes',
    description:
      'Needs a step-up: current_password if the account has one, and a code. Passkeys stay. It is allowed while an ' +
      'organization requires a factor; the organization then refuses the account until it has one again.',
    method: 'post',
    path: '/api/v1/mfa/disable',
    access: interactive,
    body: stepUpBody,
    returns: empty,
    status: 204,
    errors: [403],
    handle: (ctx, { body }) => disableMfa(ctx, body),
  }),
];

export const passkeyRoutes: Operation[] = [
  operation({
    id: 'listPasskeys',
    tag: 'Passkeys',
    summary: 'The passkeys of the caller, newest first',
    method: 'get',
    path: '/api/v1/passkeys',
    access: interactive,
    query: z.object(pageQuery),
    returns: passkeyPage,
    status: 200,
    handle: (ctx, { query }) => listPasskeys(ctx, query),
  }),
  operation({
    id: 'beginPasskeyRegistration',
    tag: 'Passkeys',
    summary: 'Begin to register a passkey',
    description:
      'Pass options to navigator.credentials.create. The challenge lives 5 minutes and works once. An account with neither ' +
      'password nor factor needs a sign-in of the last ten minutes.',
    method: 'post',
    path: '/api/v1/passkeys/register/begin',
    access: interactive,
    returns: registrationBegin,
    status: 200,
    errors: [400],
    handle: (ctx) => beginRegistration(ctx),
  }),
  operation({
    id: 'finishPasskeyRegistration',
    tag: 'Passkeys',
    summary: 'Register the passkey that the browser made',
    description: 'From then on signing in by password asks for a second factor.',
    method: 'post',
    path: '/api/v1/passkeys/register/finish',
    access: interactive,
    body: registrationFinishBody,
    returns: passkey,
    status: 201,
    handle: (ctx, { body }) => finishRegistration(ctx, body),
  }),
  operation({
    id: 'renamePasskey',
    tag: 'Passkeys',
    summary: 'Rename a passkey',
    method: 'patch',
    path: '/api/v1/passkeys/{passkey_id}',
    access: interactive,
    params: ofPasskey,
    body: passkeyChange,
    returns: passkey,
    status: 200,
    errors: [404],
    handle: (ctx, { params, body }) => changePasskey(ctx, params.passkey_id, body),
  }),
  operation({
    id: 'removePasskey',
    tag: 'Passkeys',
    summary: 'Remove a passkey',
    description:
      'Allowed while an organization requires a factor; if it was the last one, the organization refuses the account ' +
      'until it has one again. Recovery codes go with the last factor.',
    method: 'delete',
    path: '/api/v1/passkeys/{passkey_id}',
    access: interactive,
    params: ofPasskey,
    returns: empty,
    status: 204,
    errors: [404],
    handle: (ctx, { params }) => removePasskey(ctx, params.passkey_id),
  }),
  operation({
    id: 'beginPasskeyStepUp',
    tag: 'Passkeys',
    summary: 'Begin a step-up by passkey',
    description:
      'Send challenge_id as passkey_challenge_id and the answer of the browser as passkey_assertion: to change the e-mail ' +
      'address, or wherever else a step-up is asked.',
    method: 'post',
    path: '/api/v1/developers/{developer_id}/change_email/passkey/begin',
    access: interactive,
    params: z.object({ developer_id: id() }),
    returns: authenticationBegin,
    status: 200,
    errors: [400, 404],
    handle: (ctx, { params }) => beginPasskeyStepUp(ctx, params.developer_id),
  }),
];
