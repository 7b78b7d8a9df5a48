// Signing up and proving the address: the answer never says whether an address has an account (specification part 5).

import { checkCaptcha } from '../captcha/service.ts';
import type { Context, Tx } from '../core/context.ts';
import { consumeLink, deadLink } from '../developers/links.ts';
import { passwordsOf } from '../developers/password.ts';
import {
  type DeveloperRow,
  findDeveloper,
  findDeveloperByEmail,
  isAbandoned,
  updateDeveloper,
} from '../developers/store.ts';
import { hasOpenInvitation } from '../invitations/service.ts';
import { AppError } from '../lib/errors.ts';
import { claimMail, clearCooldowns, mailOnce } from '../mail/cooldowns.ts';
import { accountExistsMail } from '../mail/templates.ts';
import { deleteAccount } from './deletion.ts';
import { proveAddress } from './email-verification.ts';
import { mailResetLink, mailVerification, requestLinkMail } from './link-mails.ts';
import type { EmailRequest, SignUp } from './schema.ts';
import { addDeveloper, checkNewPassword } from './service.ts';
import { refuseBeforeSetup } from './setup.ts';

const pending = { status: 'verification_pending' } as const;

interface Wish {
  email: string;
  displayName: string;
  passwordHash: string;
}

/**
 * Makes an unverified account and sends the link that proves its address. For an address that has an account, or that is
 * not invited where only the invited may sign up, the answer and the work are the same: one hash, one transaction. Throws
 * operation_not_allowed where nobody may sign up, whatever the address, and before the server is set up.
 */
export async function signUp(ctx: Context, body: SignUp): Promise<typeof pending> {
  refuseBeforeSetup(ctx);
  if (ctx.config.accounts.signup === 'closed') {
    throw new AppError('operation_not_allowed', 'Nobody can sign up here; the operator makes accounts');
  }
  checkNewPassword(ctx, body.password, { email: body.email, displayName: body.display_name });
  await checkCaptcha(ctx, body.captcha_token);
  const passwordHash = await passwordsOf(ctx).hash(body.password);
  const wish = { email: body.email, displayName: body.display_name, passwordHash };
  ctx.transact((tx) => admitSignUp(tx, wish), { bookkeeping: true, removes: true });
  return pending;
}

function admitSignUp(tx: Tx, wish: Wish): void {
  const existing = findDeveloperByEmail(tx, wish.email);
  if (existing !== undefined && !isAbandoned(existing)) {
    answerExisting(tx, existing, wish);
    return;
  }
  if (tx.config.accounts.signup === 'invited' && !hasOpenInvitation(tx, wish.email)) return;
  if (existing !== undefined) deleteAccount(tx, existing);
  const { developerId } = addDeveloper(tx, { ...wish, isVerified: false, isOperator: false });
  // Whatever was asked for this address before it had an account sent nothing, so it must not absorb the first link.
  clearCooldowns(tx, wish.email);
  sendVerification(tx, { id: developerId, email: wish.email });
}

/**
 * Whoever signed up first may be somebody else than who signs up now, and nobody can tell which of them reads the mail. So an
 * unverified address that is signed up again is contested, at any time and for good: no password of either comes into force
 * by any link, and proving the address sends one to set a password.
 */
function answerExisting(tx: Tx, existing: DeveloperRow, { email }: Wish): void {
  tx.record('developer.redundant', {
    identifier: existing.id,
    organizationId: null,
    developerId: existing.id,
    details: { action: 'sign_up' },
  });
  if (existing.lockedAt !== null) return;
  if (existing.emailVerifiedAt === null) {
    updateDeveloper(tx, existing.id, { isContested: true });
    sendVerification(tx, existing);
  } else {
    mailOnce(tx, 'account_exists', email, () => accountExistsMail(tx.config.server.base_url));
  }
}

/** Sends a link, if none was sent to the address within the cooldown. */
function sendVerification(tx: Tx, developer: Pick<DeveloperRow, 'id' | 'email'>): void {
  if (claimMail(tx, 'verify_email', developer.email)) mailVerification(tx, developer);
}

/** Sends the link again to an account that is not verified yet. Answer, cooldown and work are the same for every address. */
export function resendVerification(ctx: Context, { email }: EmailRequest): typeof pending {
  requestLinkMail(ctx, 'verify_email', email);
  return pending;
}

/**
 * Proves the address by a link from its mail. If the address is contested there is no password then, and a link to set one is
 * sent. Throws invalid_input for one that does not work: of many at once one wins.
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
    proveAddress(tx, developer, how);
    if (!developer.isContested) return;
    // Whatever was asked for before ended with the proof, so it must not absorb the only way in.
    claimMail(tx, 'password_reset', developer.email);
    mailResetLink(tx, developer);
  });
  return { status: 'verified' };
}
