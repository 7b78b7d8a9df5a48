// The pages behind links in mails. Looking at one uses nothing up, so that programs which open links ahead of people do no
// harm: a button sends the token.

import type { App, Context } from '../core/context.ts';
import { isLinkUsable, type LinkKind } from '../developers/links.ts';
import { isSentByForm } from '../http/forms.ts';
import type { FormRefusal } from '../http/operation.ts';
import type { Reply } from '../http/reply.ts';
import { type Html, html } from '../lib/html.ts';
import { framedPage, noticePage } from '../pages/frame.ts';

const SIGN_IN_PATH = '/sign-in';

export interface LinkPage {
  kind: LinkKind;
  title: string;
  text: string;
  button: string;
  /** Whether the form asks for a new password too. */
  asksPassword?: boolean;
  done: { title: string; text: string };
}

export const verifyPage: LinkPage = {
  kind: 'verify_email',
  title: 'Confirm your e-mail address',
  text: 'One more step: say that this address is yours and that you made the account.',
  button: 'Confirm the address',
  done: { title: 'The address is confirmed', text: 'The account can be used now. You can close this page.' },
};

export const resetPage: LinkPage = {
  kind: 'password_reset',
  title: 'Set a new password',
  text: 'It replaces the old one, and you are signed out everywhere.',
  button: 'Set the password',
  asksPassword: true,
  done: { title: 'The password is set', text: 'Sign in with it. You can close this page.' },
};

export const changePage: LinkPage = {
  kind: 'change_email',
  title: 'Confirm your new e-mail address',
  text: 'From then on you sign in with this address, and no longer with the old one.',
  button: 'Use this address',
  done: { title: 'The address is changed', text: 'Sign in with it from now on. You can close this page.' },
};

function deadLinkPage(): Reply {
  return noticePage(
    'This link does not work',
    'It was used, has expired, was replaced or is not complete. Ask for a new one.',
    400,
  );
}

/** The page of a link: a button, or the word that the link does not work. */
export function showLinkPage(ctx: Context, page: LinkPage, path: string, token: string): Reply {
  return isLinkUsable(ctx, page.kind, token) ? formPage(ctx, page, path, token) : deadLinkPage();
}

function formPage({ config }: App, page: LinkPage, path: string, token: string, problem?: string): Reply {
  const field = page.asksPassword === true ? passwordField(config.accounts.password_min_length, problem) : null;
  const main = html`<main class="alone"><section class="card"><h1>${page.title}</h1>
<p>${page.text}</p>
<form method="post" action="${path}"><input type="hidden" name="token" value="${token}">${field}<button class="button" type="submit">${page.button}</button></form></section></main>`;
  return framedPage(page.title, main, problem === undefined ? 200 : 400);
}

function passwordField(minimum: number, problem: string | undefined): Html {
  const hint = html`<span class="hint">${`At least ${minimum} characters`}</span>`;
  if (problem === undefined) {
    return html`<div><label>New password ${hint}<input name="new_password" type="password" autocomplete="new-password" required></label></div>`;
  }
  return html`<div><label>New password ${hint}<input name="new_password" type="password" autocomplete="new-password" required aria-invalid="true" aria-describedby="problem"></label><p class="problem" id="problem" role="alert">${problem}</p></div>`;
}

/** Says that it worked, and leads on. */
function donePage({ title, text }: LinkPage['done']): Reply {
  const main = html`<main class="alone"><section class="card"><h1>${title}</h1><p>${text}</p>
<p><a class="button second" href="${SIGN_IN_PATH}">Sign in</a></p></section></main>`;
  return framedPage(title, main, 200);
}

/** The answer of an operation to a program, or a page to a person who pressed the button. */
export function answerLink<Answer>(ctx: Context, page: LinkPage, answer: Answer): Answer | Reply {
  return isSentByForm(ctx.request) ? donePage(page.done) : answer;
}

/** How an operation shows a refused form: the form again where another password helps, else what is wrong. */
export function refusalOf(page: LinkPage): (app: App, refusal: FormRefusal) => Reply {
  return (app, { error, fields, path }) => {
    const token = fields.token ?? '';
    if (error.code !== 'validation_error' && error.code !== 'invalid_input') {
      return noticePage('That did not work', error.message, error.status);
    }
    if (error.code !== 'validation_error' || !isLinkUsable(app, page.kind, token)) return deadLinkPage();
    return formPage(app, page, path, token, error.message.replace(/^(?:Input|String) should/, 'This should'));
  };
}
