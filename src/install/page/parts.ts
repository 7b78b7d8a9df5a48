// Parts shared by the install pages of several states.

import { nameMinimumVersion } from '../../compatibility/os-version.ts';
import { formatBytes } from '../../lib/formats.ts';
import { type Html, html } from '../../lib/html.ts';
import { renderNotes } from '../../lib/markdown/markup.ts';
import { isLoopbackUrl } from '../../lib/url-host.ts';
import type { Heading, InstallTexts } from '../../page-texts/install-texts.ts';
import { signOf } from '../../pages/signs.ts';
import { boundName, firstLetter, formatAge, formatAhead, formatDay } from './format.ts';
import type { AppView, InstallNotice, InstallView, ReleaseView } from './view.ts';

/** `lines` replace those of the release. */
export function appHeader(
  app: AppView,
  now: Date,
  texts: InstallTexts,
  lines: Html | null = app.release && releaseLines(app.release, now, texts),
): Html {
  return html`${organizationLine(app.organizationName, app.organizationIconUrl, app.channelName)}
<header class="app">${appIcon(app)}<div>
${appHeading(boundName(app.name))}
${lines}
</div></header>`;
}

/** Longer names are set smaller. */
const LONG_NAME = 20;

function appHeading(name: string): Html {
  return name.length > LONG_NAME ? html`<h1 class="long"><bdi>${name}</bdi></h1>` : html`<h1><bdi>${name}</bdi></h1>`;
}

/** Returns the top line of a page: the organization, and beside it the channel. */
export function organizationLine(name: string, iconUrl: string | null, channelName: string | null = null): Html {
  const mark =
    iconUrl === null
      ? html`<span class="orgmark" aria-hidden="true">${firstLetter(name)}</span>`
      : html`<img class="orgmark" src="${iconUrl}" alt="" width="28" height="28">`;
  const channel = channelName !== null && html`<span class="by"><bdi>${boundName(channelName, 40)}</bdi></span>`;
  return html`<p class="org">${mark}<bdi>${boundName(name)}</bdi>${channel}</p>`;
}

export function heading({ title, text }: Heading): Html {
  return html`<h2>${title}</h2><p>${text}</p>`;
}

/** A card with a title, a sentence and a sign. */
export function stateCard(state: string, words: Heading, rest: Html | null = null): Html {
  return html`<section class="card">${signOf(state)}${heading(words)}${rest}</section>`;
}

export function stepList(steps: readonly string[]): Html {
  return html`<ol>${steps.map((step) => html`<li>${step}</li>`)}</ol>`;
}

/** Text to copy. One tap selects all of it, without a script. */
export function addressBox(pageUrl: string, label: string): Html {
  return html`<p class="quiet">${label}</p><p><code class="address" dir="ltr">${pageUrl}</code></p>`;
}

/** Returns a QR code, and a hint if phones can't open its address. */
export function qrFigureOf(code: Html, pageUrl: string, texts: { qrCode: string; localAddress: string }): Html {
  const hint = isLoopbackUrl(pageUrl) && html`<p class="quiet">${texts.localAddress}</p>`;
  return html`<div class="qr" role="img" aria-label="${texts.qrCode}">${code}</div>${hint}`;
}

export function qrFigure(view: InstallView, texts: InstallTexts): Html | null {
  return view.qrCode && qrFigureOf(view.qrCode, view.pageUrl, texts);
}

export function noticeCards(notices: readonly InstallNotice[], now: Date, texts: InstallTexts): Html[] {
  return notices.flatMap((notice) => {
    const words = noticeWords(notice, now, texts);
    return words === null ? [] : [html`<section class="card notice">${heading(words)}</section>`];
  });
}

function noticeWords(notice: InstallNotice, now: Date, texts: InstallTexts): Heading | null {
  switch (notice.kind) {
    case 'unreadable':
      return texts.unreadable;
    case 'reinstall':
      return texts.reinstall(notice.reason, boundName(notice.versionName, 40));
    case 'profile_expires': {
      const when = formatAhead(notice.expiresAt, now, texts.language);
      return texts.profileExpires(when, formatDay(notice.expiresAt, texts.language));
    }
    case 'link_expires':
      return null;
  }
}

/** Returns a short line below the button if the link expires soon. */
export function linkExpiry(notices: readonly InstallNotice[], now: Date, texts: InstallTexts): Html[] {
  return notices.flatMap((notice) =>
    notice.kind === 'link_expires'
      ? [html`<p class="quiet">${texts.linkExpires(formatAhead(notice.expiresAt, now, texts.language))}</p>`]
      : [],
  );
}

