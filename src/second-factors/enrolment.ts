// The rules of enrolling and giving up an authenticator app, and of recovery codes.
import { loadDeveloper, updateDeveloper } from '../accounts/store.ts';
import { MINUTE, timestamp } from '../platform/clock.ts';
import type { Context, DeveloperContext } from '../platform/context.ts';
import { AppError } from '../platform/errors.ts';
import { findStepOf, loadOtp, newTotpSecret, renewRecoveryCodes, sealTotpSecret } from './codes.ts';
import { listMethods } from './factors.ts';
import { forgiveFailures } from './guesses.ts';
import { tellOwner } from './notices.ts';
import type { MfaStatus, StepUpFields, TotpBegin } from './schema.ts';
import { requireStepUp, requireYoungSignIn } from './step-up.ts';
import * as store from './store.ts';

const ISSUER = 'Taxiway';
/** How long a begun enrolment can be confirmed. */
const ENROLMENT_MS = 15 * MINUTE;

/** The caller's second factors. */
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
  };
}

/**
 * Makes a secret for an authenticator app; it counts once it is confirmed, within a quarter of an hour. Beginning again
 * replaces it. Throws operation_not_allowed while a confirmed one is there, and as requireYoungSignIn does.
 */
export async function beginTotp(ctx: DeveloperContext): Promise<TotpBegin> {
  requireYoungSignIn(ctx);
  const otp = await loadOtp();
  return ctx.transact(
    (tx) => {
      const secret = newTotpSecret(tx);
      if (!store.replaceUnconfirmedTotp(tx, ctx.actor.id, sealTotpSecret(tx, ctx.actor.id, secret))) throw enrolled();
      return {
        secret,
        otpauth_uri: otp.generateURI({ issuer: ISSUER, label: ctx.actor.email, secret }),
        expires_at: timestamp(tx.now + ENROLMENT_MS),
      };
    },
    { bookkeeping: true },
  );
}

function enrolled(): AppError {
  return new AppError('operation_not_allowed', 'An authenticator app is enrolled already; disable it first');
}

/**
 * Enrols the authenticator app that a begun secret was given to; answers the recovery codes, the only time they are
 * shown. Throws invalid_input for a wrong code and operation_not_allowed when nothing was begun or it is too old.
 */
export async function confirmTotp(ctx: DeveloperContext, code: string): Promise<{ recovery_codes: string[] }> {
  const otp = await loadOtp();
  return ctx.transact((tx) => {
    const developerId = ctx.actor.id;
    const row = store.findTotp(tx, developerId);
    if (row !== undefined && row.confirmedAt !== null) throw enrolled();
    if (row === undefined || row.createdAt + ENROLMENT_MS <= tx.now) {
      throw new AppError('operation_not_allowed', 'Begin to enrol an authenticator app first');
    }
    const step = findStepOf(tx, otp, row, code);
    if (step === undefined) {
      throw new AppError('invalid_input', 'The code is not right; check the clock of the device', { field: 'code' });
    }
    if (!store.confirmTotp(tx, row, step)) throw enrolled();
    updateDeveloper(tx, developerId, { totpEnabledAt: tx.now });
    const codes = renewRecoveryCodes(tx, developerId);
    tx.record('mfa.enabled', { identifier: developerId, organizationId: null, details: { method: 'totp' } });
    tellOwner(tx, ctx, 'mfa_enabled');
    return { recovery_codes: codes };
  });
}

/**
 * Makes a new set of recovery codes; the one before ends. Throws operation_not_allowed for an account without a factor,
 * which they would stand in for.
 */
export function regenerateRecoveryCodes(ctx: DeveloperContext): { recovery_codes: string[] } {
  return ctx.transact((tx) => {
    const developer = loadDeveloper(tx, ctx.actor.id);
    if (developer.totpEnabledAt === null && developer.passkeyCount === 0) throw withoutFactor();
    const codes = renewRecoveryCodes(tx, developer.id);
    tx.record('mfa.recovery_codes_regenerated', { identifier: developer.id, organizationId: null });
    tellOwner(tx, ctx, 'recovery_codes_regenerated');
    return { recovery_codes: codes };
  });
}

function withoutFactor(): AppError {
  return new AppError('operation_not_allowed', 'The account has no second factor');
}

/**
 * Gives up the authenticator app and the recovery codes, after a step-up; passkeys stay and are removed one by one. An
 * organization that requires a factor refuses the account from then on until one is enrolled again. Throws
 * operation_not_allowed without an authenticator app.
 */
export async function disableMfa(ctx: DeveloperContext, fields: StepUpFields): Promise<void> {
  if (!ctx.actor.factors.hasTotp) throw withoutTotp();
  await requireStepUp(ctx, fields);
  ctx.transact((tx) => {
    const developerId = ctx.actor.id;
    if (store.findTotp(tx, developerId)?.confirmedAt == null) throw withoutTotp();
    store.deleteTotp(tx, developerId);
    store.replaceRecoveryCodes(tx, developerId, []);
    updateDeveloper(tx, developerId, { totpEnabledAt: null });
    forgiveFailures(tx, developerId, 'second_factor');
    tx.record('mfa.disabled', { identifier: developerId, organizationId: null, details: { totp: true, passkeys: 0 } });
    tellOwner(tx, ctx, 'mfa_disabled');
  });
}

function withoutTotp(): AppError {
  return new AppError('operation_not_allowed', 'No authenticator app is enrolled');
}

/** Deletes secrets that nobody confirmed in time; answers how many. */
export function forgetUnconfirmedTotp(ctx: Context, now: number): number {
  return ctx.transact((tx) => store.deleteUnconfirmedTotp(tx, now - ENROLMENT_MS), { bookkeeping: true });
}
