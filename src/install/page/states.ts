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
import type { AppView, InstallState, InstallView, Provisioning, Registration } from './view.ts';

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
    case 'nothing_released':
      return nothingReleasedSections(state, texts);
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
    | 'profile_expired'
    | 'not_installable'
    | 'https_needed'
    | 'locked'
    | 'nothing_released'
    | 'build_revoked'
    | 'link_expired'
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
    case 'build_revoked':
      return texts.buildRevoked;
    case 'link_expired':
      return texts.linkExpired;
  }
}

function readySections(view: InstallView, state: StateOf<'ready'>, app: AppView, texts: InstallTexts): Sections {
  const isIos = state.target.platform === 'ios';
  const device = texts.device[state.device];
  const button = isIos ? texts.install : texts.downloadAndInstall;
  const causes = isIos ? iosTrouble(state, device, texts) : texts.androidTrouble;
  const action = html`${noticeCards(state.notices, view.now, texts)}
<section class="bare">${readyLine(state.provisioning, device, texts)}<p><a class="button" href="${installLink(state.target)}">${button}</a></p>${isIos ? null : downloadLine(texts)}${registrationLine(state, device, texts)}${linkExpiry(state.notices, view.now, texts)}</section>
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
  return html`<div class="touched"><section class="bare">${readyLine(provisioning, device, texts)}<p><a class="button" href="${installLink(target)}">${texts.install}</a></p>${registrationLine(state, device, texts)}${linkExpiry(notices, view.now, texts)}</section>
<section class="part"><h2>${texts.nextSteps}</h2>${steps}</section>
${helpCard(iosTrouble(state, device, texts), texts)}</div>
`;
}

function notProvisionedSections(state: StateOf<'not_provisioned'>, texts: InstallTexts): Html {
  const device = texts.device[state.device];
  const { register = null, isRegistered, waits } = state;
  const [words, steps] = notProvisionedWords(state, device, texts);
  const label = isRegistered ? texts.askForBuild : texts.register(device);
  const action =
    waits === undefined && html`${signInHint(register, texts)}${registration(register, label, texts, true)}`;
  const tryHere = html`<p><a class="button second" href="${installLink(state.target)}">${texts.tryHere}</a></p>`;
  const card = stateCard(isRegistered ? 'awaiting_build' : state.kind, words, html`${stepList(steps)}${action}`);
  if (!isRegistered || register?.kind !== 'form') {
    return html`${card}
<section class="bare"><p class="quiet">${texts.otherDevice(device)}</p>${tryHere}</section>`;
  }
  // Another device may have the cookie of this browser, so a registered one can be registered again.
  const again = { ...register, url: `${register.url}?again=true` };
  return html`${card}
<details class="part"><summary>${texts.isOtherDevice(device)}</summary><p>${texts.otherDevice(device)}</p>${registration(again, texts.register(device), texts)}${tryHere}</details>`;
}

/** Before the first build, whose profile should already contain the device. */
function nothingReleasedSections(state: StateOf<'nothing_released'>, texts: InstallTexts): Html {
  const { kind, register = null, isRegistered = false, waits, isAtApple = false } = state;
  const device = texts.device[state.device ?? 'iphone'];
  if (waits !== undefined) {
    return stateCard(
      'awaiting_build',
      texts.waiting(device, isAtApple),
      stepList(texts.waitingSteps(device, waits === 'emailed')),
    );
  }
  const card = stateCard(kind, plainWords(state, texts));
  if (state.device === undefined || register === null) return card;
  const words = isRegistered ? texts.registeredEarly(device) : texts.registerEarly(device);
  const label = isRegistered ? texts.askForBuild : texts.register(device);
  return html`${card}
<section class="bare">${canRegister(register) ? html`<p class="quiet">${words}</p>` : signInHint(register, texts)}${registration(register, label, texts)}</section>`;
}

function notProvisionedWords(
  { isRegistered, register = null, waits, isAtApple = false }: StateOf<'not_provisioned'>,
  device: string,
  texts: InstallTexts,
): [Heading, readonly string[]] {
  if (waits !== undefined) return [texts.waiting(device, isAtApple), texts.waitingSteps(device, waits === 'emailed')];
  if (isRegistered) return [texts.awaitingBuild(device), texts.awaitingBuildSteps(device, canRegister(register))];
  const steps = canRegister(register) ? texts.registerSteps(device) : texts.notRegisteredSteps(device);
  return [texts.notRegistered(device), steps];
}

/** Whether a button of the page registers the device, without signing in first. */
function canRegister(register: Registration | null): boolean {
  return register !== null && register.kind !== 'sign_in';
}

function signInHint(register: Registration | null, texts: InstallTexts): Html | null {
  return register?.kind === 'sign_in' ? html`<p class="quiet">${texts.testersSignIn}</p>` : null;
}

/** `isMain`: it is the one thing to do on the page. */
function registration(register: Registration | null, label: string, texts: InstallTexts, isMain = false): Html | null {
  if (register === null) return null;
  const { kind, url } = register;
  const look = isMain ? 'button' : 'button second';
  switch (kind) {
    case 'form':
      return html`<form method="post" action="${url}"><p><button class="${look}">${label}</button></p></form>`;
    case 'link':
      return html`<p><a class="${look}" href="${url}">${label}</a></p>`;
    case 'sign_in':
      return html`<p><a class="button second" href="${url}">${texts.signInButton}</a></p>`;
  }
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

function registrationLine(
  { provisioning, register = null }: StateOf<'ready' | 'desktop'>,
  device: string,
  texts: InstallTexts,
): Html | null {
  if (provisioning !== 'unknown') return null;
  const words =
    register === null
      ? texts.registeredOnly(device)
      : register.kind === 'sign_in'
        ? texts.signInFirst(device)
        : texts.registerFirst(device);
  return html`<p class="quiet">${words}</p>${registration(register, texts.register(device), texts)}`;
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

function iosTrouble(
  { provisioning, register = null }: StateOf<'ready' | 'desktop'>,
  device: string,
  texts: InstallTexts,
): Heading[] {
  const causes = texts.iosTrouble(device);
  return provisioning === 'unknown' ? [texts.iosNotRegistered(device, canRegister(register)), ...causes] : [...causes];
}
