// The pages of channels that aren't public, for people without access. They don't name the app.
import type { Language } from '../../languages.ts';
import { type Html, html } from '../../lib/html.ts';
import { pageTexts } from '../../page-texts/catalog.ts';
import type { Heading, InstallTexts } from '../../page-texts/install-texts.ts';
import { signOf } from '../../pages/signs.ts';
import { boundName } from './format.ts';
import { renderDocument } from './render.ts';
import type { AccessState } from './view.ts';

/** Renders the page of an access state: a complete document that shows nothing about the channel. */
export function renderAccessPage(state: AccessState, locale: Language): Html {
  const texts = pageTexts[locale].install;
  const { words, action } = contentOf(state, texts);
  const card = html`<section class="card">${signOf(state.kind)}<h1>${words.title}</h1><p>${words.text}</p>${action}</section>`;
  return renderDocument(texts, words.title, html`<main class="alone">${card}</main>`);
}

function contentOf(state: AccessState, texts: InstallTexts): { words: Heading; action: Html | null } {
  switch (state.kind) {
    case 'sign_in':
      return { words: texts.signIn, action: button(state.signInUrl, texts.signInButton) };
    case 'no_access':
      return {
        words: texts.noAccess(boundName(state.email)),
        action: html`${state.requestUrl && html`<form method="post" action="${state.requestUrl}"><p><button class="button">${texts.askForAccess}</button></p></form>`}
<p><a class="button second" href="${state.signInUrl}">${texts.otherAccount}</a></p>`,
      };
    case 'access_asked':
      return { words: state.sendsMail ? texts.accessAsked : texts.accessAskedUnmailed, action: null };
    case 'asked_too_often':
      return { words: texts.askedTooOften(state.most), action: null };
    case 'verify_email':
      return {
        words: (state.sendsMail ? texts.verifyEmail : texts.askOperatorToVerify)(boundName(state.email)),
        action: button(state.accountUrl, texts.openAccount),
      };
    case 'two_factor_needed':
      return { words: texts.twoFactorNeeded, action: button(state.accountUrl, texts.openAccount) };
    case 'sign_in_otherwise':
      return {
        words: texts.signInOtherwise,
        action: html`${button(state.signInUrl, texts.signInButton)}<p><a class="button second" href="${state.accountUrl}">${texts.openAccount}</a></p>`,
      };
  }
}

function button(url: string, label: string): Html {
  return html`<p><a class="button" href="${url}">${label}</a></p>`;
}
