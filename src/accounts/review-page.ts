// The page after a password reset: the additions to the account, each with a remove button. It works without scripts.

import type { App, Context } from '../core/context.ts';
import { isSentByForm } from '../http/forms.ts';
import type { FormRefusal } from '../http/operation.ts';
import type { Reply } from '../http/reply.ts';
import { chooseLanguage, type Language } from '../languages.ts';
import { type Html, html } from '../lib/html.ts';
import { pageTexts } from '../page-texts/catalog.ts';
import { framedPage, noticePage } from '../pages/frame.ts';
import { answerLink, failedPage } from './link-pages.ts';
import { REVIEW_PATH } from './review.ts';
import type { Addition, AdditionReview, PasswordChanged } from './schema.ts';

/** Returns the response for programs, or the page with the remaining steps for people. */
export function answerReset(ctx: Context, answer: PasswordChanged): PasswordChanged | Reply {
  return shown(ctx, answer, 'password_reset');
}

/** Returns the response for programs, or the list for people while something is left to review. */
export function answerReview(ctx: Context, answer: AdditionReview): AdditionReview | Reply {
  return shown(ctx, answer, 'review_additions');
}

function shown<Answer extends { added: Addition[]; review_token: string | null }>(
  ctx: Context,
  answer: Answer,
  page: 'password_reset' | 'review_additions',
): Answer | Reply {
  const { added, review_token: token } = answer;
  if (token === null || !isSentByForm(ctx.request)) return answerLink(ctx, page, answer);
  const language = chooseLanguage(ctx.request.acceptLanguage);
  const texts = pageTexts[language].links.review;
  const title = page === 'password_reset' ? texts.passwordSet : texts.removed;
  const hidden = html`<input type="hidden" name="review_token" value="${token}">`;
  const form = (field: string, value: string, label: string, text?: Html) =>
    html`<form method="post" action="${REVIEW_PATH}">${hidden}<input type="hidden" name="${field}" value="${value}">${text}<button class="button second" type="submit">${label}</button></form>\n`;
  const rows = added.map((item) =>
    form(
      'remove',
      item.identifier,
      texts.remove(texts.kinds[item.kind], item.name),
      html`<p>${describe(item, language)}</p>`,
    ),
  );
  const isOne = added.length === 1;
  const main = html`<main class="alone"><section class="card"><h1>${title}</h1>
<p>${texts.text(isOne)}</p>
${rows}${isOne ? null : form('remove_all', 'true', texts.removeAll)}${form('keep_rest', 'true', texts.keep(isOne))}</section></main>`;
  return framedPage(title, main, 200, { language });
}

function describe({ kind, name, added_at: at }: Addition, language: Language): string {
  const { kinds, named, added } = pageTexts[language].links.review;
  const what = name === null ? kinds[kind] : named(kinds[kind], name);
  const locale = language === 'en' ? 'en-US' : language;
  const moment = new Date(at).toLocaleString(locale, { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' });
  return added(what, moment);
}

/** Returns the error page of a review. */
export function showReviewError(_app: App, { error, acceptLanguage }: FormRefusal): Reply {
  const language = chooseLanguage(acceptLanguage);
  if (error.code !== 'invalid_input' && error.code !== 'validation_error') return failedPage(error, language);
  const { title, text } = pageTexts[language].links.review.expired;
  return noticePage(title, text, 400, { language });
}
