// The rules for signing in with a two-factor method, and with a passkey instead of a password.
import { recoveryCodesMadeAt } from '../accounts/additions.ts';
import type { Context, Tx } from '../core/context.ts';
import { findDeveloper } from '../developers/store.ts';
import type { Reply } from '../http/reply.ts';
import { rejectForeignOrigin } from '../http/same-origin.ts';
import { AppError } from '../lib/errors.ts';
import { beginAssertion, checkAssertion, spendProof } from '../second-factors/assertions.ts';
import { consumeChallenge } from '../second-factors/challenges.ts';
import { loadOtp, type Otp, spendRecoveryCode, spendTotpCode } from '../second-factors/codes.ts';
import { checkBackoff, clearFailures, countFailure } from '../second-factors/failed-attempts.ts';
import type {
  AuthenticationBegin,
  AuthenticationFinish,
  MfaLogin,
  PasskeyLoginBegin,
} from '../second-factors/schema.ts';
import { findPasskeyByCredential, findTotp, resumePasskeys } from '../second-factors/store.ts';
import { findSsoRefusal } from '../sso/requirement.ts';
import { answerTokens, asDeveloper, beginSession, isAdmitted, type SignedIn } from './issue.ts';
import type { TokenResponse } from './schema.ts';
import { findPendingTwoFactor, findPendingTwoFactorById, type PendingTwoFactor } from './second-factor-challenge.ts';

/** A valid signature without an increased counter comes from a copied authenticator. */
const COPIED = 'passkey_counter_did_not_grow';
/** Added before a password reset and not reviewed since. */
const SUSPENDED = 'passkey_suspended';

function invalidPendingSignIn(): AppError {
  return new AppError('unauthorized', 'The sign-in is unknown, completed or expired. Start over');
}

function wrongCode(): AppError {
  return new AppError('unauthorized', 'Incorrect code');
}

/**
 * The same response for an unknown passkey, an invalid signature, a copied authenticator, a used challenge and a locked
 * account.
 */
function unusablePasskey(): AppError {
  return new AppError('unauthorized', "The passkey wasn't accepted. Try again");
}

/**
 * Completes a sign-in with a code, which works once. An incorrect code leaves the sign-in open and counts as a failed
 * attempt, which a correct password doesn't reset. Throws `unauthorized`, or `rate_limit_exceeded` while the account
 * must wait.
 */
export async function signInByCode(ctx: Context, body: MfaLogin): Promise<TokenResponse | Reply> {
  const otp = await loadOtp();
  const step = findPendingTwoFactor(ctx, body.mfa_token);
  if (step === undefined || !isAdmitted(step.developer)) throw invalidPendingSignIn();
  if (step.byCookie) rejectForeignOrigin(ctx, ctx.request.header);
  const { developer } = step;
  checkBackoff(ctx, developer.id, 'second_factor');
  const sessionId = ctx.ids.next();
  const signedIn = asDeveloper(ctx, developer, sessionId).transact((tx) => {
    // A code must not be used up for a completed sign-in.
    if (findPendingTwoFactorById(tx, step.challengeId) === undefined) throw invalidPendingSignIn();
    const factorAddedAt = addedAt(tx, developer.id, body.method);
    if (!spend(tx, otp, developer.id, body)) return undefined;
    return finishStep(tx, step, sessionId, { method: body.method, factorAddedAt });
  });
  if (signedIn === undefined) throw refuseCode(ctx, developer.id, body.method);
  return answerTokens(ctx, signedIn, step.byCookie);
}

function spend(tx: Tx, otp: Otp, developerId: string, { method, code }: MfaLogin): boolean {
  return method === 'totp' ? spendTotpCode(tx, otp, developerId, code) : spendRecoveryCode(tx, developerId, code);
}

/**
 * Returns when the authenticator app was enrolled or the recovery codes were created, or infinity if there are none.
 */
function addedAt(tx: Tx, developerId: string, method: MfaLogin['method']): number {
  const at = method === 'totp' ? findTotp(tx, developerId)?.confirmedAt : recoveryCodesMadeAt(tx, developerId);
  return at ?? Number.POSITIVE_INFINITY;
}

function finishStep(
  tx: Tx,
  { challengeId, developer, method: begunBy }: PendingTwoFactor,
  sessionId: string,
  { method, factorAddedAt }: { method: string; factorAddedAt: number },
): SignedIn {
  if (!consumeChallenge(tx, 'mfa_login', challengeId)) throw invalidPendingSignIn();
  clearFailures(tx, developer.id, 'second_factor');
  return beginSession(tx, developer, sessionId, {
    event: 'login.mfa_succeeded',
    method: begunBy,
    factorAddedAt,
    details: { method },
  });
}

function refuseCode(ctx: Context, developerId: string, method: string): AppError {
  ctx.transact((tx) => {
    countFailure(tx, developerId, 'second_factor');
    recordFailure(tx, developerId, `wrong_${method}`);
  });
  return wrongCode();
}

