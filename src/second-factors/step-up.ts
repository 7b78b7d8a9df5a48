// Step-up: before something that must not happen by a borrowed session, the account shows again what it has.
import { findSession } from '../accounts/session-store.ts';
import { type DeveloperRow, loadDeveloper } from '../accounts/store.ts';
import { MINUTE } from '../platform/clock.ts';
import type { DeveloperContext } from '../platform/context.ts';
import { AppError, notFound } from '../platform/errors.ts';
import { type ValidationEntry, validationError } from '../platform/validation.ts';
import { beginAssertion, checkAssertion, spendProof } from './assertions.ts';
import { loadOtp, spendCode } from './codes.ts';
import { countFailure, forgiveFailures, refuseEarlyGuess } from './guesses.ts';
import type { AuthenticationBegin, StepUpFields } from './schema.ts';

/** How young the sign-in of an account must be that has nothing to show: neither password nor factor. */
const FRESH_MS = 10 * MINUTE;

interface Needs {
  password: boolean;
  code: boolean;
  passkey: boolean;
}

/** What an account needs is what it has (completions 10.22); with an authenticator app its passkeys are not asked for. */
function needsOf(developer: DeveloperRow): Needs {
  const code = developer.totpEnabledAt !== null;
  return { password: developer.passwordHash !== null, code, passkey: !code && developer.passkeyCount > 0 };
}

/**
 * Lets pass who shows the password and the second factor of the account, as far as it has them. Each wrong try counts
 * as a guess of a second factor. Call it before the transaction it protects.
 *
 * Throws validation_error for a needed field that is missing, permission_denied for a wrong one (or, for an account without
 * password and factor, when the session is older than ten minutes), rate_limit_exceeded while guesses must wait.
 */
export async function requireStepUp(ctx: DeveloperContext, fields: StepUpFields): Promise<void> {
  const developer = loadDeveloper(ctx, ctx.actor.id);
  const needs = needsOf(developer);
  refuseMissing(needs, fields);
  if (!needs.password && !needs.code && !needs.passkey) {
    refuseOldSession(ctx);
    return;
  }
  chargeGuess(ctx, developer.id);
  const refusal = await findRefusal(ctx, developer, needs, fields);
  if (refusal !== undefined) throw recordRefusal(ctx, refusal);
  ctx.transact((tx) => forgiveFailures(tx, developer.id, 'second_factor'), { bookkeeping: true });
}

/**
 * Before a factor is enrolled: an account that has nothing to show needs a young sign-in, as for a step-up, because the
 * factor would serve as one from then on. Throws permission_denied.
 */
export function requireYoungSignIn(ctx: DeveloperContext): void {
  const needs = needsOf(loadDeveloper(ctx, ctx.actor.id));
  if (!needs.password && !needs.code && !needs.passkey) refuseOldSession(ctx);
}

function refuseMissing(needs: Needs, fields: StepUpFields): void {
  const needed = [
    ...(needs.password ? (['current_password'] as const) : []),
    ...(needs.code ? (['mfa_code'] as const) : []),
    ...(needs.passkey ? (['passkey_challenge_id', 'passkey_assertion'] as const) : []),
  ];
  const entries = needed
    .filter((name) => fields[name] === undefined || fields[name] === null)
    .map((name): ValidationEntry => ({ type: 'missing', loc: ['body', name], msg: 'Field required' }));
  if (entries.length > 0) throw validationError(entries);
}

function refuseOldSession(ctx: DeveloperContext): void {
  const session = findSession(ctx, ctx.actor.sessionId);
  if (session !== undefined && ctx.clock.now().getTime() - session.createdAt < FRESH_MS) return;
  throw new AppError('permission_denied', 'Sign in again first: this needs a sign-in of the last ten minutes');
}

/** Counts the try as failed before it is looked at, so that any number of tries at once is no way around the wait. */
function chargeGuess(ctx: DeveloperContext, developerId: string): void {
  ctx.transact(
    (tx) => {
      refuseEarlyGuess(tx, developerId, 'second_factor');
      countFailure(tx, developerId, 'second_factor');
    },
    { bookkeeping: true },
  );
}

type Refusal = 'wrong_password' | 'wrong_code' | 'wrong_passkey';

async function findRefusal(
  ctx: DeveloperContext,
  developer: DeveloperRow,
  needs: Needs,
  fields: StepUpFields,
): Promise<Refusal | undefined> {
  if (needs.password) {
    const isRight = await ctx.passwords.verify(fields.current_password ?? '', developer.passwordHash);
    // While it was checked the password may have been changed.
    if (!isRight || loadDeveloper(ctx, developer.id).passwordHash !== developer.passwordHash) return 'wrong_password';
  }
  if (needs.code) {
    const otp = await loadOtp();
    const isRight = ctx.transact((tx) => spendCode(tx, otp, developer.id, fields.mfa_code ?? ''), {
      bookkeeping: true,
    });
    return isRight ? undefined : 'wrong_code';
  }
  if (!needs.passkey) return undefined;
  const { passkey_challenge_id: challengeId, passkey_assertion: credential } = fields;
  if (!challengeId || !credential) return 'wrong_passkey';
  const proof = await checkAssertion(ctx, 'passkey_step_up', { challenge_id: challengeId, credential });
  // The challenge named an account, but whoever sends it may have opened it for another one.
  const isOwn = proof !== undefined && proof.passkey.developerId === developer.id;
  const isRight = isOwn && ctx.transact((tx) => spendProof(tx, proof), { bookkeeping: true });
  return isRight ? undefined : 'wrong_passkey';
}

function recordRefusal(ctx: DeveloperContext, reason: Refusal): AppError {
  ctx.transact((tx) => {
    tx.record('login.failed', {
      identifier: ctx.actor.id,
      organizationId: null,
      details: { reason: `step_up_${reason}`, session_id: ctx.actor.sessionId },
    });
  });
  const what = { wrong_password: 'password', wrong_code: 'code', wrong_passkey: 'passkey' }[reason];
  return new AppError('permission_denied', `The ${what} is not right`);
}

/**
 * Opens a step-up by passkey for the caller; its answer serves any one step-up. Throws not_found for another account and
 * operation_not_allowed without passkeys.
 */
export function beginPasskeyStepUp(ctx: DeveloperContext, developerId: string): Promise<AuthenticationBegin> {
  if (developerId !== ctx.actor.id) throw notFound();
  if (!ctx.actor.factors.hasPasskey) throw new AppError('operation_not_allowed', 'The account has no passkey');
  return beginAssertion(ctx, { kind: 'passkey_step_up', developerId });
}
