// The page of an enrollment link: the purpose, the collected data, and the steps on this phone.

import { unknownApp } from '../../compatibility/phone.ts';
import { boundName, formatAhead } from '../../install/page/format.ts';
import { browserLink } from '../../install/page/links.ts';
import { addressBox, heading, helpCard, organizationLine, qrFigureOf, stepList } from '../../install/page/parts.ts';
import { renderDocument } from '../../install/page/render.ts';
import { type Html, html } from '../../lib/html.ts';
import type { DeviceWord, EnrollmentTexts } from '../../page-texts/enrollment-texts.ts';
import type { Heading } from '../../page-texts/install-texts.ts';
import { alertDrawing, drawnSteps, profileDrawing, settingsRowDrawing } from '../../pages/drawings.ts';
import { signOf } from '../../pages/signs.ts';

/** The state of the page on the visitor's device. */
export type EnrollState =
  | { kind: 'ready'; device: DeviceWord }
  /** In the browser of another app, or in a browser other than Safari. `app` is its name; null if unknown. */
  | { kind: 'other_browser'; device: DeviceWord; app: string | null; opensSafari: boolean }
  /** `couldBeIpad`: the browser identifies itself as a Mac, which iPads do too. */
  | { kind: 'desktop'; couldBeIpad: boolean }
  | { kind: 'android' };

export interface EnrollView {
  now: Date;
  organizationName: string;
  /** Path on this server; if null, the first letter of the name is shown. */
  organizationIconUrl: string | null;
  /** Of the organization's icon, `#rrggbb`; null for the color of the service. */
  color: string | null;
  expiresAt: Date;
  pageUrl: string;
  profileUrl: string;
  /** Required on a desktop. */
  qrCode: Html | null;
  /** The name of this phone in the organization, if its browser was registered. */
  registeredAs: string | null;
  /** Whether the phone then shows the install page on which the link was created. */
  returnsToApp: boolean;
  isHttps: boolean;
  /** URL of the page for trusting the server's own authority; null if phones trust its certificate anyway. */
  trustUrl: string | null;
  state: EnrollState;
}

/** Renders the page of a valid link: a complete document that works without scripts. */
export function renderEnrollPage(view: EnrollView, texts: EnrollmentTexts): Html {
  const { state } = view;
  const organization = boundName(view.organizationName);
  const word = texts.device[state.kind === 'ready' || state.kind === 'other_browser' ? state.device : 'device'];
  const title = texts.enrollTitle(word);
  const head = html`${organizationLine(view.organizationName, view.organizationIconUrl)}
<header class="bare title"><h1>${title}</h1><p>${texts.enrollIntro(organization)}</p></header>`;
  const warning = state.kind === 'android' ? null : warningCard(view, word, texts);
  const known = view.registeredAs === null ? null : card(texts.alreadyRegistered(word, boundName(view.registeredAs)));
  const main = html`<main>${head}${warning}${known}${stateSections(view, state, texts)}</main>`;
  return renderDocument(texts, title, main, view.color);
}

/** Renders a page with a single message: the link has expired, or the profile could not be signed. */
export function renderDeviceNotice(words: Heading, texts: EnrollmentTexts): Html {
  const section = html`<section class="card">${signOf('link_expired')}<h1>${words.title}</h1><p>${words.text}</p></section>`;
  return renderDocument(texts, words.title, html`<main class="alone">${section}</main>`);
}

function stateSections(view: EnrollView, state: EnrollState, texts: EnrollmentTexts): Html {
  switch (state.kind) {
    case 'ready':
      return readySections(view, texts.device[state.device], texts);
    case 'other_browser':
      return otherBrowserSections(view, state, texts);
    case 'desktop':
      return desktopSections(view, state.couldBeIpad, texts);
    case 'android':
      return html`<section class="card">${signOf('android')}${heading(texts.android)}</section>`;
  }
}

