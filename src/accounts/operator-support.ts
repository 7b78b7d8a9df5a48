// What the operator does to accounts from the console: for whoever reads no mail, lost a factor or left a session behind.

import type { Context } from '../core/context.ts';
import { linkUrl, mintLink, RESET_LINK_MS } from '../developers/links.ts';
import { passwordsOf } from '../developers/password.ts';
import { emailAddress } from '../developers/schema.ts';
import { type DeveloperRow, findDeveloperByEmail } from '../developers/store.ts';
import { timestamp } from '../lib/clock.ts';
import { AppError, notFound } from '../lib/errors.ts';
import { removeAllFactors } from '../second-factors/factors.ts';
import { notifyOwner } from '../second-factors/notices.ts';
import { endSessions, proveAddress } from './email-verification.ts';
import { setPassword } from './password-reset.ts';
import { RESET_PATH } from './paths.ts';
import { checkNewPassword } from './service.ts';

export interface CaredFor {
  developer_id: string;
  email: string;
  /** Whether there was anything to do. */
  changed: boolean;
}

export interface Verified extends CaredFor {
  /** Given where several people may have signed up with the address, so that there is no password now. */
  password_ended?: true;
}

export interface ResetLink {
  developer_id: string;
  email: string;
  reset_url: string;
  expires_at: string;
}

function loadByEmail(ctx: Context, email: string): DeveloperRow {
  const address = emailAddress().safeParse(email);
  const developer = address.success ? findDeveloperByEmail(ctx, address.data) : undefined;
  if (developer === undefined) throw notFound();
  return developer;
}

function refuseLocked({ lockedAt }: DeveloperRow): void {
  if (lockedAt === null) return;
  throw new AppError('operation_not_allowed', 'The account is locked, because its deletion was requested');
}

function answer({ id, email }: DeveloperRow, changed: boolean): CaredFor {
  return { developer_id: id, email, changed };
}

/**
 * Takes an address for proven on the word of the operator; password, sessions and factors stay unless the address was signed
 * up more than once. Throws not_found for an unknown address and operation_not_allowed for an account that waits to be deleted.
 */
export function verifyAccount(ctx: Context, email: string): Verified {
  return ctx.transact((tx) => {
    const developer = loadByEmail(tx, email);
    refuseLocked(developer);
    proveAddress(tx, developer, 'operator');
    const changed = developer.emailVerifiedAt === null;
    return { ...answer(developer, changed), ...(changed && developer.isContested ? { password_ended: true } : {}) };
  });
}

/** Sets a password and ends every session; second factors stay. Throws as verifyAccount, and validation_error for a bad one. */
export async function resetPassword(ctx: Context, email: string, password: string): Promise<CaredFor> {
  const known = loadByEmail(ctx, email);
  refuseLocked(known);
  checkNewPassword(ctx, password, known);
  const passwordHash = await passwordsOf(ctx).hash(password);
  return ctx.transact((tx) => {
    const developer = loadByEmail(tx, email);
    refuseLocked(developer);
    endSessions(tx, developer.id);
    setPassword(tx, developer, passwordHash, 'operator');
    return answer(developer, true);
  });
}

/**
 * Makes the link that a mail would carry, for the operator to hand over. Who uses it has the address proven too: the operator
 * knows whom it was given to. Throws as verifyAccount.
 */
export function makeResetLink(ctx: Context, email: string): ResetLink {
  return ctx.transact((tx) => {
    const developer = loadByEmail(tx, email);
    refuseLocked(developer);
    const { id, email: address } = developer;
    const token = mintLink(tx, { kind: 'password_reset', developerId: id, email: address, lifetimeMs: RESET_LINK_MS });
    tx.record('developer.edited', {
      identifier: id,
      organizationId: null,
      developerId: id,
      details: { fields: [], action: 'password_reset_link' },
    });
    return {
      developer_id: id,
      email: address,
      reset_url: linkUrl(tx, RESET_PATH, token),
      expires_at: timestamp(tx.now + RESET_LINK_MS),
    };
  });
}

/** Takes every second factor from an account and tells its owner. Throws not_found for an unknown address. */
export function disableFactors(ctx: Context, email: string): CaredFor {
  return ctx.transact(
    (tx) => {
      const developer = loadByEmail(tx, email);
      const changed = removeAllFactors(tx, developer.id);
      if (changed) notifyOwner(tx, developer, 'factors_removed');
      return answer(developer, changed);
    },
    { bookkeeping: true },
  );
}

/** Ends every session of an account; access tokens end with them. Throws not_found for an unknown address. */
export function signOutEverywhere(ctx: Context, email: string): CaredFor & { sessions: number } {
  return ctx.transact((tx) => {
    const developer = loadByEmail(tx, email);
    const sessions = endSessions(tx, developer.id);
    return { ...answer(developer, sessions > 0), sessions };
  });
}
