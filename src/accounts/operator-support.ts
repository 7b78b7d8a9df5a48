// What the operator can do to accounts on the console, for users without email, with a lost factor or with an open
// session.

import type { Context } from '../core/context.ts';
import { linkUrl, mintLink } from '../developers/links.ts';
import { passwordsOf } from '../developers/password.ts';
import { emailAddress } from '../developers/schema.ts';
import { type DeveloperRow, findDeveloperByEmail } from '../developers/store.ts';
import { timestamp } from '../lib/clock.ts';
import { AppError, notFound } from '../lib/errors.ts';
import { RESET_LINK_MS } from '../lib/lifetimes.ts';
import { removeAllFactors } from '../second-factors/factors.ts';
import { notifyOwner } from '../second-factors/notices.ts';
import { endSessions, markAddressVerified } from './email-verification.ts';
import { setPassword } from './password-reset.ts';
import { RESET_PATH } from './paths.ts';
import { checkNewPassword } from './service.ts';

export interface AccountChange {
  developer_id: string;
  email: string;
  /** Whether anything was changed. */
  changed: boolean;
}

export interface Verified extends AccountChange {
  /** Set if several people may have signed up with the address, so that the account has no password now. */
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

function answer({ id, email }: DeveloperRow, changed: boolean): AccountChange {
  return { developer_id: id, email, changed };
}

/**
 * Marks an address as verified on the operator's word. Password, sessions and factors stay unless several people signed
 * up with the address. Throws `not_found` for an unknown address and `operation_not_allowed` for an account scheduled
 * for deletion.
 */
export function verifyAccount(ctx: Context, email: string): Verified {
  return ctx.transact((tx) => {
    const developer = loadByEmail(tx, email);
    refuseLocked(developer);
    markAddressVerified(tx, developer, 'operator');
    const changed = developer.emailVerifiedAt === null;
    return { ...answer(developer, changed), ...(changed && developer.isContested ? { password_ended: true } : {}) };
  });
}

/**
 * Sets a password and ends all sessions. Two-factor methods stay. Throws the errors of verifyAccount, and
 * `validation_error` for an unsuitable password.
 */
export async function resetPassword(ctx: Context, email: string, password: string): Promise<AccountChange> {
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
 * Creates the link of a password reset email, for the operator to pass on. Using it also verifies the address, because
 * the operator knows the recipient. Throws the errors of verifyAccount.
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

/** Removes all two-factor methods of an account and notifies its owner. Throws `not_found` for an unknown address. */
export function disableFactors(ctx: Context, email: string): AccountChange {
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

/** Ends all sessions of an account with their access tokens. Throws `not_found` for an unknown address. */
export function signOutEverywhere(ctx: Context, email: string): AccountChange & { sessions: number } {
  return ctx.transact((tx) => {
    const developer = loadByEmail(tx, email);
    const sessions = endSessions(tx, developer.id);
    return { ...answer(developer, sessions > 0), sessions };
  });
}
