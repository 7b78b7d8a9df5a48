// Setting a new password: by a link from a mail for who has forgotten it, by the old one for who is signed in.

import type { Context, DeveloperContext, SteppedUpContext, Tx } from '../core/context.ts';
import { consumeLink, deadLink, endLinks, isLinkUsable } from '../developers/links.ts';
import { passwordsOf } from '../developers/password.ts';
import { revokeOtherSessions } from '../developers/session-store.ts';
import { type DeveloperRow, findDeveloper, loadDeveloper, updateDeveloper } from '../developers/store.ts';
import { AppError, notFound } from '../lib/errors.ts';
import { mailOnce } from '../mail/cooldowns.ts';
import { passwordChangedMail } from '../mail/templates.ts';
import { clearAllFailedAttempts, noteNetwork } from '../sessions/backoff.ts';
import { endSessions, proveAddress } from './email-verification.ts';
import { requestLinkMail } from './link-mails.ts';
import { openReview } from './review.ts';
import type { EmailRequest, PasswordChange, PasswordChanged, PasswordResetConfirm } from './schema.ts';
import { checkNewPassword } from './service.ts';

const accepted = { status: 'reset_pending' } as const;

/** Sends a link that sets a new password. Answer, cooldown and work are the same for every address. */
export function requestPasswordReset(ctx: Context, { email }: EmailRequest): typeof accepted {
  requestLinkMail(ctx, 'password_reset', email);
  return accepted;
}

/**
 * Sets a new password by a link from a mail, which proves the address too, and ends every session. Second factors stay,
 * except those from before the first proof of the address; what was added since the last known good sign-in is returned for
 * a review, and passkeys among it no longer sign in alone until then. Throws invalid_input for a link that does not work.
 */
export async function confirmPasswordReset(
  ctx: Context,
  { token, new_password }: PasswordResetConfirm,
): Promise<PasswordChanged> {
  // Before anything is hashed: a token cannot be guessed, but nonsense must not cost a hash.
  if (!isLinkUsable(ctx, 'password_reset', token)) throw deadLink();
  checkNewPassword(ctx, new_password, {}, 'new_password');
  const passwordHash = await passwordsOf(ctx).hash(new_password);
  return ctx.transact((tx) => {
    const link = consumeLink(tx, 'password_reset', token);
    const developer = link === undefined ? undefined : findDeveloper(tx, link.developerId);
    if (link === undefined || developer === undefined) throw deadLink();
    if (developer.lockedAt !== null || developer.email !== link.email) throw deadLink();
    // Whose password it is, only the link said. What is thrown leaves it usable.
    checkNewPassword(tx, new_password, developer, 'new_password');
    proveAddress(tx, developer, 'password_reset');
    endSessions(tx, developer.id);
    noteNetwork(tx, developer.id);
    setPassword(tx, developer, passwordHash, 'password_reset');
    return { status: 'password_changed', ...openReview(tx, developer.id) };
  });
}

/**
 * Refuses a change that can't be made. Throws not_found for another account, validation_error for a weak password, and
 * permission_denied for an account without a password, which sets one with a reset.
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

/** Changes the password of the caller; other sessions end, this one stays. Throws permission_denied if it changed meanwhile. */
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
 * Gives an account a password and tells its owner; what was guessed before is forgiven, and links that were asked for under
 * the old one end.
 */
export function setPassword(
  tx: Tx,
  { id, email }: DeveloperRow,
  passwordHash: string,
  how: 'password_reset' | 'current_password' | 'operator',
  facts: Record<string, unknown> = {},
): void {
  updateDeveloper(tx, id, { passwordHash });
  clearAllFailedAttempts(tx, { id, email });
  // Links that were asked for under the old password may have been asked for by whoever knew it.
  endLinks(tx, id, ['password_reset', 'change_email', 'review_additions']);
  tx.record('developer.password_changed', {
    identifier: id,
    organizationId: null,
    developerId: id,
    details: { how, ...facts },
  });
  mailOnce(tx, 'password_changed', email, () => passwordChangedMail(tx.config.server.base_url));
}
