// Sign-up with the link of an invitation: creates the account, accepts the invitation and signs in
// (docs/specification/identity.md#sign-up-with-an-invitation).

import { deleteAccount } from '../accounts/deletion.ts';
import { markAddressVerified } from '../accounts/email-verification.ts';
import { endRequests, setPassword } from '../accounts/password-reset.ts';
import { addDeveloper, checkNewPassword } from '../accounts/service.ts';
import { requireOpenSignUp } from '../accounts/sign-up.ts';
import type { Context, Tx } from '../core/context.ts';
import { passwordsOf } from '../developers/password.ts';
import {
  type DeveloperRow,
  findDeveloperByEmail,
  isAbandoned,
  isUnclaimed,
  loadDeveloper,
  updateDeveloper,
} from '../developers/store.ts';
import { checkWriteLock } from '../http/organization-lock.ts';
import type { Reply } from '../http/reply.ts';
import { rejectForeignOrigin } from '../http/same-origin.ts';
import { acceptByToken, acceptOthers } from '../invitations/acceptance.ts';
import { findRequiredSso, isDomainOfOthers, type OpenedInvitation, openInvitation } from '../invitations/previews.ts';
import type { InvitationKind } from '../invitations/schema.ts';
import { AppError } from '../lib/errors.ts';
import { clearCooldowns } from '../mail/cooldowns.ts';
import { isMemberAnywhere } from '../organizations/members/store.ts';
import { loadOrganization } from '../organizations/store.ts';
import { addPasskey } from '../second-factors/passkeys.ts';
import { replaceHandle } from '../second-factors/store.ts';
import type { NewCredential } from '../second-factors/webauthn.ts';
import { findRequiringOrganization, ssoRequired } from '../sso/requirement.ts';
import { answerTokens, asDeveloper, beginSession, type SignedIn, type SignInEvent } from './issue.ts';
import type { InvitedSignUp, TokenResponse } from './schema.ts';

/**
 * Creates an account with the invited address, accepts the invitation and signs in. The emailed link verifies the address;
 * then the other invitations of the address are accepted too. Throws `not_found` for a link that doesn't work,
 * `operation_not_allowed` if it can't create an account, `permission_denied` if the organization requires its identity
 * provider, the error of a locked organization, and `already_exists` if the address has a usable account. Of concurrent requests, one succeeds.
 */
export async function signUpInvited(
  ctx: Context,
  kind: InvitationKind,
  body: InvitedSignUp,
): Promise<TokenResponse | Reply> {
  if (body.cookies) rejectForeignOrigin(ctx, ctx.request.header);
  const { invite_token: token, display_name: displayName, password } = body;
  // Checked before hashing, because links that don't work must not cost a hash.
  const { invitation, organizationName } = openForSignUp(ctx, kind, token);
  checkNewPassword(ctx, password, { email: invitation.email, displayName, organizationName });
  const passwordHash = await passwordsOf(ctx).hash(password);
  return answerTokens(ctx, completeSignUp(ctx, kind, token, { displayName, passwordHash }), body.cookies);
}

/** The person who signs up, with either a password or a passkey. */
type Newcomer = { displayName: string } & (
  | { passwordHash: string; passkey?: never }
  | { passwordHash: null; passkey: NewPasskey }
);

interface NewPasskey {
  credential: NewCredential;
  /** The user handle that the passkey contains. */
  handle: string;
  name: string;
}

/** Returns the open invitation of a link that can create an account. Throws the errors of signUpInvited. */
export function openForSignUp(ctx: Context, kind: InvitationKind, token: string): OpenedInvitation {
  const opened = openInvitation(ctx, kind, token);
  checkSignUp(ctx, opened);
  return opened;
}

