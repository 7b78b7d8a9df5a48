// The result page of an enrollment: the apps that the phone can install now, and those waiting for a new build.

import type { Judgment } from '../../compatibility/verdict.ts';
import { boundName, firstLetter } from '../../install/page/format.ts';
import { heading, organizationLine } from '../../install/page/parts.ts';
import { renderDocument } from '../../install/page/render.ts';
import { type Html, html } from '../../lib/html.ts';
import type { DeviceWord, EnrollmentTexts } from '../../page-texts/enrollment-texts.ts';
import { signOf } from '../../pages/signs.ts';

export interface OfferView {
  /** Shown next to the app's icon. */
  name: string;
  channelName: string;
  versionName: string;
  /** As shown to people. */
  buildNumber: string;
  /** Path on this server; if null, the first letter of the name is shown. */
  iconUrl: string | null;
  /** The install page; null if the person needs a personal link. */
  pageUrl: string | null;
  judgment: Pick<Judgment, 'verdict' | 'reason' | 'neededSystem'>;
}

export interface ResultView {
  organizationName: string;
  /** Path on this server; if null, the first letter of the name is shown. */
  organizationIconUrl: string | null;
  /** Of the organization's icon, `#rrggbb`; null for the color of the service. */
  color: string | null;
  device: DeviceWord;
  /** The name of the device in the organization. */
  name: string;
  /** The last characters of its identifier. */
  ending: string;
  /** Whether a new provisioning profile can include the device. */
  isAtApple?: boolean;
  offers: readonly OfferView[];
}

/** Renders the result page: a complete document that works without scripts. */
export function renderResultPage(view: ResultView, texts: EnrollmentTexts): Html {
  const title = texts.resultTitle(texts.device[view.device]);
  const head = html`${organizationLine(view.organizationName, view.organizationIconUrl)}
<header class="bare title">${signOf('registered')}<h1>${title}</h1>
<p>${texts.resultText(boundName(view.name), view.ending)}</p><p>${texts.resultAgain}</p></header>`;
  const ready = view.offers.filter(({ judgment }) => judgment.verdict === 'yes');
  const waiting = view.offers.filter(({ judgment }) => judgment.reason === 'not_provisioned');
  const others = view.offers.filter((offer) => !ready.includes(offer) && !waiting.includes(offer));
  const sections = [
    ready.length > 0 &&
      html`<section class="part"><h2>${texts.ready}</h2>${ready.map((o) => offerRow(o, texts, ready.length === 1))}</section>`,
    waiting.length > 0 &&
      html`<section class="part">${heading(view.isAtApple === true ? texts.waitingAtApple : texts.waiting)}${waiting.map((o) => offerRow(o, texts))}</section>`,
    others.length > 0 &&
      html`<section class="part"><h2>${texts.unsuitable}</h2>${others.map((o) => offerRow(o, texts))}</section>`,
    view.offers.length === 0 && html`<section class="card">${heading(texts.nothingYet)}</section>`,
  ];
  return renderDocument(
    texts,
    title,
    html`<main>${head}${sections.filter((section) => section !== false)}</main>`,
    view.color,
  );
}

/** `isOnly`: nothing else on the page can be installed, so its button is the one of the page. */
function offerRow(offer: OfferView, texts: EnrollmentTexts, isOnly = false): Html {
  const version = texts.version(boundName(offer.versionName, 40), boundName(offer.buildNumber, 40));
  const isReady = offer.judgment.verdict === 'yes';
  const action =
    isReady && offer.pageUrl !== null
      ? html`<p><a class="${isOnly ? 'button' : 'button second'}" href="${offer.pageUrl}">${texts.install}</a></p>`
      : null;
  const words = isReady ? (offer.pageUrl === null ? texts.askForLink : null) : reasonWords(offer, texts);
  return html`<div class="offer">${icon(offer)}<div class="bare"><h3><bdi>${boundName(offer.name)}</bdi></h3>
<p class="quiet"><bdi>${boundName(offer.channelName)}</bdi> · <bdi>${version}</bdi></p>
${words === null ? null : html`<p class="quiet">${words}</p>`}${action}</div></div>`;
}

function icon({ iconUrl, name }: OfferView): Html {
  if (iconUrl !== null) return html`<img class="icon" src="${iconUrl}" alt="" width="80" height="80">`;
  return html`<span class="icon letter" aria-hidden="true">${firstLetter(name)}</span>`;
}

/** Returns the reason; null if the heading above already states it. */
function reasonWords({ judgment }: OfferView, texts: EnrollmentTexts): string | null {
  switch (judgment.reason) {
    case 'not_provisioned':
      return null;
    case 'os_too_old':
      return judgment.neededSystem === null ? texts.notInstallable : texts.osTooOld(judgment.neededSystem);
    case 'profile_expired':
      return texts.profileExpired;
    case 'device_family':
      return texts.wrongFamily;
    default:
      return texts.notInstallable;
  }
}
