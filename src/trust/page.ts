// The page that offers the server's own authority to phones and desktops, with the steps of each.
import type { Locale } from '../install/page/locale.ts';
import type { PhoneSystem } from '../install/phone.ts';
import { framedPage } from '../pages/frame.ts';
import { type Html, html } from '../platform/html.ts';
import type { Reply } from '../platform/reply.ts';
import { trustPaths } from './paths.ts';
import { type Platform, trustTextsIn } from './texts.ts';

export interface TrustView {
  baseUrl: string;
  host: string;
  authority: string;
  /** SHA-256 in hex with colons. */
  fingerprint: string;
  /** Whose steps come first. */
  system: PhoneSystem;
  locale: Locale;
}

/** Draws the page; the reader's own system stands first. */
export function trustPage({ baseUrl, host, authority, fingerprint, system, locale }: TrustView): Reply {
  const texts = trustTextsIn(locale);
  const phones = [
    section(texts.ios, trustPaths.profile, authority),
    section(texts.android, trustPaths.certificate, authority),
  ];
  const desktops = [
    section(texts.mac, trustPaths.certificate, authority),
    section(texts.windows, trustPaths.certificate, authority),
    section(texts.linux, trustPaths.pem, authority),
  ];
  const [ios, android] = phones;
  const ordered =
    system === 'desktop'
      ? [...desktops, ...phones]
      : [...(system === 'android' ? [android, ios] : [ios, android]), ...desktops];
  const main = html`<main><section class="card"><h1>${texts.title}</h1>
<p>${texts.reason(host)}</p>
<h2>${texts.fingerprintTitle}</h2>
<p>${texts.fingerprintHint}</p>
<p class="address">${fingerprint}</p></section>
${ordered.filter((part) => part !== undefined)}<section class="card"><h2>${texts.afterTitle}</h2>
<p>${texts.after}</p>
<p><a class="button" href="${baseUrl}">${texts.open}</a></p></section></main>`;
  const page = framedPage(texts.title, main, 200, { language: locale });
  return { ...page, headers: { ...page.headers, 'cache-control': 'no-store', vary: 'Accept-Language, User-Agent' } };
}

function section({ title, button, steps }: Platform, path: string, authority: string): Html {
  return html`<section class="card"><h2>${title}</h2>
<p><a class="button" href="${path}">${button}</a></p>
<ol>${steps(authority).map((step) => html`<li>${step}</li>`)}</ol></section>
`;
}
