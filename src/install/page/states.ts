// What the page says in each of its states: the one thing to do, and what to know about it.

import { type Html, html } from '../../platform/html.ts';
import { unknownApp } from '../phone.ts';
import { boundName, formatDay } from './format.ts';
import { browserLink, installLink } from './links.ts';
import type { Heading, Texts } from './locales/texts.ts';
import { addressBox, heading, linkExpiry, noticeCards, qrFigure, stepList, troubleCard } from './parts.ts';
import type { AppView, InstallState, InstallView } from './view.ts';

type StateOf<Kind extends InstallState['kind']> = Extract<InstallState, { kind: Kind }>;

/** The body of a page that shows its app, below the app's name. */
export function stateSections(view: InstallView, app: AppView, texts: Texts): Html {
  const { state } = view;
  switch (state.kind) {
    case 'ready':
      return readySections(view, state, app, texts);
    case 'desktop':
      return desktopSections(view, state, app, texts);
    case 'in_app_browser':
      return inAppSections(view, state, app, texts);
    case 'os_too_old': {
      const words = texts.osTooOld(state.needed, state.actual, texts.device[state.device]);
      return html`<section class="card">${heading(words)}${stepList(texts.osTooOldSteps[state.device])}</section>`;
    }
    case 'wrong_platform': {
      const words = texts.wrongPlatform(app.platform, texts.device[state.device]);
      return html`<section class="card">${heading(words)}${qrFigure(view, texts)}${addressBox(view.pageUrl, texts.linkToPage)}</section>`;
    }
    default:
      return html`<section class="card">${heading(plainWords(state, texts))}</section>`;
  }
}

/** The words of a state that needs no more than a heading and a paragraph. */
export function plainWords(
  state: StateOf<
    'profile_expired' | 'not_installable' | 'https_needed' | 'nothing_released' | 'link_expired' | 'not_found'
  >,
  texts: Texts,
): Heading {
  switch (state.kind) {
    case 'profile_expired':
      return texts.profileExpired(formatDay(state.expiredAt, texts.language));
    case 'not_installable':
      return texts.notInstallable[state.reason];
    case 'https_needed':
      return texts.httpsNeeded;
    case 'nothing_released':
      return texts.nothingReleased;
    case 'link_expired':
      return texts.linkExpired;
    case 'not_found':
      return texts.notFound;
  }
}

function readySections(view: InstallView, state: StateOf<'ready'>, app: AppView, texts: Texts): Html {
  const isIos = state.target.platform === 'ios';
  const device = texts.device[state.device];
  const button = isIos ? texts.install : texts.downloadAndInstall;
  const steps = isIos ? iosSteps(app, device, texts) : texts.androidSteps;
  const causes = isIos ? iosTrouble(app, device, texts) : texts.androidTrouble;
  return html`${noticeCards(state.notices, view.now, texts)}
<section class="bare"><p><a class="button" href="${installLink(state.target)}">${button}</a></p>${linkExpiry(state.notices, view.now, texts)}</section>
<section class="card"><h2>${texts.nextSteps}</h2>${stepList(steps)}</section>
${troubleCard(causes, texts)}`;
}

function desktopSections(view: InstallView, state: StateOf<'desktop'>, app: AppView, texts: Texts): Html {
  const link = installLink(state.target);
  const device = texts.device.ipad;
  const direct =
    app.platform === 'android'
      ? html`<p><a class="button second" href="${link}">${texts.downloadPackage}</a></p>`
      : state.couldBeIpad &&
        html`<p><a class="button second" href="${link}">${texts.installOnIpad}</a></p><p class="quiet">${texts.installOnIpadHint}</p>`;
  const steps =
    state.couldBeIpad &&
    html`<details class="card"><summary>${texts.nextStepsOnIpad}</summary>${stepList(iosSteps(app, device, texts))}</details>
${troubleCard(iosTrouble(app, device, texts), texts)}`;
  return html`<div class="action">${noticeCards(state.notices, view.now, texts)}
<section class="card">${heading(texts.desktop(app.platform))}${qrFigure(view, texts)}${addressBox(view.pageUrl, texts.sendLink)}${direct}${linkExpiry(state.notices, view.now, texts)}</section>
${steps}</div>`;
}

function inAppSections(view: InstallView, state: StateOf<'in_app_browser'>, app: AppView, texts: Texts): Html {
  const browser = app.platform === 'ios' ? 'Safari' : 'Chrome';
  const link = browserLink(view.pageUrl, app.platform, state.app);
  const words = texts.inApp(state.app === unknownApp ? null : boundName(state.app), browser);
  return html`${noticeCards(state.notices, view.now, texts)}
<section class="card">${heading(words)}
${link && html`<p><a class="button" href="${link}">${texts.openIn(browser)}</a></p><p class="quiet">${texts.ifThatFails}</p>`}
${stepList(texts.inAppSteps[app.platform])}
${addressBox(view.pageUrl, texts.linkToPage)}
<p><a class="button second" href="${installLink(state.target)}">${texts.tryHere}</a></p>${linkExpiry(state.notices, view.now, texts)}</section>`;
}

function iosSteps(app: AppView, device: string, texts: Texts): string[] {
  const profile = app.release?.profileKind ?? null;
  return [
    ...texts.iosSteps(boundName(app.name), device),
    ...(profile === 'enterprise' ? [texts.iosTrustStep] : []),
    ...(profile === 'development' ? [texts.iosDeveloperModeStep] : []),
  ];
}

function iosTrouble(app: AppView, device: string, texts: Texts): Heading[] {
  const profile = app.release?.profileKind ?? null;
  const needsRegistration = profile === 'ad-hoc' || profile === 'development';
  return [...(needsRegistration ? [texts.iosNotRegistered(device)] : []), ...texts.iosTrouble(device)];
}
