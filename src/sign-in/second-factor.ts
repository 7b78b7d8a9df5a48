// The rules of signing in by a second factor after the password, and by a passkey instead of one.
import { recoveryCodesMadeAt } from '../accounts/additions.ts';
import type { Context, Tx } from '../core/context.ts';
import { findDeveloper } from '../developers/store.ts';
import type { Reply } from '../http/reply.ts';
import { refuseForeignOrigin } from '../http/same-origin.ts';
import { AppError } from '../lib/errors.ts';
import { beginAssertion, checkAssertion, spendProof } from '../second-factors/assertions.ts';
import { consumeChallenge } from '../second-factors/challenges.ts';
import { loadOtp, type Otp, spendRecoveryCode, spendTotpCode } from '../second-factors/codes.ts';
import { clearFailures, countFailure, refuseEarlyGuess } from '../second-factors/failed-attempts.ts';
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
import { findSecondStep, findSecondStepById, type SecondStep } from './second-factor-challenge.ts';

/** A right signature whose counter did not grow is that of a copied authenticator. */
const COPIED = 'passkey_counter_did_not_grow';
/** Added before a password reset, and not reviewed since. */
const SUSPENDED = 'passkey_suspended';

function unusableStep(): AppError {
  return new AppError('unauthorized', 'The sign-in is unknown, finished or too old; begin again with the password');
}

function wrongCode(): AppError {
  return new AppError('unauthorized', 'The code is not right');
}

/** One answer for an unknown passkey, a wrong signature, a copied authenticator, a used challenge and a locked account. */
function unusablePasskey(): AppError {
  return new AppError('unauthorized', 'The passkey was not accepted; begin again');
}

/**
 * Finishes a sign-in by a code, which works once. A wrong one leaves the second step open and is counted for the account;
 * a right password does not reset that count. Throws unauthorized, or rate_limit_exceeded while the account has to wait.
 */
export async function signInByCode(ctx: Context, body: MfaLogin): Promise<TokenResponse | Reply> {
  const otp = await loadOtp();
  const step = findSecondStep(ctx, body.mfa_token);
  if (step === undefined || !isAdmitted(step.developer)) throw unusableStep();
  if (step.byCookie) refuseForeignOrigin(ctx, ctx.request.header);
  const { developer } = step;
  refuseEarlyGuess(ctx, developer.id, 'second_factor');
  const sessionId = ctx.ids.next();
  const signedIn = asDeveloper(ctx, developer, sessionId).transact((tx) => {
    // A code of a finished sign-in must not be spent.
    if (findSecondStepById(tx, step.challengeId) === undefined) throw unusableStep();
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

/** When the authenticator app was enrolled, or the recovery codes made; later than anything for one that isn't there. */
function addedAt(tx: Tx, developerId: string, method: MfaLogin['method']): number {
  const at = method === 'totp' ? findTotp(tx, developerId)?.confirmedAt : recoveryCodesMadeAt(tx, developerId);
  return at ?? Number.POSITIVE_INFINITY;
}

function finishStep(
  tx: Tx,
  { challengeId, developer }: SecondStep,
  sessionId: string,
  { method, factorAddedAt }: { method: string; factorAddedAt: number },
): SignedIn {
  if (!consumeChallenge(tx, 'mfa_login', challengeId)) throw unusableStep();
  clearFailures(tx, developer.id, 'second_factor');
  return beginSession(tx, developer, sessionId, { event: 'login.mfa_succeeded', factorAddedAt, details: { method } });
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

/** Opens the passkey part of a second step. Throws unauthorized for an unusable token, operation_not_allowed without passkeys. */
export async function beginSecondStepByPasskey(ctx: Context, mfaToken: string): Promise<AuthenticationBegin> {
  const step = findSecondStep(ctx, mfaToken);
  if (step === undefined || !isAdmitted(step.developer)) throw unusableStep();
  const { challengeId, developer } = step;
  if (developer.passkeyCount === 0) throw new AppError('operation_not_allowed', 'The account has no passkey');
  return beginAssertion(ctx, { kind: 'passkey_mfa', developerId: developer.id, data: { step: challengeId } });
}

/** Finishes a second step by passkey. Throws unauthorized. */
export async function finishSecondStepByPasskey(
  ctx: Context,
  body: AuthenticationFinish,
): Promise<TokenResponse | Reply> {
  const proof = await checkAssertion(ctx, 'passkey_mfa', body);
  if (proof === undefined) throw refusePasskey(ctx, body);
  const step = findSecondStepById(ctx, String(proof.challenge.data.step));
  if (step === undefined || !isAdmitted(step.developer)) throw unusableStep();
  if (step.byCookie) refuseForeignOrigin(ctx, ctx.request.header);
  const sessionId = ctx.ids.next();
  const { id: passkeyId, createdAt: factorAddedAt } = proof.passkey;
  const signedIn = asDeveloper(ctx, step.developer, sessionId).transact((tx) => {
    if (!spendProof(tx, proof)) return undefined;
    // Whoever has the present password as well has not come by a passkey that somebody else added before it was set.
    resumePasskeys(tx, step.developer.id, passkeyId);
    return finishStep(tx, step, sessionId, { method: 'passkey', factorAddedAt });
  });
  if (signedIn === undefined) throw refusePasskey(ctx, body, COPIED);
  return answerTokens(ctx, signedIn, step.byCookie);
}

/** Records a refused passkey: in the account's trail when the credential is known, else in nobody's. */
function refusePasskey(ctx: Context, { credential }: AuthenticationFinish, reason = 'wrong_passkey'): AppError {
  const developerId = findPasskeyByCredential(ctx, credential.id)?.developerId ?? null;
  ctx.transact((tx) => recordFailure(tx, developerId, reason));
  return unusablePasskey();
}

/** Opens a sign-in without password: the same for everybody, as no account is named. */
export function beginPasskeyLogin(ctx: Context, { cookies }: PasskeyLoginBegin): Promise<AuthenticationBegin> {
  if (cookies) refuseForeignOrigin(ctx, ctx.request.header);
  return beginAssertion(ctx, { kind: 'passkey_login', developerId: null, data: { byCookie: cookies } });
}

/**
 * Finishes a sign-in without password. The device has verified its owner, so no other factor is asked. Throws unauthorized,
 * the same for everything that does not hold.
 */
export async function finishPasskeyLogin(ctx: Context, body: AuthenticationFinish): Promise<TokenResponse | Reply> {
  const proof = await checkAssertion(ctx, 'passkey_login', body);
  if (proof === undefined) throw refusePasskey(ctx, body);
  const developer = findDeveloper(ctx, proof.passkey.developerId);
  if (developer === undefined || !isAdmitted(developer)) throw refusePasskey(ctx, body, 'account_locked');
  const elsewhere = findSsoRefusal(ctx, developer);
  if (elsewhere !== undefined) {
    ctx.transact((tx) => recordFailure(tx, developer.id, 'sso_required'));
    throw elsewhere;
  }
  const byCookie = proof.challenge.data.byCookie === true;
  if (byCookie) refuseForeignOrigin(ctx, ctx.request.header);
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
  if (signedIn === 'suspended') throw refusePasskey(ctx, body, SUSPENDED);
  if (signedIn === undefined) throw refusePasskey(ctx, body, COPIED);
  return answerTokens(ctx, signedIn, byCookie);
}
