// The content of the page in each of its states: the one thing to do and the facts about it.

import { unknownApp } from '../../compatibility/phone.ts';
import { type Html, html } from '../../lib/html.ts';
import type { Heading, InstallTexts } from '../../page-texts/install-texts.ts';
import { platformFacts } from '../../platforms.ts';
import { boundName, formatDay } from './format.ts';
import { browserLink, installLink } from './links.ts';
import { addressBox, heading, helpCard, linkExpiry, noticeCards, qrFigure, stepList } from './parts.ts';
import type { AppView, InstallState, InstallView, Provisioning } from './view.ts';

type StateOf<Kind extends InstallState['kind']> = Extract<InstallState, { kind: Kind }>;

/** Returns the body of a page that shows its app, below the app's name. */
export function stateSections(view: InstallView, app: AppView, texts: InstallTexts): Html {
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
    case 'not_provisioned':
      return notProvisionedSections(state, texts);
    case 'wrong_platform':
      return elsewhereCard(view, texts.platforms[app.platform].wrongPlatform(texts.device[state.device]), texts);
    case 'wrong_family':
      return elsewhereCard(view, texts.wrongFamily(texts.device[state.device]), texts);
    case 'superseded':
      return html`<section class="card">${heading(texts.superseded)}<p><a class="button" href="${state.currentUrl}">${texts.showCurrent}</a></p></section>`;
    default:
      return html`<section class="card">${heading(plainWords(state, texts))}</section>`;
  }
}

/** Returns the texts of a state that needs only a heading and a paragraph. */
export function plainWords(
  state: StateOf<
    | 'profile_expired'
    | 'not_installable'
    | 'https_needed'
    | 'locked'
    | 'nothing_released'
    | 'link_expired'
    | 'not_found'
  >,
  texts: InstallTexts,
): Heading {
  switch (state.kind) {
    case 'profile_expired':
      return texts.profileExpired(formatDay(state.expiredAt, texts.language));
    case 'not_installable':
      return texts.notInstallable[state.reason];
    case 'https_needed':
      return texts.httpsNeeded;
    case 'locked':
      return texts.locked;
    case 'nothing_released':
      return texts.nothingReleased;
    case 'link_expired':
      return texts.linkExpired;
    case 'not_found':
      return texts.notFound;
  }
}

function readySections(view: InstallView, state: StateOf<'ready'>, app: AppView, texts: InstallTexts): Html {
  const isIos = state.target.platform === 'ios';
  const device = texts.device[state.device];
  const button = isIos ? texts.install : texts.downloadAndInstall;
  const androidSteps = state.hasOldSettings ? texts.oldAndroidSteps : texts.androidSteps;
  const steps = isIos ? iosSteps(app, device, texts) : androidSteps;
  const causes = isIos ? iosTrouble(state.provisioning, device, texts) : texts.androidTrouble;
  return html`${noticeCards(state.notices, view.now, texts)}
<section class="bare"><p><a class="button" href="${installLink(state.target)}">${button}</a></p>${provisioningLine(state.provisioning, device, texts)}${linkExpiry(state.notices, view.now, texts)}</section>
<section class="card"><h2>${texts.nextSteps}</h2>${stepList(steps)}</section>
${helpCard(causes, texts)}`;
}

function desktopSections(view: InstallView, state: StateOf<'desktop'>, app: AppView, texts: InstallTexts): Html {
  const link = installLink(state.target);
  const direct =
    app.platform === 'android'
      ? html`<p><a class="button second" href="${link}">${texts.downloadPackage}</a></p>`
      : state.couldBeIpad &&
        html`<p><a class="button second" href="${link}">${texts.installOnIpad}</a></p><p class="quiet">${texts.installOnIpadHint}</p>`;
  const card = html`<section class="card${state.couldBeIpad && ' untouched'}">${heading(texts.platforms[app.platform].desktop)}${qrFigure(view, texts)}${addressBox(view.pageUrl, texts.sendLink)}${direct}${linkExpiry(state.notices, view.now, texts)}</section>`;
  return html`<div class="action">${noticeCards(state.notices, view.now, texts)}
${state.couldBeIpad ? html`${ipadSections(view, state, app, texts)}${card}` : card}</div>`;
}

/**
 * Returns the content for an iPad that identifies itself as a Mac. The stylesheet shows it only on touch screens, which
 * Macs don't have.
 */
function ipadSections(view: InstallView, state: StateOf<'desktop'>, app: AppView, texts: InstallTexts): Html {
  const device = texts.device.ipad;
  return html`<div class="touched"><section class="bare"><p><a class="button" href="${installLink(state.target)}">${texts.install}</a></p>${provisioningLine(state.provisioning, device, texts)}${linkExpiry(state.notices, view.now, texts)}</section>
<section class="card"><h2>${texts.nextSteps}</h2>${stepList(iosSteps(app, device, texts))}</section>
${helpCard(iosTrouble(state.provisioning, device, texts), texts)}</div>
`;
}

function notProvisionedSections(state: StateOf<'not_provisioned'>, texts: InstallTexts): Html {
  const device = texts.device[state.device];
  const [words, steps] = state.isRegistered
    ? [texts.awaitingBuild(device), texts.awaitingBuildSteps(device)]
    : [texts.notRegistered(device), texts.notRegisteredSteps(device)];
  return html`<section class="card">${heading(words)}${stepList(steps)}</section>
<section class="bare"><p class="quiet">${texts.otherDevice(device)}</p><p><a class="button second" href="${installLink(state.target)}">${texts.tryHere}</a></p></section>`;
}

/** Returns the card for an app that can't be installed here, with the link for another device. */
function elsewhereCard(view: InstallView, words: Heading, texts: InstallTexts): Html {
  return html`<section class="card">${heading(words)}${qrFigure(view, texts)}${addressBox(view.pageUrl, texts.linkToPage)}</section>`;
}

function provisioningLine(provisioning: Provisioning, device: string, texts: InstallTexts): Html | null {
  if (provisioning === 'anybody') return null;
  return html`<p class="quiet">${provisioning === 'named' ? texts.registered(device) : texts.registeredOnly(device)}</p>`;
}

function inAppSections(view: InstallView, state: StateOf<'in_app_browser'>, app: AppView, texts: InstallTexts): Html {
  const { browser } = platformFacts[app.platform];
  const link = browserLink(view.pageUrl, app.platform, state.app);
  const words = texts.inApp(state.app === unknownApp ? null : boundName(state.app), browser);
  return html`${noticeCards(state.notices, view.now, texts)}
<section class="card">${heading(words)}
${link && html`<p><a class="button" href="${link}">${texts.openIn(browser)}</a></p><p class="quiet">${texts.ifThatFails}</p>`}
${stepList(texts.platforms[app.platform].inAppSteps)}
${addressBox(view.pageUrl, texts.linkToPage)}
<p><a class="button second" href="${installLink(state.target)}">${texts.tryHere}</a></p>${linkExpiry(state.notices, view.now, texts)}</section>`;
}

function iosSteps(app: AppView, device: string, texts: InstallTexts): string[] {
  const profile = app.release?.profileKind ?? null;
  return [
    ...texts.iosSteps(boundName(app.name), device),
    ...(profile === 'enterprise' ? [texts.iosTrustStep] : []),
    ...(profile === 'development' ? [texts.iosDeveloperModeStep] : []),
  ];
}

function iosTrouble(provisioning: Provisioning, device: string, texts: InstallTexts): Heading[] {
  return [...(provisioning === 'unknown' ? [texts.iosNotRegistered(device)] : []), ...texts.iosTrouble(device)];
}
