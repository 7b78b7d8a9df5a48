// The install page as a complete document.

import type { Language } from '../../languages.ts';
import { type Html, html } from '../../lib/html.ts';
import { pageTexts } from '../../page-texts/catalog.ts';
import type { Heading, InstallTexts } from '../../page-texts/install-texts.ts';
import { accentIn, accentStylesheet } from '../../pages/accent.ts';
import { font } from '../../pages/font.ts';
import { signOf } from '../../pages/signs.ts';
import { darkPalette, installIcon, installStylesheet, lightPalette, type Palette } from '../../pages/styles.ts';
import { boundName } from './format.ts';
import { appHeader, feedbackLink, releaseSections, screenshotSection } from './parts.ts';
import { platformNames, platformSection } from './platforms.ts';
import { plainWords, stateSections } from './states.ts';
import { type AppView, type InstallView, showsQrCode } from './view.ts';

/**
 * Renders an install page: a complete document under 30 KB that works without scripts and under
 * `installContentSecurityPolicy`. The pages of an expired or unknown link and of a revoked build show nothing about the app.
 */
export function renderInstallPage(view: InstallView, locale: Language): Html {
  const texts = pageTexts[locale].install;
  const { state, app } = view;
  if (state.kind === 'link_expired' || state.kind === 'build_revoked') {
    return renderLonePage(texts, state.kind, plainWords(state, texts));
  }
  if (app === null) throw new TypeError(`A page in the state ${state.kind} shows an app`);
  return renderDocument(texts, texts.pageTitle(boundName(app.name)), renderAppPage(view, app, texts), app.color);
}

function renderAppPage(view: InstallView, app: AppView, texts: InstallTexts): Html {
  if (view.platforms !== undefined) return renderPlatformsPage(view, app, view.platforms, texts);
  const head = appHeader(app, view.now, texts);
  const release = releaseSections(app, texts);
  const { action: main, help } = stateSections(view, app, texts);
  const action = html`${main}${passkeyOffer(view, texts)}`;
  const screenshots = screenshotSection(app, texts);
  const feedback = feedbackLink(app, texts);
  if (!showsQrCode(view.state))
    return html`<main>${head}${action}${release.notes}${screenshots}${help}${release.details}${feedback}</main>`;
  return html`<main class="wide">${head}<div class="action">${action}</div><div class="side">${release.notes}${screenshots}${help}${release.details}${feedback}</div></main>`;
}

function passkeyOffer({ passkeyUrl }: InstallView, texts: InstallTexts): Html | null {
  if (passkeyUrl == null) return null;
  return html`<section class="part"><p>${texts.passkeyOffer} <a href="${passkeyUrl}">${texts.addPasskey}</a></p></section>`;
}

/** The page on computers for an app with several platforms: one QR code, and what each platform has. */
function renderPlatformsPage(
  view: InstallView,
  app: AppView,
  { all, stateApp }: NonNullable<InstallView['platforms']>,
  texts: InstallTexts,
): Html {
  const head = appHeader(app, view.now, texts, platformNames(all));
  const pictured = all.find((platform) => (platform.app.screenshots ?? []).length > 0)?.app ?? app;
  const sections = html`${all.map((platform) => platformSection(platform, view.now, texts))}${screenshotSection(pictured, texts)}${feedbackLink(app, texts)}`;
  if (!showsQrCode(view.state)) return html`<main>${head}${sections}</main>`;
  const { action } = stateSections(view, stateApp, texts);
  return html`<main class="wide">${head}<div class="action">${action}</div><div class="side">${sections}</div></main>`;
}

function renderLonePage(texts: InstallTexts, state: string, { title, text }: Heading): Html {
  const words = html`<section class="card">${signOf(state)}<h1>${title}</h1><p>${text}</p></section>`;
  return renderDocument(texts, title, html`<main class="alone">${words}</main>`);
}

/** Renders a phone page around its main part. `title` is untrusted text; `color` is the accent, `#rrggbb`. */
export function renderDocument(
  texts: Pick<InstallTexts, 'language' | 'direction'>,
  title: string,
  main: Html,
  color: string | null = null,
): Html {
  const top = (palette: Palette) => (color === null ? palette.wash : accentIn(palette, color).wash);
  return html`<!doctype html>
<html lang="${texts.language}" dir="${texts.direction}">
<head>
<meta charset="utf-8">
<title>${title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<meta name="robots" content="noindex, nofollow">
<meta name="format-detection" content="telephone=no">
<meta name="theme-color" content="${top(lightPalette)}" media="(prefers-color-scheme: light)">
<meta name="theme-color" content="${top(darkPalette)}" media="(prefers-color-scheme: dark)">
<link rel="icon" href="${installIcon.path}" type="image/svg+xml">
<link rel="stylesheet" href="${installStylesheet.path}">
<link rel="preload" href="${font.path}" as="font" type="${font.mediaType}" crossorigin>
${color !== null && html`<link rel="stylesheet" href="${accentStylesheet(color).path}">`}
</head>
<body>
${main}
</body>
</html>
`;
}
