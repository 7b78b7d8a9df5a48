// The response to rejected messages of an identity provider. It doesn't reveal why a message was rejected, only which error an
// OpenID Connect provider reported, and to a person whom the provider vouched for that the organization is locked.

import type { Context } from '../../core/context.ts';
import type { Reply } from '../../http/reply.ts';
import { chooseLanguage } from '../../languages.ts';
import { AppError } from '../../lib/errors.ts';
import { html } from '../../lib/html.ts';
import { pageTexts } from '../../page-texts/catalog.ts';
import type { SsoReason } from '../../page-texts/sso-texts.ts';
import { isNavigation } from '../../pages/error-page.ts';
import { framedPage } from '../../pages/frame.ts';
import { RefusedMessage } from '../../saml/errors.ts';
import { serviceProvider } from '../../saml/names.ts';

/** The events of rejected messages by what the message was for. */
const events = { login: 'sso.login_failed', logout: 'sso.logout_failed' } as const;
type Purpose = keyof typeof events;

/** Errors that a provider reports with the redirect (OpenID Connect core 3.1.2.6); all others are of the configuration. */
const reported: Record<string, SsoReason> = {
  access_denied: 'denied',
  login_required: 'not_signed_in',
  interaction_required: 'not_signed_in',
  consent_required: 'not_signed_in',
  account_selection_required: 'not_signed_in',
  temporarily_unavailable: 'later',
  server_error: 'later',
};

/** Returns the reason that the person may know, or undefined. */
function reasonOf({ reason, details: { error } }: RefusedMessage): SsoReason | undefined {
  if (reason === 'unreachable') return 'later';
  if (reason === 'code') return 'misconfigured';
  if (reason === 'organization_locked') return 'locked';
  if (reason !== 'status' || error === undefined) return undefined;
  return (Object.hasOwn(reported, error) ? reported[error] : undefined) ?? 'misconfigured';
}

interface MessageKind {
  purpose?: Purpose;
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
    ctx.transact((tx) =>
      tx.record(events[purpose], {
        identifier: organizationId,
        organizationId,
        details: { reason: error.reason, ...error.details },
      }),
    );
    const reason = reasonOf(error);
    const { sso } = pageTexts.en;
    const refusal = new AppError(code, reason === undefined ? sso[purpose].text : sso.reasons[reason]);
    if (!isNavigation(ctx.request)) throw refusal;
    const next = purpose === 'login' ? serviceProvider(ctx, organizationId).loginUrl : `${ctx.config.server.base_url}/`;
    return errorPage(ctx, { purpose, reason, next, status: refusal.status });
  }
}

interface ErrorFacts {
  purpose: Purpose;
  reason: SsoReason | undefined;
  /** Where the button leads. */
  next: string;
  status: number;
}

function errorPage({ request }: Context, { purpose, reason, next, status }: ErrorFacts): Reply {
  const language = chooseLanguage(request.acceptLanguage);
  const { sso, errors } = pageTexts[language];
  const { title, text } = sso[purpose];
  const isUnexplained = purpose === 'login' && reason === undefined;
  const main = html`<main class="alone"><section class="card"><h1>${title}</h1>
<p>${reason === undefined ? text : sso.reasons[reason]}</p>
<p><a class="button second" href="${next}">${purpose === 'login' ? sso.signIn : errors.home}</a></p>
${isUnexplained ? html`<p class="hint">${sso.help}</p>` : null}</section></main>`;
  const page = framedPage(title, main, status, { language });
  return { ...page, headers: { ...page.headers, 'cache-control': 'no-store', vary: 'Accept, Accept-Language' } };
}
