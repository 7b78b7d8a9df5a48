// The response to rejected messages of an identity provider. It doesn't reveal why a message was rejected, only which error an
// OpenID Connect provider reported, and to a person whom the provider vouched for that the organization is locked.

import type { Context } from '../../core/context.ts';
import type { Reply } from '../../http/reply.ts';
import { AppError } from '../../lib/errors.ts';
import { isNavigation } from '../../pages/error-page.ts';
import { noticePage } from '../../pages/frame.ts';
import { RefusedMessage } from '../../saml/errors.ts';

const MESSAGE = 'The response of the identity provider was rejected. Sign in again.';

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

function messageOf({ reason, details: { error } }: RefusedMessage): string {
  if (reason === 'unreachable') return LATER;
  if (reason === 'code') return MISCONFIGURED;
  if (reason === 'organization_locked') return LOCKED;
  return reason === 'status' && error !== undefined ? (reported[error] ?? MISCONFIGURED) : MESSAGE;
}

/** Runs a message handler. Rejected messages are recorded. */
export async function withErrorPage(
  ctx: Context,
  organizationId: string,
  handle: () => Promise<Reply>,
  code: 'unauthorized' | 'invalid_input' = 'unauthorized',
): Promise<Reply> {
  try {
    return await handle();
  } catch (error) {
    if (!(error instanceof RefusedMessage)) throw error;
    ctx.transact((tx) =>
      tx.record('sso.login_failed', {
        identifier: organizationId,
        organizationId,
        details: { reason: error.reason, ...error.details },
      }),
    );
    const message = messageOf(error);
    const refusal = new AppError(code, message);
    if (!isNavigation(ctx.request)) throw refusal;
    return noticePage('Sign-in failed', message, refusal.status);
  }
}
