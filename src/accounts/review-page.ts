// The page after a password reset: the additions to the account, each with a remove button. It works without scripts.

import type { App, Context } from '../core/context.ts';
import { isSentByForm } from '../http/forms.ts';
import type { FormRefusal } from '../http/operation.ts';
import type { Reply } from '../http/reply.ts';
import { type Html, html } from '../lib/html.ts';
import { framedPage, noticePage } from '../pages/frame.ts';
import { answerLink, type LinkPage } from './link-pages.ts';
import { REVIEW_PATH } from './review.ts';
import type { Addition, AdditionReview, PasswordChanged } from './schema.ts';

const kinds: Record<Addition['kind'], string> = {
  totp: 'Authenticator app',
  recovery_codes: 'Recovery codes',
  passkey: 'Passkey',
  personal_access_token: 'Personal access token',
};

const reviewedPage: LinkPage = {
  kind: 'review_additions',
  title: 'Review your account',
  text: '',
  button: '',
  done: { title: 'Review complete', text: 'Sign in with your new password. You can close this page.' },
};

/** Returns the response for programs, or the page with the remaining steps for people. */
export function answerReset(ctx: Context, resetPage: LinkPage, answer: PasswordChanged): PasswordChanged | Reply {
  return shown(ctx, answer, 'Your password is set', resetPage);
}

/** Returns the response for programs, or the list for people while something is left to review. */
export function answerReview(ctx: Context, answer: AdditionReview): AdditionReview | Reply {
  return shown(ctx, answer, 'Removed', reviewedPage);
}

function shown<Answer extends { added: Addition[]; review_token: string | null }>(
  ctx: Context,
  answer: Answer,
  title: string,
  page: LinkPage,
): Answer | Reply {
  const { added, review_token: token } = answer;
  if (token === null || !isSentByForm(ctx.request)) return answerLink(ctx, page, answer);
  const hidden = html`<input type="hidden" name="review_token" value="${token}">`;
  const form = (field: string, value: string, label: string, text?: Html) =>
    html`<form method="post" action="${REVIEW_PATH}">${hidden}<input type="hidden" name="${field}" value="${value}">${text}<button class="button second" type="submit">${label}</button></form>\n`;
  const rows = added.map((item) =>
    form('remove', item.identifier, `Remove ${nameOf(item)}`, html`<p>${describe(item)}</p>`),
  );
  const isOne = added.length === 1;
  const main = html`<main class="alone"><section class="card"><h1>${title}</h1>
<p>${isOne ? 'This was' : 'These were'} added to your account since the last sign-in we know was yours. Remove anything you didn't add. It can be used to sign in to your account.</p>
${rows}${isOne ? null : form('remove_all', 'true', 'Remove all')}${form('keep_rest', 'true', isOne ? 'Keep' : 'Keep all')}</section></main>`;
  return framedPage(title, main, 200);
}

function nameOf({ kind, name }: Addition): string {
  return name === null ? kinds[kind].toLowerCase() : `“${name}”`;
}

function describe({ kind, name, added_at: at }: Addition): string {
  const what = name === null ? kinds[kind] : `${kinds[kind]} “${name}”`;
  const moment = new Date(at).toLocaleString('en-US', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' });
  return `${what}, added ${moment} UTC`;
}

/** Returns the error page of a review. */
export function showReviewError(_app: App, { error }: FormRefusal): Reply {
  if (error.code !== 'invalid_input' && error.code !== 'validation_error') {
    return noticePage('Request failed', error.message, error.status);
  }
  const text = 'The list has changed or expired. Reset your password again to see the current list.';
  return noticePage('This page has expired', text, 400);
}
