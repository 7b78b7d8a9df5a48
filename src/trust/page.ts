// The page for installing the server's own certificate authority on phones and desktops, with the steps of each system.

import type { PhoneSystem } from '../compatibility/phone.ts';
import type { Reply } from '../http/reply.ts';
import type { Language } from '../languages.ts';
import { type Html, html } from '../lib/html.ts';
import { withProgramName } from '../lib/program-name.ts';
import { pageTexts } from '../page-texts/catalog.ts';
import type { SystemSteps, TrustTexts } from '../page-texts/trust-texts.ts';
import { alertDrawing, drawnSteps, settingsDrawing, settingsRowDrawing } from '../pages/drawings.ts';
import { framedPage } from '../pages/frame.ts';
import { signOf } from '../pages/signs.ts';
import { trustPaths } from './paths.ts';

export interface TrustView {
  baseUrl: string;
  host: string;
  authority: string;
  /** SHA-256 in hex with colons. */
  fingerprint: string;
  /** The system whose steps come first. */
  system: PhoneSystem;
  locale: Language;
}

/** Renders the page. The reader's own system comes first and has the primary button. */
export function trustPage({ baseUrl, host, authority, fingerprint, system, locale }: TrustView): Reply {
  const texts = pageTexts[locale].trust;
  const sectionOf = (
    platform: SystemSteps,
    path: string,
    isReaders: boolean,
    pictures: readonly (Html | null)[] = [],
  ) => section(platform, path, authority, { isReaders, pictures });
  const isDesktop = system === 'desktop';
  const isIos = system !== 'android' && !isDesktop;
  const ios = sectionOf(texts.ios, trustPaths.profile, isIos, isIos ? iosPictures(texts, authority) : []);
  const android = sectionOf(texts.android, trustPaths.certificate, system === 'android');
  const desktops = [
    sectionOf(texts.mac, trustPaths.certificate, isDesktop),
    sectionOf(texts.windows, trustPaths.certificate, isDesktop),
    sectionOf(texts.linux, trustPaths.pem, isDesktop),
  ];
  const phones = system === 'android' ? [android, ios] : [ios, android];
  const ordered = isDesktop ? [...desktops, ...phones] : [...phones, ...desktops];
  const main = html`<main><header class="bare title">${signOf('trust')}<h1>${texts.title}</h1>
<p>${texts.reason(host)}</p></header>
<section class="part"><h2>${texts.fingerprintTitle}</h2>
<p class="quiet">${withProgramName(texts.fingerprintHint)}</p>
<p class="address">${fingerprint}</p></section>
${ordered}<section class="part"><h2>${texts.afterTitle}</h2>
<p>${texts.after}</p>
<p><a class="button" href="${baseUrl}">${texts.open}</a></p></section></main>`;
  const page = framedPage(texts.title, main, 200, { language: locale });
  return { ...page, headers: { ...page.headers, 'cache-control': 'no-store', vary: 'Accept-Language, User-Agent' } };
}

/** The drawings of the steps on an iPhone or iPad; the third step has none. */
function iosPictures({ pictures: { ask, downloaded, trust } }: TrustTexts, authority: string): (Html | null)[] {
  return [
    alertDrawing(ask.label, ask),
    settingsRowDrawing(downloaded.label, downloaded),
    null,
    settingsDrawing(trust.label, { ...trust, row: authority, isSwitch: true }),
  ];
}

function section(
  { title, button, steps }: SystemSteps,
  path: string,
  authority: string,
  { isReaders, pictures }: { isReaders: boolean; pictures: readonly (Html | null)[] },
): Html {
  const words = steps(authority);
  const list =
    pictures.length === 0
      ? html`<ol>${words.map((step) => html`<li>${step}</li>`)}</ol>`
      : drawnSteps(words.map((step, index) => ({ words: step, picture: pictures[index] ?? null })));
  return html`<section class="part"><h2>${title}</h2>
<p><a class="${isReaders ? 'button' : 'button second'}" href="${path}">${button}</a></p>
${list}</section>
`;
}
