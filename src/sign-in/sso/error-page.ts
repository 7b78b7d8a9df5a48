// The response to rejected messages of an identity provider. It doesn't reveal why a message was rejected, only which error an
// OpenID Connect provider reported, and to a person whom the provider vouched for that the organization is locked.

import type { Context } from '../../core/context.ts';
import type { Reply } from '../../http/reply.ts';
import { AppError } from '../../lib/errors.ts';
import { isNavigation } from '../../pages/error-page.ts';
import { noticePage } from '../../pages/frame.ts';
import { RefusedMessage } from '../../saml/errors.ts';

/** What a message was for. The message to the person doesn't depend on the reason. */
const purposes = {
  login: {
    event: 'sso.login_failed',
    title: 'Sign-in failed',
    message: 'The response of the identity provider was rejected. Sign in again.',
  },
  logout: {
    event: 'sso.logout_failed',
    title: 'Sign-out failed',
    message: 'The logout message of the identity provider was rejected. Check whether you are still signed in.',
  },
} as const;

const DENIED = 'The identity provider denied access. Ask its administrator to assign you to this application.';
const NOT_SIGNED_IN = 'The identity provider needs you to sign in there first. Sign in again.';
const LATER = "The identity provider isn't available. Try again later.";
const MISCONFIGURED =
  "The identity provider rejected this server's request. Ask an admin of your organization to check single sign-on.";

const LOCKED =
  "You aren't a member of this organization yet, and nobody can join it while it's locked. Ask one of its admins.";

/** Errors that a provider reports with the redirect (OpenID Connect core 3.1.2.6); all others are of the configuration. */
const reported: Record<string, string> = {
  access_denied: DENIED,
  login_required: NOT_SIGNED_IN,
  interaction_required: NOT_SIGNED_IN,
  consent_required: NOT_SIGNED_IN,
  account_selection_required: NOT_SIGNED_IN,
  temporarily_unavailable: LATER,
  server_error: LATER,
};

function messageOf({ reason, details: { error } }: RefusedMessage, usual: string): string {
  if (reason === 'unreachable') return LATER;
  if (reason === 'code') return MISCONFIGURED;
  if (reason === 'organization_locked') return LOCKED;
  return reason === 'status' && error !== undefined ? (reported[error] ?? MISCONFIGURED) : usual;
}

interface MessageKind {
  purpose?: keyof typeof purposes;
  code?: 'unauthorized' | 'invalid_input';
}

/**
 * Runs a message handler. Rejected messages are recorded. Those for a logout are limited, because anyone can send them, and a
 * provider may send many valid ones at the same time.
 */
export async function withErrorPage(
  ctx: Context,
  organizationId: string,
  handle: () => Promise<Reply>,
  { purpose = 'login', code = 'unauthorized' }: MessageKind = {},
): Promise<Reply> {
  try {
    return await handle();
  } catch (error) {
    if (!(error instanceof RefusedMessage)) throw error;
    if (purpose === 'logout') ctx.rateLimits.admitAddress('token_exchange', ctx.request.ipAddress);
    const { event, title, message: usual } = purposes[purpose];
    ctx.transact((tx) =>
      tx.record(event, {
        identifier: organizationId,
        organizationId,
        details: { reason: error.reason, ...error.details },
      }),
    );
    const message = messageOf(error, usual);
    const refusal = new AppError(code, message);
    if (!isNavigation(ctx.request)) throw refusal;
    return noticePage(title, message, refusal.status);
  }
}
