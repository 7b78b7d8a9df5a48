// Emails that anyone can request for an address. The request does the same for every address. A job looks up the account
// later, so that the response time reveals nothing.

import type { Context, Tx } from '../core/context.ts';
import { linkUrl, mintLink } from '../developers/links.ts';
import { type DeveloperRow, findDeveloperByEmail } from '../developers/store.ts';
import { RESET_LINK_MS, VERIFY_LINK_MS } from '../lib/lifetimes.ts';
import { claimMail } from '../mail/cooldowns.ts';
import { passwordResetMail, verifyEmailMail } from '../mail/templates/accounts.ts';
import { RESET_PATH, VERIFY_PATH } from './paths.ts';

export const LINK_MAIL_JOB = 'link-mail';
/** A separate lane, so that no link waits for an export. */
export const LINK_MAIL_LANE = 'link-mail';

type LinkMail = 'password_reset' | 'verify_email';
type Addressee = Pick<DeveloperRow, 'id' | 'email'>;

/**
 * Queues an email for an address, whether or not it has an account, unless one of this kind was requested within the
 * cooldown.
 */
export function requestLinkMail(ctx: Context, kind: LinkMail, email: string): void {
  ctx.transact(
    (tx) => {
      if (claimMail(tx, kind, email)) tx.enqueue({ kind: LINK_MAIL_JOB, payload: { kind, email } });
    },
    { bookkeeping: true },
  );
}

/** The job: sends the email if the address has an account that should get it. */
export function runLinkMailJob(ctx: Context, payload: Record<string, unknown>): void {
  const kind: LinkMail = payload.kind === 'verify_email' ? 'verify_email' : 'password_reset';
  ctx.transact(
    (tx) => {
      const developer = findDeveloperByEmail(tx, String(payload.email));
      if (developer === undefined || developer.lockedAt !== null) return;
      if (kind === 'password_reset') mailResetLink(tx, developer);
      else if (developer.emailVerifiedAt === null) mailVerification(tx, developer);
    },
    { bookkeeping: true },
  );
}

/** Emails a link for setting a new password. */
export function mailResetLink(tx: Tx, { id, email }: Addressee): void {
  const token = mintLink(tx, { kind: 'password_reset', developerId: id, email, lifetimeMs: RESET_LINK_MS });
  tx.mail({ kind: 'password_reset', to: email, content: passwordResetMail(linkUrl(tx, RESET_PATH, token)) });
}

/** Emails the link that verifies an address. */
export function mailVerification(tx: Tx, { id, email }: Addressee): void {
  const token = mintLink(tx, { kind: 'verify_email', developerId: id, email, lifetimeMs: VERIFY_LINK_MS });
  tx.mail({ kind: 'verify_email', to: email, content: verifyEmailMail(linkUrl(tx, VERIFY_PATH, token)) });
}
