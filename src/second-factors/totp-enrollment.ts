// The rules for authenticator apps and recovery codes.

import type { Context, DeveloperContext, SteppedUpContext } from '../core/context.ts';
import { isPasskeyOffered } from '../developers/passkey-offer.ts';
import { loadDeveloper, updateDeveloper } from '../developers/store.ts';
import { MINUTE, timestamp } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import { findStepOf, loadOtp, newTotpSecret, renewRecoveryCodes, sealTotpSecret } from './codes.ts';
import { listMethods, removeTotp } from './factors.ts';
import { clearFailures } from './failed-attempts.ts';
import { notifyOwner } from './notices.ts';
import type { MfaStatus, TotpBegin } from './schema.ts';
import { readStepUpNeeds, resumeStepUp } from './step-up.ts';
import * as store from './store.ts';

const ISSUER = 'Taxiway';
/** How long a pending enrollment can be confirmed. */
export const ENROLLMENT_MS = 15 * MINUTE;

/** Returns the two-factor authentication status of the caller. */
export function readStatus(ctx: DeveloperContext): MfaStatus {
  const developer = loadDeveloper(ctx, ctx.actor.id);
  const methods = listMethods(ctx, developer);
  return {
    enabled: methods.length > 0,
    totp_enabled: developer.totpEnabledAt !== null,
    totp_enabled_at: developer.totpEnabledAt === null ? null : timestamp(developer.totpEnabledAt),
    passkey_count: developer.passkeyCount,
    recovery_codes_remaining: store.countUnusedRecoveryCodes(ctx, developer.id),
    methods,
    offers_passkey: isPasskeyOffered(ctx, developer.id),
    step_up: readStepUpNeeds(ctx, developer),
  };
}

/** Throws `operation_not_allowed` if an authenticator app is already enrolled. */
export function requireNoTotp(ctx: DeveloperContext): void {
  if (ctx.actor.factors.hasTotp) throw enrolled();
}

/**
 * Starts enrolling an authenticator app. Returns the secret, which the same session must confirm within 15 minutes.
 * Starting over replaces it. Throws `operation_not_allowed` if a confirmed one exists.
 */
export async function beginTotp(ctx: SteppedUpContext): Promise<TotpBegin> {
  const otp = await loadOtp();
  return ctx.transact(
    (tx) => {
      const { id, email, sessionId } = ctx.actor;
      const secret = newTotpSecret(tx);
      if (!store.replaceUnconfirmedTotp(tx, id, sealTotpSecret(tx, id, secret), sessionId)) throw enrolled();
      return {
        secret,
        otpauth_uri: otp.generateURI({ issuer: ISSUER, label: email, secret }),
        expires_at: timestamp(tx.now + ENROLLMENT_MS),
      };
    },
    { bookkeeping: true },
  );
}

function enrolled(): AppError {
  return new AppError('operation_not_allowed', 'An authenticator app is already enrolled. Remove it first');
}

/**
 * Confirms the pending enrollment of an authenticator app, in the session that started it with a step-up. Returns the
 * recovery codes, which are shown only once. Throws `invalid_input` for an incorrect code, and `operation_not_allowed`
 * if this session has no pending enrollment.
 */
export async function confirmTotp(ctx: DeveloperContext, code: string): Promise<{ recovery_codes: string[] }> {
  const otp = await loadOtp();
  const begun = store.findTotp(ctx, ctx.actor.id);
  if (begun !== undefined && begun.confirmedAt !== null) throw enrolled();
  const own = resumeStepUp(ctx, begun?.begunBySession);
  if (own === undefined) throw notBegun();
  return own.transact((tx) => {
    const developerId = ctx.actor.id;
    const row = store.findTotp(tx, developerId);
    if (row !== undefined && row.confirmedAt !== null) throw enrolled();
    // Another session may have started an enrollment since the check above.
    if (row === undefined || row.begunBySession !== ctx.actor.sessionId) throw notBegun();
    if (row.createdAt + ENROLLMENT_MS <= tx.now) throw notBegun();
    const step = findStepOf(tx, otp, row, code);
    if (step === undefined) {
      throw new AppError('invalid_input', 'Incorrect code. Check the clock of your device', { field: 'code' });
    }
    if (!store.confirmTotp(tx, row, step)) throw enrolled();
    updateDeveloper(tx, developerId, { totpEnabledAt: tx.now });
    const codes = renewRecoveryCodes(tx, developerId);
    tx.record('mfa.enabled', { identifier: developerId, organizationId: null, details: { method: 'totp' } });
    notifyOwner(tx, ctx.actor, 'mfa_enabled');
    return { recovery_codes: codes };
  });
}

function notBegun(): AppError {
  return new AppError('operation_not_allowed', 'Start enrolling an authenticator app in this session first');
}

/** Throws if the account has no two-factor method that recovery codes could replace. */
export function requireFactor(ctx: DeveloperContext): void {
  const { hasTotp, hasPasskey } = ctx.actor.factors;
  if (!hasTotp && !hasPasskey) throw withoutFactor();
}

/**
 * Replaces the recovery codes and returns the new ones. Throws `operation_not_allowed` for an account without a
 * two-factor method.
 */
export function regenerateRecoveryCodes(ctx: SteppedUpContext): { recovery_codes: string[] } {
  return ctx.transact((tx) => {
    const developer = loadDeveloper(tx, ctx.actor.id);
    if (developer.totpEnabledAt === null && developer.passkeyCount === 0) throw withoutFactor();
    const codes = renewRecoveryCodes(tx, developer.id);
    tx.record('mfa.recovery_codes_regenerated', { identifier: developer.id, organizationId: null });
    notifyOwner(tx, ctx.actor, 'recovery_codes_regenerated');
    return { recovery_codes: codes };
  });
}

function withoutFactor(): AppError {
  return new AppError('operation_not_allowed', 'The account has no two-factor method');
}

/** Throws if no authenticator app is enrolled. */
export function requireTotp(ctx: DeveloperContext): void {
  if (!ctx.actor.factors.hasTotp) throw withoutTotp();
}

/**
 * Removes the authenticator app and the recovery codes. Passkeys stay and are removed separately. Organizations that
 * require two-factor authentication reject the account until it has a method again. Throws `operation_not_allowed`
 * without an authenticator app.
 */
export function disableMfa(ctx: SteppedUpContext): void {
  ctx.transact((tx) => {
    const developerId = ctx.actor.id;
    if (store.findTotp(tx, developerId)?.confirmedAt == null) throw withoutTotp();
    removeTotp(tx, developerId);
    clearFailures(tx, developerId, 'second_factor');
    tx.record('mfa.disabled', { identifier: developerId, organizationId: null, details: { totp: true, passkeys: 0 } });
    notifyOwner(tx, ctx.actor, 'mfa_disabled');
  });
}

function withoutTotp(): AppError {
  return new AppError('operation_not_allowed', 'No authenticator app is enrolled');
}

/** Deletes up to `max` secrets that weren't confirmed in time. Returns the number deleted. */
export function deleteOldUnconfirmedTotp(ctx: Context, now: number, max: number): number {
  return ctx.transact((tx) => store.deleteUnconfirmedTotp(tx, now - ENROLLMENT_MS, max), { bookkeeping: true });
}