/** Returns the release notes and the release details; null if nothing is released. */
export function releaseSections(app: AppView, texts: InstallTexts): { notes: Html | null; details: Html | null } {
  const release = app.release;
  if (release === null) return { notes: null, details: null };
  const details = html`<section class="part"><h2>${release.isReleased ? texts.details : texts.buildDetails}</h2><dl class="facts">
${fact(release.isReleased ? texts.released : texts.uploaded, releaseTime(release, formatDay(release.releasedAt, texts.language)))}
${fact(texts.size, html`${formatBytes(release.sizeBytes, texts.language)}`)}
${minimumFact(app, release, texts)}
${release.isDebuggable && fact(texts.kind, html`${texts.debugBuild}`)}
${release.preview && previewFacts(release.preview, texts)}
${app.projectName === app.name ? null : fact(texts.project, html`<bdi>${boundName(app.projectName)}</bdi>`)}
${app.channelName !== null && fact(texts.channel, html`<bdi>${boundName(app.channelName)}</bdi>`)}
</dl></section>`;
  return { notes: notesSection(release, texts), details };
}

/** The notes of a release fit into a page. */
const MAX_NOTES_BYTES = 8_000;

function notesSection({ releaseNotes, isReleased }: ReleaseView, texts: InstallTexts): Html {
  const none = isReleased ? texts.noChanges : texts.noBuildNotes;
  const written = noteBlocks(releaseNotes, MAX_NOTES_BYTES) ?? html`<p class="quiet">${none}</p>`;
  return html`<section class="part"><h2>${texts.changes}</h2>${written}</section>`;
}

/** Renders release notes; null if they say nothing. */
export function noteBlocks(notes: string | null, maxBytes: number): Html | null {
  const markup = notes === null ? null : renderNotes(notes, { place: 'page', maxBytes });
  return markup && html`<div class="notes">${markup}</div>`;
}

/** Causes of problems with their solutions, folded. */
export function helpCard(causes: readonly Heading[], texts: Pick<InstallTexts, 'trouble'>): Html {
  const entries = causes.map((cause) => html`<dt>${cause.title}</dt><dd>${cause.text}</dd>`);
  return html`<details class="part"><summary>${texts.trouble}</summary><dl>${entries}</dl></details>`;
}

/** The screenshots of the app in a row that scrolls; null without any. */
export function screenshotSection({ screenshots = [] }: AppView, texts: InstallTexts): Html | null {
  if (screenshots.length === 0) return null;
  const images = screenshots.map(
    ({ url, width, height }, index) =>
      html`<img src="${url}" width="${width}" height="${height}" loading="lazy" alt="${texts.screenshot(index + 1, screenshots.length)}" class="${width > height ? 'landscape' : 'portrait'}">`,
  );
  return html`<section class="part"><h2>${texts.screenshots}</h2><div class="shots" role="group" tabindex="0" aria-label="${texts.screenshots}">${images}</div></section>`;
}

function appIcon(app: AppView): Html {
  if (app.iconUrl !== null) return html`<img class="icon" src="${app.iconUrl}" alt="" width="80" height="80">`;
  return html`<span class="icon letter" aria-hidden="true">${firstLetter(app.name)}</span>`;
}

function fact(name: string, value: Html): Html {
  return html`<div><dt>${name}</dt><dd>${value}</dd></div>`;
}

/** As long as forges show it. */
const SHOWN_COMMIT = 7;

function previewFacts({ pullRequest, commit }: NonNullable<ReleaseView['preview']>, texts: InstallTexts): Html {
  return html`${fact(texts.pullRequest, html`#${pullRequest}`)}
${commit !== null && fact(texts.commit, html`<code>${commit.slice(0, SHOWN_COMMIT)}</code>`)}`;
}

function minimumFact(app: AppView, release: ReleaseView, texts: InstallTexts): Html | null {
  const minimum = nameMinimumVersion(app.platform, release.minimumOsVersion);
  return minimum === null ? null : fact(texts.needs, html`${texts.orLater(minimum)}`);
}

function releaseLines(release: ReleaseView, now: Date, texts: InstallTexts): Html {
  return html`<p class="quiet">${releaseVersion(release, texts)}</p>
<p class="quiet">${releaseFacts(release, now, texts)}</p>`;
}

/** The link to the form for feedback; null on pages that hide the channel. */
export function feedbackLink({ feedbackUrl }: AppView, texts: InstallTexts): Html | null {
  if (feedbackUrl === undefined) return null;
  return html`<section class="part"><p><a class="feedback" href="${feedbackUrl}">${texts.sendFeedback}</a></p></section>`;
}

/** The same in one line. */
export function releaseLine(release: ReleaseView, now: Date, texts: InstallTexts): Html {
  return html`${releaseVersion(release, texts)} \u00b7 ${releaseFacts(release, now, texts)}`;
}

function releaseVersion(release: ReleaseView, texts: InstallTexts): Html {
  return html`<bdi>${texts.version(boundName(release.versionName, 40), boundName(release.buildNumber, 40))}</bdi>`;
}

function releaseFacts(release: ReleaseView, now: Date, texts: InstallTexts): Html {
  const age = formatAge(release.releasedAt, now, texts.language) ?? texts.justNow;
  return html`${releaseTime(release, age)} \u00b7 ${formatBytes(release.sizeBytes, texts.language)}`;
}

function releaseTime(release: ReleaseView, words: string): Html {
  return html`<time datetime="${release.releasedAt.toISOString()}">${words}</time>`;
}