/** Creates the account, accepts the invitation and signs in, all in one transaction. Throws the errors of signUpInvited. */
export function completeSignUp(ctx: Context, kind: InvitationKind, token: string, newcomer: Newcomer): SignedIn {
  return ctx.transact(
    (tx) => {
      const current = openForSignUp(tx, kind, token);
      const admitted = admitInvited(tx, current, newcomer);
      const signIn = newcomer.passkey === undefined ? undefined : addFirstPasskey(tx, admitted, newcomer.passkey);
      const developer = loadDeveloper(tx, admitted.id);
      const sessionId = tx.ids.next();
      // A nested transaction records the rest with the new account as actor.
      return asDeveloper(tx, developer, sessionId).transact((own) => {
        const { row } = acceptByToken(own, developer, kind, token);
        if (current.link === 'mailed')
          acceptOthers(own, row, developer, findRequiringOrganization(own, developer.email));
        return beginSession(own, developer, sessionId, signIn);
      });
    },
    { removes: true },
  );
}

/** Adds the passkey, whose creation on a device that verified its owner is the sign-in. */
function addFirstPasskey(tx: Tx, developer: DeveloperRow, { credential, handle, name }: NewPasskey): SignInEvent {
  replaceHandle(tx, developer.id, handle);
  const { id } = addPasskey(tx, developer, credential, name);
  return { event: 'login.passkey_succeeded', details: { passkey_id: id } };
}

/** Rejects links that can't create an account. */
function checkSignUp(ctx: Context, opened: OpenedInvitation): void {
  const { link, invitation } = opened;
  requireOpenSignUp(ctx);
  if (link === 'copied') {
    throw new AppError('operation_not_allowed', 'Only the link in the email can create an account', {
      reason: 'mailed_link_required',
    });
  }
  const sso = findRequiredSso(ctx, opened);
  if (sso !== undefined) throw ssoRequired(sso.loginUrl);
  checkWriteLock(ctx, loadOrganization(ctx, invitation.organizationId));
  if (link === 'passed_on' && isDomainOfOthers(ctx, invitation)) {
    throw new AppError('operation_not_allowed', 'Another organization verified the domain of this address', {
      reason: 'domain_of_others',
    });
  }
  const existing = findDeveloperByEmail(ctx, invitation.email);
  if (existing !== undefined && !isReplaceable(ctx, existing, link)) {
    throw new AppError('already_exists', 'This email address already has an account. Sign in to accept');
  }
}

/**
 * Returns whether a link gives an account to its holder. The emailed one gives every unverified account to the person who
 * reads the address. The one that an inviter passed on only replaces accounts that nobody could use yet.
 */
function isReplaceable(ctx: Context, account: DeveloperRow, link: OpenedInvitation['link']): boolean {
  if (account.emailVerifiedAt !== null) return false;
  if (link === 'mailed' || isUnclaimed(account)) return true;
  return account.vouchedAt === null && !account.isOperator && !isMemberAnywhere(ctx, account.id);
}

/** Returns the new account of the invited address, or the unverified one that now belongs to the person who reads it. */
function admitInvited(
  tx: Tx,
  { invitation: { email }, link }: OpenedInvitation,
  { displayName, passwordHash }: Pick<Newcomer, 'displayName' | 'passwordHash'>,
): DeveloperRow {
  const existing = findDeveloperByEmail(tx, email);
  if (existing !== undefined && link === 'mailed' && !isAbandoned(existing)) {
    // Ends the password, sessions and factors, because another person may have created the account.
    markAddressVerified(tx, existing, 'invitation');
    if (passwordHash === null) endRequests(tx, existing);
    else setPassword(tx, existing, passwordHash, 'invitation');
    return updateDeveloper(tx, existing.id, { displayName });
  }
  // Access that was granted to the address becomes pending again with the account.
  if (existing !== undefined) deleteAccount(tx, existing);
  clearCooldowns(tx, email);
  const how = link === 'mailed' ? { isVerified: true } : { isVerified: false, isVouched: true };
  const { developerId } = addDeveloper(tx, { email, displayName, passwordHash, ...how, isOperator: false });
  // If two people claim the address, verifying it later must not activate this password or passkey.
  if (existing !== undefined && link !== 'mailed') updateDeveloper(tx, developerId, { isContested: true });
  return loadDeveloper(tx, developerId);
}
