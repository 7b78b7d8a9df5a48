// Signing up and proving the address: the answer never says whether an address has an account (specification part 5).
import { checkCaptcha } from '../captcha/service.ts';
import { hasOpenInvitation } from '../invitations/service.ts';
import { claimMail, clearCooldowns, mailOnce } from '../mail/cooldowns.ts';
import { accountExistsMail, verifyEmailMail } from '../mail/templates.ts';
import type { Context, Tx } from '../platform/context.ts';
import { AppError } from '../platform/errors.ts';
import { proveAddress } from './address-proof.ts';
import { deleteAccount, isGivenUp } from './deletion.ts';
import {
  consumeLink,
  contestLinks,
  deadLink,
  hasLaterSignUp,
  linkUrl,
  mintLink,
  NOBODYS_PASSWORD,
  VERIFY_LINK_MS,
} from './links.ts';
import { sendResetLink } from './password-reset.ts';
import type { EmailRequest, SignUp } from './schema.ts';
import { addDeveloper, checkNewPassword } from './service.ts';
import { type DeveloperRow, findDeveloper, findDeveloperByEmail, updateDeveloper } from './store.ts';

export const VERIFY_PATH = '/api/v1/developers/verify_email';

const pending = { status: 'verification_pending' } as const;

interface Wish {
  email: string;
  displayName: string;
  passwordHash: string;
}

/**
 * Makes an unverified account and sends the link that proves its address. For an address that has an account, or that is
 * not invited where only the invited may sign up, the answer and the work are the same: one hash, one transaction. Throws
 * operation_not_allowed where nobody may sign up, whatever the address.
 */
export async function signUp(ctx: Context, body: SignUp): Promise<typeof pending> {
  if (ctx.config.accounts.signup === 'closed') {
    throw new AppError('operation_not_allowed', 'Nobody can sign up here; the operator makes accounts');
  }
  checkNewPassword(ctx, body.password, { email: body.email, displayName: body.display_name });
  await checkCaptcha(ctx, body.captcha_token);
  const passwordHash = await ctx.passwords.hash(body.password);
  const wish = { email: body.email, displayName: body.display_name, passwordHash };
  ctx.transact((tx) => admitSignUp(tx, wish), { bookkeeping: true, removes: true });
  return pending;
}

function admitSignUp(tx: Tx, wish: Wish): void {
  const existing = findDeveloperByEmail(tx, wish.email);
  if (existing !== undefined && !isGivenUp(existing)) {
    answerExisting(tx, existing, wish);
    return;
  }
  if (tx.config.accounts.signup === 'invited' && !hasOpenInvitation(tx, wish.email)) return;
  if (existing !== undefined) deleteAccount(tx, existing);
  const { developerId } = addDeveloper(tx, { ...wish, isVerified: false, isOperator: false });
  // Whatever was asked for this address before it had an account sent nothing, so it must not absorb the first link.
  clearCooldowns(tx, wish.email);
  sendVerification(tx, { developerId, email: wish.email });
}

/**
 * An unverified account keeps the password of its first sign-up; the later one's comes into force by its own link, so that
 * nobody verifies a password that somebody else chose for them. Where the cooldown keeps that link back, the one sent before
 * brings no password into force any more.
 */
function answerExisting(tx: Tx, existing: DeveloperRow, { email, passwordHash, displayName }: Wish): void {
  tx.record('developer.redundant', {
    identifier: existing.id,
    organizationId: null,
    developerId: existing.id,
    details: { action: 'sign_up' },
  });
  if (existing.lockedAt !== null) return;
  if (existing.emailVerifiedAt === null) {
    const isSent = sendVerification(tx, { developerId: existing.id, email, passwordHash, displayName });
    // Whoever gets the mail that is on its way may be the one who signed up second.
    if (!isSent) contestLinks(tx, existing.id);
  } else {
    mailOnce(tx, 'account_exists', email, () => accountExistsMail(tx.config.server.base_url));
  }
}

/** Sends a link, if none went to the address within the cooldown; answers whether it did. */
function sendVerification(
  tx: Tx,
  link: { developerId: string; email: string; passwordHash?: string; displayName?: string },
): boolean {
  return mailOnce(tx, 'verify_email', link.email, () => {
    const token = mintLink(tx, { ...link, kind: 'verify_email', lifetimeMs: VERIFY_LINK_MS });
    return verifyEmailMail(linkUrl(tx, VERIFY_PATH, token));
  });
}

/**
 * Sends the link anew to an account that is not verified yet; the answer is the same for every address. Anybody may ask for
 * it, so where the address was signed up more than once it brings none of the passwords into force.
 */
export function resendVerification(ctx: Context, { email }: EmailRequest): typeof pending {
  ctx.transact(
    (tx) => {
      const developer = findDeveloperByEmail(tx, email);
      const isWaiting = developer !== undefined && developer.emailVerifiedAt === null && developer.lockedAt === null;
      if (!isWaiting) {
        claimMail(tx, 'verify_email', email);
        return;
      }
      const isContested = hasLaterSignUp(tx, developer.id);
      const choice = isContested ? { passwordHash: NOBODYS_PASSWORD, displayName: developer.displayName } : {};
      sendVerification(tx, { developerId: developer.id, email, ...choice });
    },
    { bookkeeping: true },
  );
  return pending;
}

/**
 * Proves the address by a link from its mail. Where it is not known who chose the password there is none then, and a link
 * to set one is sent. Throws invalid_input for one that does not work: of many at once one wins.
 */
export function verifyEmail(ctx: Context, token: string): { status: 'verified' } {
  ctx.transact((tx) => {
    const link = consumeLink(tx, 'verify_email', token);
    const developer = link === undefined ? undefined : findDeveloper(tx, link.developerId);
    if (link === undefined || developer === undefined) throw deadLink();
    if (developer.lockedAt !== null || developer.email !== link.email || developer.emailVerifiedAt !== null) {
      throw deadLink();
    }
    if (link.passwordHash === null) {
      proveAddress(tx, developer, 'verification_link');
      return;
    }
    proveAddress(tx, developer, 'later_sign_up');
    if (link.passwordHash === NOBODYS_PASSWORD) {
      sendResetLink(tx, developer);
      return;
    }
    const displayName = link.displayName ?? developer.displayName;
    updateDeveloper(tx, developer.id, { passwordHash: link.passwordHash, displayName });
    tx.record('developer.password_changed', {
      identifier: developer.id,
      organizationId: null,
      developerId: developer.id,
      details: { how: 'later_sign_up' },
    });
  });
  return { status: 'verified' };
}
