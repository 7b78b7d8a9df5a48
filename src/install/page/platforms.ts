// The parts of a page for an app with several platforms.
import { type Html, html } from '../../lib/html.ts';
import type { InstallTexts } from '../../page-texts/install-texts.ts';
import { platformFacts } from '../../platforms.ts';
import { installLink } from './links.ts';
import { noteBlocks, noticeCards, releaseLine } from './parts.ts';
import { plainWords } from './states.ts';
import type { InstallState, PlatformView } from './view.ts';

/** The notes of all platforms fit into a page. */
const MAX_NOTES_BYTES = 4_000;

export function platformNames(platforms: readonly PlatformView[]): Html {
  return html`<p class="quiet">${platforms.map(({ app }) => platformFacts[app.platform].name).join(' \u00b7 ')}</p>`;
}

/** The release of a platform, its notes, and what to know before or instead of installing it. */
export function platformSection({ app, state }: PlatformView, now: Date, texts: InstallTexts): Html {
  const { release, platform } = app;
  const words = problemOf(state, texts);
  return html`<section class="part"><h2>${platformFacts[platform].name}</h2>
${release && html`<p class="quiet">${releaseLine(release, now, texts)}</p>`}
${words && html`<p><strong>${words.title}</strong></p><p class="quiet">${words.text}</p>`}
${state.kind === 'desktop' ? noticeCards(state.notices, now, texts) : null}
${release && noteBlocks(release.releaseNotes, MAX_NOTES_BYTES)}
${packageLink(state, texts)}</section>`;
}

function problemOf(state: InstallState, texts: InstallTexts) {
  switch (state.kind) {
    case 'profile_expired':
    case 'not_installable':
    case 'https_needed':
    case 'locked':
    case 'nothing_released':
      return plainWords(state, texts);
    default:
      return null;
  }
}

/** Computers can download the packages that phones accept as files. */
function packageLink(state: InstallState, texts: InstallTexts): Html | null {
  if (state.kind !== 'desktop' || state.target.platform === 'ios') return null;
  return html`<p><a class="button second" href="${installLink(state.target)}">${texts.downloadPackage}</a></p>`;
}
