// Sign-up and address verification. Responses never reveal whether an address has an account.

import { checkCaptcha } from '../captcha/service.ts';
import type { Context, Tx } from '../core/context.ts';
import { consumeLink, deadLink } from '../developers/links.ts';
import { passwordsOf } from '../developers/password.ts';
import {
  type DeveloperRow,
  findDeveloper,
  findDeveloperByEmail,
  isUnclaimed,
  updateDeveloper,
} from '../developers/store.ts';
import { hasOpenInvitation } from '../invitations/service.ts';
import { AppError } from '../lib/errors.ts';
import { claimMail, clearCooldowns, mailOnce } from '../mail/cooldowns.ts';
import { accountExistsMail } from '../mail/templates/accounts.ts';
import { findLinkForSignUp, rememberSignUp } from '../testers/join-links/joining.ts';
import { deleteAccount } from './deletion.ts';
import { markAddressVerified } from './email-verification.ts';
import { mailResetLink, mailVerification, requestLinkMail } from './link-mails.ts';
import type { EmailRequest, SignUp } from './schema.ts';
import { addDeveloper, checkNewPassword } from './service.ts';
import { requireSetupDone } from './setup.ts';

const pending = { status: 'verification_pending' } as const;

interface SignUpRequest {
  email: string;
  displayName: string;
  passwordHash: string;
  joinToken: string | undefined;
}

/** Throws `operation_not_allowed` if sign-up is closed. */
export function requireOpenSignUp({ config }: Pick<Context, 'config'>): void {
  if (config.accounts.signup !== 'closed') return;
  throw new AppError('operation_not_allowed', 'Sign-up is closed. Ask the operator of this server for an account');
}

/**
 * Creates an unverified account and sends its verification link. For an address that already has an account, or isn't
 * invited if only invited people can sign up, the response and the work are the same: one hash, one transaction. The token of a
 * join link counts as an invitation. Throws
 * `operation_not_allowed` if sign-up is closed or the server isn't set up, regardless of the address.
 */
export async function signUp(ctx: Context, body: SignUp): Promise<typeof pending> {
  requireSetupDone(ctx);
  requireOpenSignUp(ctx);
  checkNewPassword(ctx, body.password, { email: body.email, displayName: body.display_name });
  await checkCaptcha(ctx, body.captcha_token);
  // A repetition that arrives during this work must find the account of the first.
  await passwordsOf(ctx).oneByOne(body.email, async () => {
    const passwordHash = await passwordsOf(ctx).hash(body.password, findUnverifiedHash(ctx, body.email));
    const request = {
      email: body.email,
      displayName: body.display_name,
      passwordHash,
      joinToken: body.join_token ?? undefined,
    };
    ctx.transact((tx) => admitSignUp(tx, request), { bookkeeping: true, removes: true });
  });
  return pending;
}

/**
 * Returns the hash of an unverified account's password. Hashed like it, the password of a repeated sign-up is recognized
 * without more work than for other addresses.
 */
function findUnverifiedHash(ctx: Context, email: string): string | undefined {
  const existing = findDeveloperByEmail(ctx, email);
  const isWaiting = existing !== undefined && existing.emailVerifiedAt === null && !isUnclaimed(existing);
  return isWaiting ? (existing.passwordHash ?? undefined) : undefined;
}

function admitSignUp(tx: Tx, { joinToken, ...request }: SignUpRequest): void {
  const joinLink = findLinkForSignUp(tx, joinToken, request.email);
  const existing = findDeveloperByEmail(tx, request.email);
  if (existing !== undefined && !isUnclaimed(existing)) {
    answerExisting(tx, existing, request);
    return;
  }
  const isInvitedOnly = tx.config.accounts.signup === 'invited';
  if (isInvitedOnly && joinLink === undefined && !hasOpenInvitation(tx, request.email)) {
    refuseUninvited(tx, request.email);
    return;
  }
  if (existing !== undefined) deleteAccount(tx, existing);
  const { developerId } = addDeveloper(tx, { ...request, isVerified: false, isOperator: false });
  rememberSignUp(tx, developerId, joinLink);
  // Emails requested for this address before it had an account weren't sent, so their cooldowns must not suppress the
  // first link.
  clearCooldowns(tx, request.email);
  sendVerification(tx, { id: developerId, email: request.email });
}

/** Records a sign-up without an invitation. Responses wait for the disk after a write, so one without it would reveal accounts. */
function refuseUninvited(tx: Tx, email: string): void {
  claimMail(tx, 'account_exists', email);
  tx.record('developer.redundant', {
    identifier: tx.request.id,
    organizationId: null,
    developerId: null,
    details: { action: 'sign_up', reason: 'not_invited' },
  });
}

/**
 * Handles a sign-up with an address that already has an account. Two different people may have signed up with an
 * unverified address, and it is unknown which of them reads the email. So unless the password is the same, the address is
 * permanently marked as contested: verifying the address ends all passwords and sends a link for setting one.
 */
function answerExisting(
  tx: Tx,
  existing: DeveloperRow,
  { email, passwordHash }: Pick<SignUpRequest, 'email' | 'passwordHash'>,
): void {
  tx.record('developer.redundant', {
    identifier: existing.id,
    organizationId: null,
    developerId: existing.id,
    details: { action: 'sign_up' },
  });
  if (existing.lockedAt !== null) return;
  if (existing.emailVerifiedAt === null) {
    if (existing.passwordHash !== passwordHash) updateDeveloper(tx, existing.id, { isContested: true });
    sendVerification(tx, existing);
  } else {
    mailOnce(tx, 'account_exists', email, () => accountExistsMail(tx.config.server.base_url));
  }
}

/** Sends a link unless one was sent to the address within the cooldown. */
function sendVerification(tx: Tx, developer: Pick<DeveloperRow, 'id' | 'email'>): void {
  if (claimMail(tx, 'verify_email', developer.email)) mailVerification(tx, developer);
}

/** Sends the link again to an unverified account. Response, cooldown and work are the same for every address. */
export function resendVerification(ctx: Context, { email }: EmailRequest): typeof pending {
  requestLinkMail(ctx, 'verify_email', email);
  return pending;
}

/**
 * Verifies an address with a link from its email. A contested address has no password then, and a link for setting one
 * is sent. Throws `invalid_input` for an invalid link. Of concurrent uses, one succeeds.
 */
export function verifyEmail(ctx: Context, token: string): { status: 'verified' } {
  ctx.transact((tx) => {
    const link = consumeLink(tx, 'verify_email', token);
    const developer = link === undefined ? undefined : findDeveloper(tx, link.developerId);
    if (link === undefined || developer === undefined) throw deadLink();
    if (developer.lockedAt !== null || developer.email !== link.email || developer.emailVerifiedAt !== null) {
      throw deadLink();
    }
    const how = developer.isContested ? 'later_sign_up' : 'verification_link';
    markAddressVerified(tx, developer, how);
    if (!developer.isContested) return;
    // Regardless of the cooldown: the verification ended earlier links, and this one is the only way to sign in.
    claimMail(tx, 'password_reset', developer.email);
    mailResetLink(tx, developer);
  });
  return { status: 'verified' };
}
