// The content of the page in each of its states: the one thing to do and the facts about it.

import { unknownApp } from '../../compatibility/phone.ts';
import { type Html, html } from '../../lib/html.ts';
import type { Heading, InstallTexts } from '../../page-texts/install-texts.ts';
import { drawnSteps } from '../../pages/drawings.ts';
import { checkMark, signOf } from '../../pages/signs.ts';
import { platformFacts } from '../../platforms.ts';
import { boundName, formatDay } from './format.ts';
import { browserLink, installLink } from './links.ts';
import { addressBox, heading, helpCard, linkExpiry, noticeCards, qrFigure, stateCard, stepList } from './parts.ts';
import { androidSteps, iosSteps } from './steps.ts';
import type { AppView, InstallState, InstallView, Provisioning } from './view.ts';

type StateOf<Kind extends InstallState['kind']> = Extract<InstallState, { kind: Kind }>;

/** The two parts of a page below the app's name: what to do, and help that follows the release notes. */
export interface Sections {
  action: Html;
  help: Html | null;
}

/** Returns the body of a page that shows its app, below the app's name. */
export function stateSections(view: InstallView, app: AppView, texts: InstallTexts): Sections {
  if (view.state.kind === 'ready') return readySections(view, view.state, app, texts);
  return { action: actionOf(view, view.state, app, texts), help: null };
}

function actionOf(
  view: InstallView,
  state: Exclude<InstallState, StateOf<'ready'>>,
  app: AppView,
  texts: InstallTexts,
): Html {
  switch (state.kind) {
    case 'desktop':
      return desktopSections(view, state, app, texts);
    case 'in_app_browser':
      return inAppSections(view, state, app, texts);
    case 'os_too_old': {
      const words = texts.osTooOld(state.needed, state.actual, texts.device[state.device]);
      return stateCard(state.kind, words, stepList(texts.osTooOldSteps[state.device]));
    }
    case 'not_provisioned':
      return notProvisionedSections(state, texts);
    case 'wrong_platform':
      return html`${elsewhereCard(view, texts.platforms[app.platform].wrongPlatform(texts.device[state.device]), texts)}${signInLine(view, state, texts)}`;
    case 'wrong_family':
      return elsewhereCard(view, texts.wrongFamily(texts.device[state.device]), texts);
    case 'superseded':
      return stateCard(
        state.kind,
        texts.superseded,
        html`<p><a class="button" href="${state.currentUrl}">${texts.showCurrent}</a></p>`,
      );
    default:
      return stateCard(state.kind, plainWords(state, texts));
  }
}

/** Returns the texts of a state that needs only a heading and a paragraph. */
export function plainWords(
  state: StateOf<
    'profile_expired' | 'not_installable' | 'https_needed' | 'locked' | 'nothing_released' | 'link_expired'
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
  }
}

function readySections(view: InstallView, state: StateOf<'ready'>, app: AppView, texts: InstallTexts): Sections {
  const isIos = state.target.platform === 'ios';
  const device = texts.device[state.device];
  const button = isIos ? texts.install : texts.downloadAndInstall;
  const causes = isIos ? iosTrouble(state.provisioning, device, texts) : texts.androidTrouble;
  const action = html`${noticeCards(state.notices, view.now, texts)}
<section class="bare">${readyLine(state.provisioning, device, texts)}<p><a class="button" href="${installLink(state.target)}">${button}</a></p>${isIos ? null : downloadLine(texts)}${registrationLine(state.provisioning, device, texts)}${linkExpiry(state.notices, view.now, texts)}</section>
<section class="part"><h2>${texts.nextSteps}</h2>${readySteps(state, app, texts)}</section>`;
  return { action, help: helpCard(causes, texts) };
}

function readySteps(state: StateOf<'ready'>, app: AppView, texts: InstallTexts): Html {
  const { target } = state;
  if (target.platform === 'ios') return drawnSteps(iosSteps(target, app, texts.device[state.device], texts));
  return state.hasOldSettings ? stepList(texts.oldAndroidSteps) : drawnSteps(androidSteps(app, texts));
}

/**
 * What the browser does after the tap, in place of a hint. Without a script, the page knows of the tap only because
 * the link has the focus then.
 */
function downloadLine(texts: InstallTexts): Html {
  return html`<p class="quiet swap"><span>${texts.beforeDownload}</span><span>${texts.afterDownload}</span></p>`;
}