function readySections(view: EnrollView, device: string, texts: EnrollmentTexts): Html {
  return html`<section class="bare"><p><a class="button" href="${view.profileUrl}">${texts.download}</a></p>${expiry(view, texts)}</section>
${stepsSection(view, device, texts)}
${collectedCard(view, texts)}
${helpCard(texts.troubles(device), texts)}`;
}

function otherBrowserSections(
  view: EnrollView,
  { app, opensSafari }: Extract<EnrollState, { kind: 'other_browser' }>,
  texts: EnrollmentTexts,
): Html {
  const link = opensSafari ? browserLink(view.pageUrl, 'ios', app ?? unknownApp) : null;
  return html`<section class="card">${signOf('in_app_browser')}${heading(texts.openInSafari(app === null ? null : boundName(app)))}
${link && html`<p><a class="button" href="${link}">${texts.openInSafariButton}</a></p>`}
${stepList(texts.openInSafariSteps)}
${addressBox(view.pageUrl, texts.address)}
<p><a class="button second" href="${view.profileUrl}">${texts.tryHere}</a></p>${expiry(view, texts)}</section>
${collectedCard(view, texts)}`;
}

function desktopSections(view: EnrollView, couldBeIpad: boolean, texts: EnrollmentTexts): Html {
  const code = view.qrCode && qrFigureOf(view.qrCode, view.pageUrl, texts);
  const card = html`<section class="card${couldBeIpad && ' untouched'}">${heading(texts.desktop)}${code}${addressBox(view.pageUrl, texts.address)}${expiry(view, texts)}</section>`;
  return html`${couldBeIpad ? ipadSections(view, texts) : null}${card}
${collectedCard(view, texts)}`;
}

/**
 * Returns the content for an iPad that identifies itself as a Mac. The stylesheet shows it only on touch screens, which
 * Macs don't have.
 */
function ipadSections(view: EnrollView, texts: EnrollmentTexts): Html {
  const device = texts.device.ipad;
  return html`<div class="touched"><section class="bare"><p><a class="button" href="${view.profileUrl}">${texts.download}</a></p>${expiry(view, texts)}</section>
${stepsSection(view, device, texts)}
${helpCard(texts.troubles(device), texts)}</div>
`;
}

function stepsSection(view: EnrollView, device: string, texts: EnrollmentTexts): Html {
  const { ask, downloaded, install } = texts.pictures;
  const name = texts.profileTitle(boundName(view.organizationName, 40));
  const pictures = [
    alertDrawing(ask.label, ask),
    settingsRowDrawing(downloaded.label, downloaded),
    profileDrawing(install.label, { ...install, name }),
  ];
  const steps = texts
    .steps(device, view.returnsToApp)
    .map((words, index) => ({ words, picture: pictures[index] ?? null }));
  return html`<section class="part"><h2>${texts.stepsTitle}</h2>${drawnSteps(steps)}</section>`;
}

function collectedCard({ organizationName }: EnrollView, texts: EnrollmentTexts): Html {
  const items = texts.collected.map((item) => html`<li>${item}</li>`);
  return html`<section class="part"><h2>${texts.collectedTitle}</h2><ul>${items}</ul><p>${texts.notCollected}</p>
<p>${texts.purpose(boundName(organizationName))}</p><p>${texts.nothingStays}</p></section>`;
}

function expiry({ expiresAt, now }: EnrollView, texts: EnrollmentTexts): Html {
  return html`<p class="quiet">${texts.linkExpires(formatAhead(expiresAt, now, texts.language))}</p>`;
}

function card(words: Heading): Html {
  return html`<section class="card">${heading(words)}</section>`;
}

/** Returns a warning if iOS can't accept the profile or send its response. */
function warningCard({ isHttps, trustUrl }: EnrollView, device: string, texts: EnrollmentTexts): Html | null {
  if (!isHttps) return html`<section class="card notice">${heading(texts.httpsNeeded)}</section>`;
  if (trustUrl === null) return null;
  return html`<section class="card">${heading(texts.trustFirst(device))}<p><a class="button second" href="${trustUrl}">${texts.trustButton}</a></p></section>`;
}