function recordFailure(tx: Tx, developerId: string | null, reason: string): void {
  const identifier = developerId ?? tx.request.id;
  tx.record('login.failed', { identifier, organizationId: null, developerId, details: { reason } });
}

/**
 * Starts the passkey verification of a pending sign-in. Throws `unauthorized` for an invalid token and
 * `operation_not_allowed` without passkeys.
 */
export async function startTwoFactorByPasskey(ctx: Context, mfaToken: string): Promise<AuthenticationBegin> {
  const step = findPendingTwoFactor(ctx, mfaToken);
  if (step === undefined || !isAdmitted(step.developer)) throw invalidPendingSignIn();
  const { challengeId, developer } = step;
  if (developer.passkeyCount === 0) throw new AppError('operation_not_allowed', 'The account has no passkey');
  return beginAssertion(ctx, { kind: 'passkey_mfa', developerId: developer.id, data: { step: challengeId } });
}

/** Completes a pending sign-in with a passkey. Throws `unauthorized`. */
export async function finishTwoFactorByPasskey(
  ctx: Context,
  body: AuthenticationFinish,
): Promise<TokenResponse | Reply> {
  const proof = await checkAssertion(ctx, 'passkey_mfa', body);
  if (proof === undefined) throw rejectPasskey(ctx, body);
  const step = findPendingTwoFactorById(ctx, String(proof.challenge.data.step));
  if (step === undefined || !isAdmitted(step.developer)) throw invalidPendingSignIn();
  if (step.byCookie) rejectForeignOrigin(ctx, ctx.request.header);
  const isByPassword = step.method === 'password';
  // Anyone who added it may read the emails of the account, so it still needs the review or the new password.
  if (!isByPassword && proof.passkey.suspendedAt !== null) throw rejectPasskey(ctx, body, SUSPENDED);
  const sessionId = ctx.ids.next();
  const { id: passkeyId, createdAt: factorAddedAt } = proof.passkey;
  const signedIn = asDeveloper(ctx, step.developer, sessionId).transact((tx) => {
    if (!spendProof(tx, proof)) return undefined;
    // A person who also knows the current password is the owner, so the passkey needs no further review.
    if (isByPassword) resumePasskeys(tx, step.developer.id, passkeyId);
    return finishStep(tx, step, sessionId, { method: 'passkey', factorAddedAt });
  });
  if (signedIn === undefined) throw rejectPasskey(ctx, body, COPIED);
  return answerTokens(ctx, signedIn, step.byCookie);
}

/** Records a rejected passkey, in the account's audit trail if the credential is known. */
function rejectPasskey(ctx: Context, { credential }: AuthenticationFinish, reason = 'wrong_passkey'): AppError {
  const developerId = findPasskeyByCredential(ctx, credential.id)?.developerId ?? null;
  ctx.transact((tx) => recordFailure(tx, developerId, reason));
  return unusablePasskey();
}

/** Starts a sign-in without a password. It is the same for everyone, because no account is named. */
export function beginPasskeyLogin(ctx: Context, { cookies }: PasskeyLoginBegin): Promise<AuthenticationBegin> {
  if (cookies) rejectForeignOrigin(ctx, ctx.request.header);
  return beginAssertion(ctx, { kind: 'passkey_login', developerId: null, data: { byCookie: cookies } });
}

/**
 * Completes a sign-in without a password. The device has verified its owner, so no other method is required. Throws the
 * same `unauthorized` for all errors.
 */
export async function finishPasskeyLogin(ctx: Context, body: AuthenticationFinish): Promise<TokenResponse | Reply> {
  const proof = await checkAssertion(ctx, 'passkey_login', body);
  if (proof === undefined) throw rejectPasskey(ctx, body);
  const developer = findDeveloper(ctx, proof.passkey.developerId);
  if (developer === undefined || !isAdmitted(developer)) throw rejectPasskey(ctx, body, 'account_locked');
  const elsewhere = findSsoRefusal(ctx, developer);
  if (elsewhere !== undefined) {
    ctx.transact((tx) => recordFailure(tx, developer.id, 'sso_required'));
    throw elsewhere;
  }
  const byCookie = proof.challenge.data.byCookie === true;
  if (byCookie) rejectForeignOrigin(ctx, ctx.request.header);
  const sessionId = ctx.ids.next();
  const { id: passkeyId, createdAt: factorAddedAt } = proof.passkey;
  const signedIn = asDeveloper(ctx, developer, sessionId).transact((tx) => {
    if (findPasskeyByCredential(tx, proof.passkey.credentialId)?.suspendedAt != null) return 'suspended';
    if (!spendProof(tx, proof)) return undefined;
    return beginSession(tx, developer, sessionId, {
      event: 'login.passkey_succeeded',
      factorAddedAt,
      details: { passkey_id: passkeyId },
    });
  });
  if (signedIn === 'suspended') throw rejectPasskey(ctx, body, SUSPENDED);
  if (signedIn === undefined) throw rejectPasskey(ctx, body, COPIED);
  return answerTokens(ctx, signedIn, byCookie);
}
