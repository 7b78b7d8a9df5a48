// Step-up: before sign-in methods change, the owner of the account must authenticate again with the existing ones. An
// open session isn't enough.

import type { App, DeveloperContext, SteppedUpContext } from '../core/context.ts';
import { requireActiveSession } from '../core/session-state.ts';
import { createContext } from '../core/transact.ts';
import {
  findEmailCode,
  type Holder,
  isWithinCooldown,
  openEmailCode,
  sendsEmailCodes,
  spendEmailCode,
  writeEmailCode,
} from '../developers/email-codes.ts';
import { passwordsOf } from '../developers/password.ts';
import { findSession } from '../developers/session-store.ts';
import { type DeveloperRow, loadDeveloper } from '../developers/store.ts';
import { timestamp } from '../lib/clock.ts';
import { AppError, notFound } from '../lib/errors.ts';
import { EMAIL_CODE_MS, englishLifetime, FRESH_SIGN_IN_MS } from '../lib/lifetimes.ts';
import { type ValidationEntry, validationError } from '../lib/validation.ts';
import { confirmationCodeMail } from '../mail/templates/sign-in.ts';
import { CLOCK_LEEWAY_MS } from '../runtime/access-token.ts';
import { tooManyRequests } from '../runtime/rate-limits.ts';
import { serviceProvider } from '../saml/names.ts';
import { findOwnSsoSession, findProviderOf } from '../sso/store.ts';
import { findHold } from '../sso/trust.ts';
import { beginAssertion, checkAssertion, spendProof } from './assertions.ts';
import { loadOtp, spendCode } from './codes.ts';
import { checkBackoff, clearFailures, countFailure, uncountFailure } from './failed-attempts.ts';
import type { AuthenticationBegin, StepUpFields, StepUpNeeds } from './schema.ts';

interface Needs {
  password: boolean;
  /** The organization whose identity provider must have signed the user in; only without a password. */
  provider: string | undefined;
  code: boolean;
  passkey: boolean;
  /** Only without any other method, and if the server sends email. */
  email: boolean;
}

/**
 * Returns the step-up requirements of an account: all its methods (docs/specification/identity.md#step-up). Single
 * sign-on replaces a password and is required in addition to a two-factor method. If an authenticator app is enrolled,
 * passkeys aren't required. An account without any of these confirms with a code
 * in an email; a sign-in by email isn't enough.
 */
function needsOf(app: App, developer: DeveloperRow): Needs {
  const password = developer.passwordHash !== null;
  const code = developer.totpEnabledAt !== null;
  const passkey = !code && developer.passkeyCount > 0;
  const provider = password ? undefined : findProviderOf(app, developer.id);
  const hasMethod = password || provider !== undefined || code || passkey;
  return { password, provider, code, passkey, email: !hasMethod && sendsEmailCodes(app) };
}

/** Returns the step-up requirements of the caller, for forms. */
export function readStepUpNeeds(ctx: DeveloperContext, developer: DeveloperRow): StepUpNeeds {
  const { password, provider, code, passkey, email } = needsOf(ctx, developer);
  return {
    current_password: password,
    mfa_code: code,
    passkey,
    email_code: email,
    single_sign_on: provider === undefined ? null : readSignIn(ctx, developer, provider),
  };
}

function readSignIn(ctx: DeveloperContext, developer: DeveloperRow, provider: string): StepUpNeeds['single_sign_on'] {
  const heldUntil = holdOf(ctx, developer);
  const signedInAt = heldUntil === undefined ? freshSignIn(ctx) : undefined;
  return {
    login_url: loginUrl(ctx, provider),
    fresh_until: signedInAt === undefined ? null : timestamp(signedInAt + FRESH_SIGN_IN_MS),
    held_until: heldUntil === undefined ? null : timestamp(heldUntil),
  };
}

/**
 * Verifies the password and the two-factor method of an account, as far as it has them. An account without a password
 * needs a sign-in through its identity provider in the last five minutes. Each failed attempt counts. Call it before
 * the transaction that it protects. Returns the context for making the change.
 *
 * Throws `validation_error` for a missing field, `permission_denied` for an incorrect one, an old sign-in, or an
 * account without any method, `rate_limit_exceeded` while attempts must wait, and `unauthorized` if the session ends in
 * the meantime.
 */
export async function requireStepUp(ctx: DeveloperContext, fields: StepUpFields): Promise<SteppedUpContext> {
  const developer = loadDeveloper(ctx, ctx.actor.id);
  const needs = needsOf(ctx, developer);
  refuseMissing(needs, fields);
  refuseOldSignIn(ctx, developer, needs);
  if (needs.password || needs.code || needs.passkey || needs.email) {
    const uncount = chargeGuess(ctx, developer.id);
    const refusal = await findRefusal(ctx, developer, needs, fields, uncount);
    if (refusal !== undefined) throw recordRefusal(ctx, refusal);
    // The session may have ended during the verification.
    requireActiveSession(ctx, ctx.actor);
    ctx.transact((tx) => clearFailures(tx, developer.id, 'second_factor'), { bookkeeping: true });
  }
  return steppedUp(ctx);
}