function desktopSections(view: InstallView, state: StateOf<'desktop'>, app: AppView, texts: InstallTexts): Html {
  const link = installLink(state.target);
  const words = view.platforms === undefined ? texts.platforms[app.platform].desktop : texts.allPlatforms;
  const direct =
    app.platform === 'android'
      ? view.platforms === undefined &&
        html`<p><a class="button second" href="${link}">${texts.downloadPackage}</a></p>`
      : state.couldBeIpad &&
        html`<p><a class="button second" href="${link}">${texts.installOnIpad}</a></p><p class="quiet">${texts.installOnIpadHint}</p>`;
  const card = html`<section class="card${state.couldBeIpad && ' untouched'}">${heading(words)}${qrFigure(view, texts)}${addressBox(view.pageUrl, texts.sendLink)}${direct}${linkExpiry(state.notices, view.now, texts)}</section>`;
  // With several platforms, each has its own notices.
  return html`${view.platforms === undefined ? noticeCards(state.notices, view.now, texts) : null}
${state.couldBeIpad ? html`${ipadSections(view, state, app, texts)}${card}` : card}`;
}

/**
 * Returns the content for an iPad that identifies itself as a Mac. The stylesheet shows it only on touch screens, which
 * Macs don't have.
 */
function ipadSections(view: InstallView, state: StateOf<'desktop'>, app: AppView, texts: InstallTexts): Html {
  const { target, provisioning, notices } = state;
  const device = texts.device.ipad;
  const steps = target.platform === 'ios' ? drawnSteps(iosSteps(target, app, device, texts)) : null;
  return html`<div class="touched"><section class="bare">${readyLine(provisioning, device, texts)}<p><a class="button" href="${installLink(target)}">${texts.install}</a></p>${registrationLine(provisioning, device, texts)}${linkExpiry(notices, view.now, texts)}</section>
<section class="part"><h2>${texts.nextSteps}</h2>${steps}</section>
${helpCard(iosTrouble(provisioning, device, texts), texts)}</div>
`;
}

function notProvisionedSections(state: StateOf<'not_provisioned'>, texts: InstallTexts): Html {
  const device = texts.device[state.device];
  const [words, steps] = state.isRegistered
    ? [texts.awaitingBuild(device), texts.awaitingBuildSteps(device)]
    : [texts.notRegistered(device), texts.notRegisteredSteps(device)];
  return html`${stateCard(state.isRegistered ? 'awaiting_build' : state.kind, words, stepList(steps))}
<section class="bare"><p class="quiet">${texts.otherDevice(device)}</p><p><a class="button second" href="${installLink(state.target)}">${texts.tryHere}</a></p></section>`;
}

/** Returns the card for an app that can't be installed here, with the link for another device. */
function elsewhereCard(view: InstallView, words: Heading, texts: InstallTexts): Html {
  return html`<section class="card">${signOf(view.state.kind)}${heading(words)}${qrFigure(view, texts)}${addressBox(view.pageUrl, texts.linkToPage)}</section>`;
}

/** Whether the app is available for this phone shows only after the sign-in. */
function signInLine({ signInUrl }: InstallView, state: StateOf<'wrong_platform'>, texts: InstallTexts): Html | null {
  if (signInUrl === undefined) return null;
  return html`<section class="bare"><p class="quiet">${texts.signInForPlatform(texts.device[state.device])}</p><p><a class="button second" href="${signInUrl}">${texts.signInButton}</a></p></section>`;
}

function readyLine(provisioning: Provisioning, device: string, texts: InstallTexts): Html | null {
  return provisioning === 'named' ? html`<p class="ready">${checkMark()}${texts.registered(device)}</p>` : null;
}

function registrationLine(provisioning: Provisioning, device: string, texts: InstallTexts): Html | null {
  return provisioning === 'unknown' ? html`<p class="quiet">${texts.registeredOnly(device)}</p>` : null;
}

function inAppSections(view: InstallView, state: StateOf<'in_app_browser'>, app: AppView, texts: InstallTexts): Html {
  const { browser } = platformFacts[app.platform];
  const link = browserLink(view.pageUrl, app.platform, state.app);
  const words = texts.inApp(state.app === unknownApp ? null : boundName(state.app), browser);
  return html`${noticeCards(state.notices, view.now, texts)}
<section class="card">${signOf(state.kind)}${heading(words)}
${link && html`<p><a class="button" href="${link}">${texts.openIn(browser)}</a></p><p class="quiet">${texts.ifThatFails}</p>`}
${stepList(texts.platforms[app.platform].inAppSteps)}
${addressBox(view.pageUrl, texts.linkToPage)}
<p><a class="button second" href="${installLink(state.target)}">${texts.tryHere}</a></p>${linkExpiry(state.notices, view.now, texts)}</section>`;
}

function iosTrouble(provisioning: Provisioning, device: string, texts: InstallTexts): Heading[] {
  return [...(provisioning === 'unknown' ? [texts.iosNotRegistered(device)] : []), ...texts.iosTrouble(device)];
}
