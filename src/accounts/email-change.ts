// Changes the email address of an account. The request requires a step-up, and the new address must be verified.

import type { Context, DeveloperContext, SteppedUpContext } from '../core/context.ts';
import { consumeLink, deadLink, endLinks, linkUrl, mintLink } from '../developers/links.ts';
import { findDeveloper, findDeveloperByEmail, loadDeveloper, updateDeveloper } from '../developers/store.ts';
import { notFound } from '../lib/errors.ts';
import { CHANGE_LINK_MS } from '../lib/lifetimes.ts';
import { fieldError } from '../lib/validation.ts';
import { claimMail, countSenderMail, mailOnce } from '../mail/cooldowns.ts';
import { changeEmailMail, emailChangedMail } from '../mail/templates/accounts.ts';
import { findSsoRefusal } from '../sso/requirement.ts';
import { attachPendingGrants } from '../testers/pending-access.ts';
import type { EmailChange } from './schema.ts';

export const CHANGE_PATH = '/api/v1/developers/change_email/confirm';

const pending = { status: 'verification_pending' } as const;

/**
 * Rejects a change that can't be requested. Throws `not_found` for another account, `validation_error` for the current
 * address, and `permission_denied` for a member whose organization requires single sign-on for the current address.
 */
export function checkEmailChange(ctx: DeveloperContext, id: string, { new_email: email }: EmailChange): void {
  if (id !== ctx.actor.id) throw notFound();
  if (email === loadDeveloper(ctx, id).email) {
    throw fieldError('body', ['new_email'], 'value_error', 'Input should differ from the current email address');
  }
  // Leaving the domain would be leaving the requirement of its organization
  // (docs/specification/single-sign-on.md#required-single-sign-on).
  const refusal = findSsoRefusal(ctx, ctx.actor);
  if (refusal !== undefined) throw refusal;
}

/**
 * Sends a link to the new address. Opening it changes the address. The response is the same if another account has the
 * address, but nothing is sent then.
 */
export function requestEmailChange(ctx: SteppedUpContext, { new_email: email }: EmailChange): typeof pending {
  const { id } = ctx.actor;
  ctx.transact(
    (tx) => {
      // Requests that send nothing count too, so that the limit doesn't show which addresses have accounts.
      countSenderMail(tx);
      if (findDeveloperByEmail(tx, email) !== undefined) {
        claimMail(tx, 'change_email', email);
        return;
      }
      mailOnce(tx, 'change_email', email, () => {
        const token = mintLink(tx, { kind: 'change_email', developerId: id, email, lifetimeMs: CHANGE_LINK_MS });
        return changeEmailMail(linkUrl(tx, CHANGE_PATH, token));
      });
    },
    { bookkeeping: true },
  );
  return pending;
}

/**
 * Changes the address to the one the link was sent to, marks it as verified and notifies the old one. Throws
 * `invalid_input` for an invalid link, and if another account has taken the address or the current one requires single sign-on.
 */
export function confirmEmailChange(ctx: Context, token: string): { status: 'email_changed' } {
  ctx.transact((tx) => {
    const link = consumeLink(tx, 'change_email', token);
    const developer = link === undefined ? undefined : findDeveloper(tx, link.developerId);
    if (link === undefined || developer === undefined || developer.lockedAt !== null) throw deadLink();
    if (findDeveloperByEmail(tx, link.email) !== undefined) throw deadLink();
    // The requirement may have come since the request.
    if (findSsoRefusal(tx, developer) !== undefined) throw deadLink();
    const changed = updateDeveloper(tx, developer.id, { email: link.email, emailVerifiedAt: tx.now, vouchedAt: null });
    endLinks(tx, developer.id, ['verify_email', 'password_reset', 'change_email']);
    const facts = { identifier: developer.id, organizationId: null, developerId: developer.id };
    tx.record('developer.edited', {
      ...facts,
      details: { fields: ['email'], email: { from: developer.email, to: link.email } },
    });
    tx.record('developer.email_verified', { ...facts, details: { email: link.email, how: 'email_change' } });
    mailOnce(tx, 'email_changed', developer.email, () => emailChangedMail(tx.config.server.base_url));
    attachPendingGrants(tx, changed);
  });
  return { status: 'email_changed' };
}
