// What the links in mails about releases lead to. Looking at one uses nothing up; both work without signing in.

import { reachesChannel } from '../../channels/audience.ts';
import { capabilityLinks } from '../../channels/install-links.ts';
import type { Context } from '../../core/context.ts';
import { findDeveloper } from '../../developers/store.ts';
import { type Reply, redirectTo } from '../../http/reply.ts';
import { findPlace } from '../../install/store.ts';
import { AppError } from '../../lib/errors.ts';
import { html } from '../../lib/html.ts';
import { framedPage, noticePage } from '../../pages/frame.ts';
import { openLink } from '../mail-links.ts';
import { isMuted, setMuted } from '../view/mutes.ts';
import { mintForTester } from '../view/service.ts';
import { MUTE_PATH } from './service.ts';

/** No capability looks like it. */
const ENDED = 'ended';

/**
 * From the mail to the install page of the release: a fresh capability, if whom the mail was for may still install it. Who
 * lost access, is locked out, or comes too late is sent to the page of a link that has ended, in the phone's language.
 */
export function openRelease(ctx: Context, token: string): Reply {
  return redirectTo(capabilityLinks(ctx.config.server.base_url, mintFor(ctx, token) ?? ENDED).pageUrl);
}

function mintFor(ctx: Context, token: string): string | undefined {
  const link = openLink(ctx, 'tester release', token);
  const developer = link && findDeveloper(ctx, link.developerId);
  const mayInstall = developer?.lockedAt === null && developer.emailVerifiedAt !== null;
  if (link === undefined || !mayInstall) return undefined;
  try {
    return mintForTester(ctx, developer.id, link.subjectId).token;
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'not_found') throw error;
    return undefined;
  }
}

/** Whom and what a link mutes. `isReached` tells whether they may still know of the channel, which the link outlives. */
function findMutable(ctx: Context, token: string) {
  const link = openLink(ctx, 'tester mute', token);
  const place = link && findPlace(ctx, link.subjectId);
  if (place === undefined || findDeveloper(ctx, link?.developerId ?? '') === undefined) return undefined;
  const developerId = link?.developerId ?? '';
  return { developerId, place, isReached: reachesChannel(ctx, developerId, place.channel.id) };
}

/** Asks whether mails about a channel should stop; the button says so. */
export function showMutePage(ctx: Context, token: string): Reply {
  const found = findMutable(ctx, token);
  if (found === undefined) return deadMutePage();
  const { place, developerId, isReached } = found;
  if (!isReached) return lostPage();
  if (isMuted(ctx, place.channel.id, developerId)) return mutedPage(place.channel.name);
  const main = html`<main class="alone"><section class="card"><h1>No more mails?</h1>
<p>You get a mail whenever there is something new on the channel ${place.channel.name} of ${place.projectName}.</p>
<form method="post" action="${`${MUTE_PATH}/${token}`}"><button class="button" type="submit">Stop these mails</button></form></section></main>`;
  return framedPage('No more mails?', main, 200);
}

/** Mutes the channel for whom the mail was sent to: by the button, or by a mail program (RFC 8058). Again changes nothing. */
export function muteByLink(ctx: Context, token: string): Reply {
  const found = findMutable(ctx, token);
  if (found === undefined) return deadMutePage();
  const { place, developerId, isReached } = found;
  ctx.transact((tx) => setMuted(tx, place.channel.id, developerId, true));
  return isReached ? mutedPage(place.channel.name) : lostPage();
}

function mutedPage(channelName: string): Reply {
  return noticePage(
    'The mails have stopped',
    `You get no more mails about the channel ${channelName}. You still may install from it, and can have the mails again once signed in.`,
    200,
  );
}

/** Says nothing of the channel: its name may be another one since. */
function lostPage(): Reply {
  return noticePage('The mails have stopped', 'You get no more of these mails: you test this app no more.', 200);
}

function deadMutePage(): Reply {
  return noticePage('This link does not work', 'It is not complete, or what it was about is gone.', 404);
}
