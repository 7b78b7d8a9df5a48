// The install page as a complete document.

import type { Language } from '../../languages.ts';
import { type Html, html } from '../../lib/html.ts';
import { pageTexts } from '../../page-texts/catalog.ts';
import type { Heading, InstallTexts } from '../../page-texts/install-texts.ts';
import { darkPalette, installIcon, installStylesheet, lightPalette } from '../../pages/styles.ts';
import { boundName } from './format.ts';
import { appHeader, releaseCards } from './parts.ts';
import { plainWords, stateSections } from './states.ts';
import type { AppView, InstallView } from './view.ts';

/**
 * Renders an install page: a complete document under 30 KB that works without scripts and under
 * `installContentSecurityPolicy`. Pages of expired and unknown links show nothing about the app.
 */
export function renderInstallPage(view: InstallView, locale: Language): Html {
  const texts = pageTexts[locale].install;
  const { state, app } = view;
  if (state.kind === 'link_expired' || state.kind === 'not_found') {
    return renderLonePage(texts, plainWords(state, texts));
  }
  if (app === null) throw new TypeError(`A page in the state ${state.kind} shows an app`);
  return renderDocument(texts, texts.pageTitle(boundName(app.name)), renderAppPage(view, app, texts));
}

function renderAppPage(view: InstallView, app: AppView, texts: InstallTexts): Html {
  const release = releaseCards(app, texts);
  const action = stateSections(view, app, texts);
  if (view.state.kind !== 'desktop') return html`<main>${appHeader(app, view.now, texts)}${action}${release}</main>`;
  return html`<main class="wide">${appHeader(app, view.now, texts)}${action}<div class="side">${release}</div></main>`;
}

function renderLonePage(texts: InstallTexts, { title, text }: Heading): Html {
  const words = html`<section class="card"><h1>${title}</h1><p>${text}</p></section>`;
  return renderDocument(texts, title, html`<main class="alone">${words}</main>`);
}

/** Renders a phone page around its main part. `title` is untrusted text. */
export function renderDocument(texts: Pick<InstallTexts, 'language' | 'direction'>, title: string, main: Html): Html {
  return html`<!doctype html>
<html lang="${texts.language}" dir="${texts.direction}">
<head>
<meta charset="utf-8">
<title>${title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<meta name="robots" content="noindex, nofollow">
<meta name="referrer" content="no-referrer">
<meta name="format-detection" content="telephone=no">
<meta name="theme-color" content="${lightPalette.ground}" media="(prefers-color-scheme: light)">
<meta name="theme-color" content="${darkPalette.ground}" media="(prefers-color-scheme: dark)">
<link rel="icon" href="${installIcon.path}" type="image/svg+xml">
<link rel="stylesheet" href="${installStylesheet.path}">
</head>
<body>
${main}
</body>
</html>
`;
}