/**
 * Continues an action that the same session started with a step-up, such as an enrollment waiting for its first code.
 * Returns undefined for all other sessions, and for actions started before sessions were saved.
 */
export function resumeStepUp(ctx: DeveloperContext, begunBySession: unknown): SteppedUpContext | undefined {
  return begunBySession === ctx.actor.sessionId ? steppedUp(ctx) : undefined;
}

function steppedUp(ctx: DeveloperContext): SteppedUpContext {
  const actor = { ...ctx.actor, hasSteppedUp: true as const };
  return Object.assign(createContext(ctx, actor, ctx.request), { actor });
}

function refuseMissing(needs: Needs, fields: StepUpFields): void {
  const isGiven = (name: keyof StepUpFields) => fields[name] !== undefined && fields[name] !== null;
  // A recovery code replaces a lost passkey.
  const asksPasskey = needs.passkey && !isGiven('mfa_code');
  const needed = [
    ...(needs.password ? (['current_password'] as const) : []),
    ...(needs.code ? (['mfa_code'] as const) : []),
    ...(needs.email ? (['email_code'] as const) : []),
    ...(asksPasskey ? (['passkey_challenge_id', 'passkey_assertion'] as const) : []),
  ];
  const entries = needed
    .filter((name) => !isGiven(name))
    .map((name): ValidationEntry => ({ type: 'missing', loc: ['body', name], msg: 'Field required' }));
  if (entries.length > 0) throw validationError(entries);
}

/**
 * Returns when the identity provider signed the user in to this session, in milliseconds since the epoch, or undefined
 * if that is too long ago, or in the future: the clock was ahead then, so the age of the sign-in is unknown.
 */
function freshSignIn(ctx: DeveloperContext): number | undefined {
  const session = findSession(ctx, ctx.actor.sessionId);
  const origin = findOwnSsoSession(ctx, ctx.actor.sessionId);
  if (session === undefined || origin === undefined) return undefined;
  const signedInAt = Math.min(session.createdAt, origin.authenticatedAt ?? session.createdAt);
  const age = ctx.clock.time() - signedInAt;
  return age >= -CLOCK_LEEWAY_MS && age <= FRESH_SIGN_IN_MS ? signedInAt : undefined;
}

function loginUrl(app: App, organizationId: string): string {
  return `${serviceProvider(app, organizationId).loginUrl}?force_authn=true`;
}

function refuseOldSignIn(ctx: DeveloperContext, developer: DeveloperRow, needs: Needs): void {
  const { password, provider, code, passkey, email } = needs;
  if (provider !== undefined) {
    requireNoHold(ctx, developer);
    if (freshSignIn(ctx) !== undefined) return;
    throw new AppError(
      'permission_denied',
      `Sign in again through your identity provider, then retry within ${englishLifetime(FRESH_SIGN_IN_MS)}`,
      {
        reason: 'sign_in_too_old',
        login_url: loginUrl(ctx, provider),
      },
    );
  }
  if (password || code || passkey || email) return;
  throw new AppError('permission_denied', 'This account has no password. Set one with a password reset, then retry', {
    reason: 'nothing_to_verify',
  });
}

/**
 * Throws if the identity provider was replaced in the last day, because its sign-ins don't prove the identity for older
 * accounts.
 */
function requireNoHold(ctx: DeveloperContext, developer: DeveloperRow): void {
  const endsAt = holdOf(ctx, developer);
  if (endsAt === undefined) return;
  throw new AppError(
    'permission_denied',
    "Your organization's identity provider was replaced within the last day. Retry later, or set a password with a reset",
    { reason: 'provider_replaced', retry_at: timestamp(endsAt) },
  );
}

/** Returns when the hold on this session's identity provider ends, or undefined if there is none. */
function holdOf(ctx: DeveloperContext, developer: DeveloperRow): number | undefined {
  const origin = findOwnSsoSession(ctx, ctx.actor.sessionId);
  return origin === undefined ? undefined : findHold(ctx, origin.organizationId, developer);
}

/**
 * Counts the attempt as failed before verifying it, so that concurrent attempts can't bypass the wait. Returns a function that undoes
 * that.
 */
function chargeGuess(ctx: DeveloperContext, developerId: string): () => void {
  const failure = ctx.transact(
    (tx) => {
      checkBackoff(tx, developerId, 'second_factor');
      return countFailure(tx, developerId, 'second_factor');
    },
    { bookkeeping: true },
  );
  return () => ctx.transact((tx) => uncountFailure(tx, developerId, 'second_factor', failure), { bookkeeping: true });
}

type Refusal = 'wrong_password' | 'wrong_code' | 'wrong_passkey' | 'wrong_email_code';

