// The pages of links in emails. Opening a page doesn't use the link, because mail programs open links automatically. A
// button submits the token.

import type { App, Context } from '../core/context.ts';
import { isLinkUsable } from '../developers/links.ts';
import { isSentByForm } from '../http/forms.ts';
import type { FormRefusal } from '../http/operation.ts';
import type { Reply } from '../http/reply.ts';
import { chooseLanguage, type Language } from '../languages.ts';
import { type Html, html } from '../lib/html.ts';
import { pageTexts } from '../page-texts/catalog.ts';
import type { Heading } from '../page-texts/install-texts.ts';
import type { LinkTexts } from '../page-texts/link-texts.ts';
import { framedPage, noticePage } from '../pages/frame.ts';

const SIGN_IN_PATH = '/sign-in';

/** The kind of a link with a page. */
export type LinkPage = keyof LinkTexts['pages'];

function deadLinkPage(language: Language): Reply {
  const { title, text } = pageTexts[language].links.dead;
  return noticePage(title, text, 400, { language });
}

/** Returns the page of a link: a form, or a message that the link doesn't work. */
export function showLinkPage(ctx: Context, page: LinkPage, path: string, token: string): Reply {
  const language = chooseLanguage(ctx.request.acceptLanguage);
  return isLinkUsable(ctx, page, token) ? formPage(ctx, { page, path, token, language }) : deadLinkPage(language);
}

interface LinkForm {
  page: LinkPage;
  path: string;
  token: string;
  language: Language;
  /** What is wrong with the new password. */
  problem?: string;
}

function formPage({ config }: App, { page, path, token, language, problem }: LinkForm): Reply {
  const { links } = pageTexts[language];
  const { title, text, button } = links.pages[page];
  const field = page === 'password_reset' ? passwordField(links, config.accounts.password_min_length, problem) : null;
  const main = html`<main class="alone"><section class="card"><h1>${title}</h1>
<p>${text}</p>
<form method="post" action="${path}"><input type="hidden" name="token" value="${token}">${field}<button class="button" type="submit">${button}</button></form></section></main>`;
  return framedPage(title, main, problem === undefined ? 200 : 400, { language });
}

function passwordField(texts: LinkTexts, minimum: number, problem: string | undefined): Html {
  const hint = html`<span class="hint">${texts.passwordHint(minimum)}</span>`;
  if (problem === undefined) {
    return html`<div><label>${texts.newPassword} ${hint}<input name="new_password" type="password" autocomplete="new-password" required></label></div>`;
  }
  return html`<div><label>${texts.newPassword} ${hint}<input name="new_password" type="password" autocomplete="new-password" required aria-invalid="true" aria-describedby="problem"></label><p class="problem" id="problem" role="alert">${texts.passwordProblem(problem)}</p></div>`;
}

/** Returns the page shown after success, with a link to sign in. */
function donePage({ title, text }: Heading, language: Language): Reply {
  const main = html`<main class="alone"><section class="card"><h1>${title}</h1><p>${text}</p>
<p><a class="button second" href="${SIGN_IN_PATH}">${pageTexts[language].links.signIn}</a></p></section></main>`;
  return framedPage(title, main, 200, { language });
}

/** Returns the operation's response for programs, or a page for people who submitted the form. */
export function answerLink<Answer>(ctx: Context, page: LinkPage | 'review_additions', answer: Answer): Answer | Reply {
  if (!isSentByForm(ctx.request)) return answer;
  const language = chooseLanguage(ctx.request.acceptLanguage);
  const { pages, review } = pageTexts[language].links;
  return donePage(page === 'review_additions' ? review.done : pages[page].done, language);
}

/** Returns how an operation shows a rejected form: the form again if another password helps, or an error page. */
export function refusalOf(page: LinkPage): (app: App, refusal: FormRefusal) => Reply {
  return (app, { error, fields, path, acceptLanguage }) => {
    const token = fields.token ?? '';
    const language = chooseLanguage(acceptLanguage);
    if (error.code !== 'validation_error' && error.code !== 'invalid_input') return failedPage(error, language);
    if (error.code !== 'validation_error' || !isLinkUsable(app, page, token)) return deadLinkPage(language);
    return formPage(app, { page, path, token, language, problem: error.message });
  };
}

/** Returns a page with the reason why a form failed that isn't about its fields. */
export function failedPage({ message, status }: FormRefusal['error'], language: Language): Reply {
  const { statuses, refused } = pageTexts[language].errors;
  // Messages are in English.
  const known: Partial<Record<number, Heading>> = statuses;
  const text = language === 'en' ? message : (known[status] ?? refused).text;
  return noticePage(refused.title, text, status, { language });
}
