// The pages of links in release emails. Opening one doesn't use the link. They work without signing in.

import { reachesChannel } from '../../channels/audience.ts';
import { capabilityLinks } from '../../channels/install-links.ts';
import type { Context } from '../../core/context.ts';
import { findDeveloper } from '../../developers/store.ts';
import { type Reply, redirectTo } from '../../http/reply.ts';
import { boundName } from '../../install/page/format.ts';
import { findPlace } from '../../install/store.ts';
import { chooseLanguage } from '../../languages.ts';
import { AppError } from '../../lib/errors.ts';
import { html } from '../../lib/html.ts';
import { admitsTokenOf } from '../../organizations/member-requirements.ts';
import { pageTexts } from '../../page-texts/catalog.ts';
import type { Heading } from '../../page-texts/install-texts.ts';
import { framedPage, noticePage } from '../../pages/frame.ts';
import { findRelease } from '../../releases/store.ts';
import { readLink } from '../mail-links.ts';
import { isMuted, setMuted } from '../view/mutes.ts';
import { mintForTester } from '../view/service.ts';
import { MUTE_PATH } from './service.ts';

/** Never equals a capability. */
const ENDED = 'ended';

/**
 * Redirects from the email to the install page of the release, with a new capability if the recipient may still install
 * it. People who lost access, are locked, come too late, or don't meet the organization's requirements for members get the page
 * for expired links.
 */
export function openRelease(ctx: Context, token: string): Reply {
  return redirectTo(capabilityLinks(ctx.config.server.base_url, mintFor(ctx, token) ?? ENDED).pageUrl);
}

function mintFor(ctx: Context, token: string): string | undefined {
  const link = readLink(ctx, 'tester release', token);
  const developer = link && findDeveloper(ctx, link.developerId);
  const release = link && findRelease(ctx, link.subjectId)?.release;
  if (developer === undefined || release === undefined) return undefined;
  if (!admitsTokenOf(ctx, release.organizationId, developer)) return undefined;
  try {
    return mintForTester(ctx, developer.id, release.id).token;
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'not_found') throw error;
    return undefined;
  }
}

/**
 * Returns the recipient and the channel of a mute link. `isReached` is false if the recipient no longer has access to
 * the channel.
 */
function findMutable(ctx: Context, token: string) {
  const link = readLink(ctx, 'tester mute', token);
  const place = link && findPlace(ctx, link.subjectId);
  if (place === undefined || findDeveloper(ctx, link?.developerId ?? '') === undefined) return undefined;
  const developerId = link?.developerId ?? '';
  return { developerId, place, isReached: reachesChannel(ctx, developerId, place.channel.id) };
}

/** Returns the page with a button for unsubscribing from emails about a channel. */
export function showMutePage(ctx: Context, token: string): Reply {
  const found = findMutable(ctx, token);
  const { texts, language } = textsFor(ctx);
  if (found === undefined) return notice(ctx, texts.dead, 404);
  const { place, developerId, isReached } = found;
  if (!isReached) return notice(ctx, texts.lost, 200);
  if (isMuted(ctx, place.channel.id, developerId)) return notice(ctx, texts.muted(boundName(place.channel.name)), 200);
  const { title, text } = texts.ask(boundName(place.channel.name), boundName(place.projectName));
  const main = html`<main class="alone"><section class="card"><h1>${title}</h1>
<p>${text}</p>
<form method="post" action="${`${MUTE_PATH}/${token}`}"><button class="button" type="submit">${texts.unsubscribe}</button></form></section></main>`;
  return framedPage(title, main, 200, { language });
}

/**
 * Mutes the channel for the recipient of the email: with the button, or from a mail program (RFC 8058). It can be
 * repeated.
 */
export function muteByLink(ctx: Context, token: string): Reply {
  const found = findMutable(ctx, token);
  const { texts } = textsFor(ctx);
  if (found === undefined) return notice(ctx, texts.dead, 404);
  const { place, developerId, isReached } = found;
  ctx.transact((tx) => setMuted(tx, place.channel.id, developerId, true));
  return notice(ctx, isReached ? texts.muted(boundName(place.channel.name)) : texts.lost, 200);
}

function textsFor(ctx: Context) {
  const language = chooseLanguage(ctx.request.acceptLanguage);
  return { language, texts: pageTexts[language].mute };
}

function notice(ctx: Context, { title, text }: Heading, status: number): Reply {
  return noticePage(title, text, status, { language: textsFor(ctx).language });
}
