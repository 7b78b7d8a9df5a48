// Sets a new password: with a link from an email, or with the current password.

import type { Context, DeveloperContext, SteppedUpContext, Tx } from '../core/context.ts';
import { endEmailCodes } from '../developers/email-codes.ts';
import { consumeLink, deadLink, endLinks, isLinkUsable } from '../developers/links.ts';
import { passwordsOf } from '../developers/password.ts';
import { revokeOtherSessions } from '../developers/session-store.ts';
import { type DeveloperRow, findDeveloper, loadDeveloper, updateDeveloper } from '../developers/store.ts';
import { AppError, notFound } from '../lib/errors.ts';
import { mailOnce } from '../mail/cooldowns.ts';
import { passwordChangedMail } from '../mail/templates/accounts.ts';
import { clearAllFailedAttempts, noteNetwork } from '../sessions/backoff.ts';
import { endSessions, markAddressVerified } from './email-verification.ts';
import { requestLinkMail } from './link-mails.ts';
import { openReview } from './review.ts';
import type { EmailRequest, PasswordChange, PasswordChanged, PasswordResetConfirm } from './schema.ts';
import { checkNewPassword } from './service.ts';

const accepted = { status: 'reset_pending' } as const;

/** Sends a link for setting a new password. Response, cooldown and work are the same for every address. */
export function requestPasswordReset(ctx: Context, { email }: EmailRequest): typeof accepted {
  requestLinkMail(ctx, 'password_reset', email);
  return accepted;
}

/**
 * Sets a new password with a link from an email, which also verifies the address, and ends all sessions. Two-factor
 * methods stay, except those added before the address was first verified. Returns the additions since the last known
 * good sign-in for a review. Passkeys among them can't sign in on their own until then. Throws `invalid_input` for an
 * invalid link.
 */
export async function confirmPasswordReset(
  ctx: Context,
  { token, new_password }: PasswordResetConfirm,
): Promise<PasswordChanged> {
  // Checked before hashing, because invalid tokens must not cost a hash.
  if (!isLinkUsable(ctx, 'password_reset', token)) throw deadLink();
  checkNewPassword(ctx, new_password, {}, 'new_password');
  const passwordHash = await passwordsOf(ctx).hash(new_password);
  return ctx.transact((tx) => {
    const link = consumeLink(tx, 'password_reset', token);
    const developer = link === undefined ? undefined : findDeveloper(tx, link.developerId);
    if (link === undefined || developer === undefined) throw deadLink();
    if (developer.lockedAt !== null || developer.email !== link.email) throw deadLink();
    // Only the link identifies the owner of the password. After an error the link still works.
    checkNewPassword(tx, new_password, developer, 'new_password');
    markAddressVerified(tx, developer, 'password_reset');
    endSessions(tx, developer.id);
    noteNetwork(tx, developer.id);
    setPassword(tx, developer, passwordHash, 'password_reset');
    return { status: 'password_changed', ...openReview(tx, developer.id) };
  });
}

/**
 * Rejects a change that can't be made. Throws `not_found` for another account, `validation_error` for a weak password,
 * and `permission_denied` for an account without a password, which must use a password reset.
 */
export function checkPasswordChange(ctx: DeveloperContext, id: string, body: PasswordChange): void {
  if (id !== ctx.actor.id) throw notFound();
  const owner = loadDeveloper(ctx, id);
  checkNewPassword(ctx, body.new_password, owner, 'new_password');
  if (owner.passwordHash !== null) return;
  throw new AppError('permission_denied', 'This account has no password. Set one with a password reset', {
    field: 'current_password',
  });
}

/**
 * Changes the caller's password and ends all other sessions. Throws `permission_denied` if the password was changed
 * concurrently.
 */
export async function changePassword(ctx: SteppedUpContext, body: PasswordChange): Promise<void> {
  const { id, sessionId } = ctx.actor;
  const { passwordHash: stored } = loadDeveloper(ctx, id);
  const passwordHash = await passwordsOf(ctx).hash(body.new_password);
  ctx.transact((tx) => {
    const developer = loadDeveloper(tx, id);
    if (developer.passwordHash !== stored) {
      throw new AppError('permission_denied', 'Incorrect password', { field: 'current_password' });
    }
    const count = revokeOtherSessions(tx, id, sessionId);
    setPassword(tx, developer, passwordHash, 'current_password', { other_sessions_ended: count });
  });
}

/**
 * Sets the password of an account and notifies its owner. Clears failed attempts and ends links requested under the old
 * password.
 */
export function setPassword(
  tx: Tx,
  { id, email }: DeveloperRow,
  passwordHash: string,
  how: 'password_reset' | 'current_password' | 'operator' | 'invitation',
  facts: Record<string, unknown> = {},
): void {
  updateDeveloper(tx, id, { passwordHash });
  endRequests(tx, { id, email });
  tx.record('developer.password_changed', {
    identifier: id,
    organizationId: null,
    developerId: id,
    details: { how, ...facts },
  });
  mailOnce(tx, 'password_changed', email, () => passwordChangedMail(tx.config.server.base_url));
}

/**
 * Clears the failed attempts of an account whose sign-in method was replaced, and ends the links and codes that a person
 * with the old one may have requested.
 */
export function endRequests(tx: Tx, { id, email }: Pick<DeveloperRow, 'id' | 'email'>): void {
  clearAllFailedAttempts(tx, { id, email });
  endLinks(tx, id, ['password_reset', 'change_email', 'review_additions']);
  endEmailCodes(tx, email);
}