async function findRefusal(
  ctx: DeveloperContext,
  developer: DeveloperRow,
  needs: Needs,
  fields: StepUpFields,
  uncount: () => void,
): Promise<Refusal | undefined> {
  if (needs.password) {
    const verification = passwordsOf(ctx).verify(fields.current_password ?? '', developer.passwordHash);
    const isRight = await verification.catch((error: unknown) => {
      uncount();
      throw error;
    });
    // The password may have changed during the verification.
    if (!isRight || loadDeveloper(ctx, developer.id).passwordHash !== developer.passwordHash) return 'wrong_password';
  }
  if (needs.email) return verifyEmailCode(ctx, fields.email_code ?? '');
  if (!needs.code && !needs.passkey) return undefined;
  const { passkey_challenge_id: challengeId, passkey_assertion: credential } = fields;
  if (needs.code || !challengeId || !credential) return verifyCode(ctx, developer, fields.mfa_code ?? '');
  const proof = await checkAssertion(ctx, 'passkey_step_up', { challenge_id: challengeId, credential });
  // The challenge must have been created by this session, and not for another account.
  const isOwn =
    proof !== undefined &&
    proof.passkey.developerId === developer.id &&
    proof.challenge.data.sessionId === ctx.actor.sessionId;
  const isRight = isOwn && ctx.transact((tx) => spendProof(tx, proof), { bookkeeping: true });
  return isRight ? undefined : 'wrong_passkey';
}

async function verifyCode(ctx: DeveloperContext, { id }: DeveloperRow, code: string): Promise<Refusal | undefined> {
  const otp = await loadOtp();
  const isRight = ctx.transact((tx) => spendCode(tx, otp, id, code), { bookkeeping: true });
  return isRight ? undefined : 'wrong_code';
}

const emailHolder = (ctx: DeveloperContext): Holder => ({ purpose: 'step_up', holder: ctx.actor.sessionId });

function verifyEmailCode(ctx: DeveloperContext, typed: string): Refusal | undefined {
  const isRight = ctx.transact(
    (tx) => {
      const row = findEmailCode(tx, emailHolder(ctx));
      return row !== undefined && spendEmailCode(tx, row, typed) === loadDeveloper(tx, ctx.actor.id).email;
    },
    { bookkeeping: true },
  );
  return isRight ? undefined : 'wrong_email_code';
}

const refusals = {
  wrong_password: { message: 'Incorrect password', field: 'current_password' },
  wrong_code: { message: 'Incorrect code', field: 'mfa_code' },
  wrong_email_code: { message: 'Incorrect or expired code', field: 'email_code' },
  wrong_passkey: { message: "The passkey wasn't accepted", field: 'passkey_assertion' },
} as const;

function recordRefusal(ctx: DeveloperContext, reason: Refusal): AppError {
  ctx.transact((tx) => {
    tx.record('login.failed', {
      identifier: ctx.actor.id,
      organizationId: null,
      details: { reason: `step_up_${reason}`, session_id: ctx.actor.sessionId },
    });
  });
  const { message, field } = refusals[reason];
  return new AppError('permission_denied', message, { field });
}

/**
 * Starts a step-up by passkey for the caller. The assertion works for one step-up of the same session. Throws
 * `not_found` for another account and `operation_not_allowed` without passkeys.
 */
export function beginPasskeyStepUp(ctx: DeveloperContext, developerId: string): Promise<AuthenticationBegin> {
  if (developerId !== ctx.actor.id) throw notFound();
  if (!ctx.actor.factors.hasPasskey) throw new AppError('operation_not_allowed', 'The account has no passkey');
  return beginAssertion(ctx, { kind: 'passkey_step_up', developerId, data: { sessionId: ctx.actor.sessionId } });
}

/**
 * Emails a code for a step-up to the caller, whose account has no other method. The code works for one step-up of the same
 * session. A repetition within the cooldown sends nothing and leaves the code valid. Throws `not_found` for another account,
 * `operation_not_allowed` if the account has another method or the server sends no email, and `rate_limit_exceeded`.
 */
export function requestStepUpCode(ctx: DeveloperContext, developerId: string): { status: 'code_pending' } {
  if (developerId !== ctx.actor.id) throw notFound();
  ctx.transact(
    (tx) => {
      const developer = loadDeveloper(tx, developerId);
      if (!needsOf(tx, developer).email) {
        throw new AppError('operation_not_allowed', 'This account confirms changes with another method');
      }
      if (isWithinCooldown(tx, findEmailCode(tx, emailHolder(ctx)), developer.email)) return;
      const id = openEmailCode(tx, developer.email, emailHolder(ctx));
      if (id === undefined) throw tooManyRequests(EMAIL_CODE_MS, 'Too many codes were requested. Try again later');
      const { code } = writeEmailCode(tx, id);
      tx.mail({ kind: 'confirmation_code', to: developer.email, content: confirmationCodeMail(code) });
    },
    { bookkeeping: true },
  );
  return { status: 'code_pending' };
}
