// Signing in with a code or a link in an email, for people without a password
// (docs/specification/identity.md#sign-in-by-email).

import { deleteAccount } from '../accounts/deletion.ts';
import { markAddressVerified } from '../accounts/email-verification.ts';
import { addDeveloper } from '../accounts/service.ts';
import { checkCaptcha } from '../captcha/service.ts';
import type { App, Context, Tx } from '../core/context.ts';
import {
  type EmailCodeRow,
  findEmailCode,
  findEmailLink,
  findUnwritten,
  type Holder,
  isWithinCooldown,
  joinsByEmail,
  openEmailCode,
  sendsEmailCodes,
  spendEmailCode,
  spendEmailLink,
  writeEmailCode,
} from '../developers/email-codes.ts';
import { linkUrl } from '../developers/links.ts';
import { type DeveloperRow, findDeveloperByEmail, isAbandoned, loadDeveloper } from '../developers/store.ts';
import type { Reply } from '../http/reply.ts';
import { rejectForeignOrigin } from '../http/same-origin.ts';
import { hasOpenInvitation } from '../invitations/service.ts';
import { AppError } from '../lib/errors.ts';
import { EMAIL_CODE_MS } from '../lib/lifetimes.ts';
import { clearCooldowns } from '../mail/cooldowns.ts';
import { signInCodeMail, signInElsewhereMail } from '../mail/templates/sign-in.ts';
import { serviceProvider } from '../saml/names.ts';
import { admitAttempt, clearFailedAttempts, countWrongGuess, type Guess } from '../sessions/backoff.ts';
import { emailSignInCookie, readEmailSignInCookie } from '../sessions/cookies.ts';
import { findRequiringOrganization, findSsoRefusal } from '../sso/requirement.ts';
import { answerTokens, asDeveloper, beginSession, isAdmitted, type SignedIn } from './issue.ts';
import type { EmailSignIn, EmailSignInConfirm, MfaRequired, TokenResponse } from './schema.ts';
import { startTwoFactor } from './second-factor-challenge.ts';

export const EMAIL_CODE_JOB = 'email-code';
/** The page of the link, in the web app. Opening it doesn't use the link. */
const LINK_PATH = '/sign-in/email';

type Settled = SignedIn | MfaRequired | { refusal: AppError };

function wrongCode(): AppError {
  return new AppError('unauthorized', 'Incorrect code', { reason: 'wrong_code' });
}

/** The same for a code that is unknown, used, expired, guessed too often or requested by another browser. */
function unusableCode(): AppError {
  return new AppError(
    'unauthorized',
    "This code doesn't work: it was already used, has expired or was requested by another browser. Request a new one",
    {
      reason: 'unusable_code',
    },
  );
}

function otherBrowser(): AppError {
  return new AppError(
    'unauthorized',
    'The link works in the browser that requested it. Open it there, or enter the code there',
    { reason: 'other_browser' },
  );
}

function requireEmail(app: App): void {
  if (sendsEmailCodes(app)) return;
  throw new AppError('operation_not_allowed', "This server doesn't send email. Sign in with a password or passkey");
}

const holderOf = (token: string | undefined): Holder => ({ purpose: 'sign_in', holder: token ?? '' });

/**
 * Requests an email with a code and a link. Response, cookie and work are the same for every address. A job writes the
 * email. A request that the same browser repeats within the cooldown sends nothing and leaves the earlier code valid.
 * Throws `operation_not_allowed` if the server sends no email.
 */
export async function requestEmailSignIn(ctx: Context, { email, captcha_token }: EmailSignIn): Promise<Reply> {
  rejectForeignOrigin(ctx, ctx.request.header);
  requireEmail(ctx);
  await checkCaptcha(ctx, captcha_token);
  const token = ctx.transact((tx) => askFor(tx, email), { bookkeeping: true });
  return {
    isReply: true,
    status: 202,
    headers: { 'content-type': 'application/json' },
    cookies: [emailSignInCookie(ctx, token, EMAIL_CODE_MS)],
    body: JSON.stringify({ status: 'sign_in_pending' }),
  };
}

/** Returns the token for the browser's cookie. */
function askFor(tx: Tx, email: string): string {
  const held = readEmailSignInCookie(tx.request.header);
  const isRecent = isWithinCooldown(tx, findEmailCode(tx, holderOf(held)), email);
  if (held !== undefined && isRecent) return held;
  const token = tx.secrets.token();
  const id = openEmailCode(tx, email, holderOf(token));
  if (id !== undefined) tx.enqueue({ kind: EMAIL_CODE_JOB, payload: { id } });
  return token;
}

/** The job: writes the email if the address has an account, or an invitation with which it may get one. */
export function runEmailCodeJob(ctx: Context, payload: Record<string, unknown>): void {
  const id = String(payload.id);
  ctx.transact(
    (tx) => {
      const email = findUnwritten(tx, id);
      if (email !== undefined) writeMail(tx, id, email);
    },
    { bookkeeping: true },
  );
}

function writeMail(tx: Tx, id: string, email: string): void {
  const developer = findDeveloperByEmail(tx, email);
  const isNew = developer === undefined || isAbandoned(developer);
  if (isNew ? !mayJoin(tx, email) : !isAdmitted(developer)) return;
  const loginUrl = isNew ? ssoLoginOf(tx, email) : findSsoRefusal(tx, developer)?.details.login_url;
  if (loginUrl !== undefined) {
    tx.mail({ kind: 'sign_in_elsewhere', to: email, content: signInElsewhereMail(String(loginUrl)) });
    return;
  }
  const { code, token } = writeEmailCode(tx, id);
  tx.mail({ kind: 'sign_in_code', to: email, content: signInCodeMail(linkUrl(tx, LINK_PATH, token), code) });
}

