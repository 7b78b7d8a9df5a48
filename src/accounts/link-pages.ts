// The pages of links in emails. Opening a page doesn't use the link, because mail programs open links automatically. A
// button submits the token.

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
  /** Whether the form also has a field for a new password. */
  asksPassword?: boolean;
  done: { title: string; text: string };
}

export const verifyPage: LinkPage = {
  kind: 'verify_email',
  title: 'Confirm your email address',
  text: 'Confirm that this address is yours and that you created the account.',
  button: 'Confirm email address',
  done: { title: 'Email address confirmed', text: 'You can now use your account and close this page.' },
};

export const resetPage: LinkPage = {
  kind: 'password_reset',
  title: 'Set new password',
  text: 'Your old password will be replaced, and you will be signed out on all devices.',
  button: 'Set password',
  asksPassword: true,
  done: { title: 'Password changed', text: 'Sign in with your new password. You can close this page.' },
};

export const changePage: LinkPage = {
  kind: 'change_email',
  title: 'Confirm your new email address',
  text: 'From now on you sign in with this address instead of the old one.',
  button: 'Confirm email address',
  done: { title: 'Email address changed', text: 'Sign in with your new address. You can close this page.' },
};

function deadLinkPage(): Reply {
  return noticePage(
    'This link doesn’t work',
    'It was already used or replaced, or it has expired or is incomplete. Request a new one.',
    400,
  );
}

/** Returns the page of a link: a form, or a message that the link doesn't work. */
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

/** Returns the page shown after success, with a link to sign in. */
function donePage({ title, text }: LinkPage['done']): Reply {
  const main = html`<main class="alone"><section class="card"><h1>${title}</h1><p>${text}</p>
<p><a class="button second" href="${SIGN_IN_PATH}">Sign in</a></p></section></main>`;
  return framedPage(title, main, 200);
}

/** Returns the operation's response for programs, or a page for people who submitted the form. */
export function answerLink<Answer>(ctx: Context, page: LinkPage, answer: Answer): Answer | Reply {
  return isSentByForm(ctx.request) ? donePage(page.done) : answer;
}

/** Returns how an operation shows a rejected form: the form again if another password helps, or an error page. */
export function refusalOf(page: LinkPage): (app: App, refusal: FormRefusal) => Reply {
  return (app, { error, fields, path }) => {
    const token = fields.token ?? '';
    if (error.code !== 'validation_error' && error.code !== 'invalid_input') {
      return noticePage('Request failed', error.message, error.status);
    }
    if (error.code !== 'validation_error' || !isLinkUsable(app, page.kind, token)) return deadLinkPage();
    return formPage(app, page, path, token, error.message.replace(/^(?:Input|String) should/, 'Must'));
  };
}