/** Returns where an address without an account must sign in, if the organization of its domain requires single sign-on. */
function ssoLoginOf(tx: Tx, email: string): string | undefined {
  const organizationId = findRequiringOrganization(tx, email);
  return organizationId === undefined ? undefined : serviceProvider(tx, organizationId).loginUrl;
}

/** Returns whether an address without an account gets one by signing in: if it is invited and sign-up isn't closed. */
function mayJoin(tx: Tx, email: string): boolean {
  return joinsByEmail(tx) && hasOpenInvitation(tx, email);
}

/**
 * Signs in with a code or a link, in the browser that requested it. It verifies the address, creates the account of an
 * invited address, and starts two-factor authentication if the account uses it. Throws `unauthorized`, the same for
 * addresses with and without an account, `rate_limit_exceeded` while codes for the address must wait, and
 * `permission_denied` if the user must sign in through an identity provider.
 */
export async function confirmEmailSignIn(
  ctx: Context,
  { code, token, cookies }: EmailSignInConfirm,
): Promise<TokenResponse | MfaRequired | Reply> {
  rejectForeignOrigin(ctx, ctx.request.header);
  const holder = holderOf(readEmailSignInCookie(ctx.request.header));
  const settled = token == null ? byCode(ctx, holder, code ?? '', cookies) : byLink(ctx, holder, token, cookies);
  if ('refusal' in settled) throw settled.refusal;
  return 'mfa_required' in settled ? settled : answerTokens(ctx, settled, cookies);
}

/** Incorrect codes are also counted for the address, so that requesting more codes allows no more guesses. */
function byCode(ctx: Context, holder: Holder, code: string, byCookie: boolean): Settled {
  const pending = findEmailCode(ctx, holder);
  if (pending === undefined) throw unusableCode();
  const guess = admitAttempt(ctx, ctx.secrets.hash(`email code ${pending.email}`));
  return settle(ctx, (tx) => {
    const email = spendEmailCode(tx, pending, code);
    if (email === undefined) return refuseCode(tx, pending, guess, holder);
    clearFailedAttempts(tx, guess);
    return admit(tx, email, { byCookie, method: 'email_code' });
  });
}

function byLink(ctx: Context, holder: Holder, token: string, byCookie: boolean): Settled {
  const link = findEmailLink(ctx, token, holder);
  if (link === undefined) throw unusableCode();
  return settle(ctx, (tx) => {
    if (!link.isOwn) return fail(tx, link.row.email, 'other_browser', otherBrowser());
    const email = spendEmailLink(tx, link.row);
    return email === undefined ? { refusal: unusableCode() } : admit(tx, email, { byCookie, method: 'email_link' });
  });
}

function settle(ctx: Context, work: (tx: Tx) => Settled): Settled {
  // Before the two-factor method nobody is signed in yet, so nothing is recorded.
  return ctx.transact(work, { bookkeeping: true, removes: true });
}

function refuseCode(tx: Tx, { email }: EmailCodeRow, guess: Guess, holder: Holder): Settled {
  countWrongGuess(tx, guess);
  const isLeft = findEmailCode(tx, holder) !== undefined;
  return fail(tx, email, 'wrong_email_code', isLeft ? wrongCode() : unusableCode());
}

/** Records a failed sign-in, with a row for an unknown address too, because response times would reveal known ones otherwise. */
function fail(tx: Tx, email: string, reason: string, refusal: AppError): { refusal: AppError } {
  const developer = findDeveloperByEmail(tx, email);
  tx.record('login.failed', {
    identifier: developer?.id ?? tx.request.id,
    organizationId: null,
    developerId: developer?.id ?? null,
    details: { reason: developer === undefined ? 'unknown_address' : reason },
  });
  return { refusal };
}

/** Signs in the person who reads the emails of an address. */
function admit(tx: Tx, email: string, { byCookie, method }: { byCookie: boolean; method: string }): Settled {
  const developer = proveAddress(tx, email);
  if (developer === undefined) return fail(tx, email, 'account_changed', unusableCode());
  const elsewhere = findSsoRefusal(tx, developer);
  if (elsewhere !== undefined) return fail(tx, email, 'sso_required', elsewhere);
  const twoFactor = startTwoFactor(tx, developer, byCookie, 'email');
  if (twoFactor !== undefined) return twoFactor;
  const sessionId = tx.ids.next();
  return asDeveloper(tx, developer, sessionId).transact((own) =>
    beginSession(own, developer, sessionId, { event: 'login.succeeded', method: 'email', details: { method } }),
  );
}

/**
 * Returns the account of an address whose emails the person reads, with the address verified. Creates it for an invited
 * address. Returns undefined if there is none, or if it is locked.
 */
function proveAddress(tx: Tx, email: string): DeveloperRow | undefined {
  const existing = findDeveloperByEmail(tx, email);
  if (existing !== undefined && !isAbandoned(existing)) {
    return isAdmitted(existing) ? markAddressVerified(tx, existing, 'email_sign_in') : undefined;
  }
  if (!mayJoin(tx, email) || ssoLoginOf(tx, email) !== undefined) return undefined;
  if (existing !== undefined) deleteAccount(tx, existing);
  const { developerId } = addDeveloper(tx, { email, passwordHash: null, isVerified: true, isOperator: false });
  // Emails requested for this address before it had an account weren't sent, so their cooldowns must not suppress others.
  clearCooldowns(tx, email);
  return loadDeveloper(tx, developerId);
}
