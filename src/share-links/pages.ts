// The page of a share link: a form for its password, and the install page of what it leads to.
import { findDownloadTime } from '../builds/download-store.ts';
import { findBuild } from '../builds/store.ts';
import type { Context } from '../core/context.ts';
import { MAX_PASSWORD_LENGTH } from '../developers/password.ts';
import { type Reply, redirectTo } from '../http/reply.ts';
import { rejectForeignOrigin } from '../http/same-origin.ts';
import { drawEmptyChannel, drawOffer } from '../install/drawing.ts';
import { findBuildOffer, findHeldOffer, type Offer } from '../install/offers.ts';
import { sendPage } from '../install/page/send.ts';
import { findShareLink, type ShareLink } from '../install/share-links.ts';
import { findPlace } from '../install/store.ts';
import { chooseLanguage } from '../languages.ts';
import { AppError } from '../lib/errors.ts';
import { formatWait } from '../lib/formats.ts';
import { html } from '../lib/html.ts';
import { pageTexts } from '../page-texts/catalog.ts';
import { framedPage } from '../pages/frame.ts';
import { signOf } from '../pages/signs.ts';
import { isLinkPassword } from './attempts.ts';
import { shareUrl } from './service.ts';
import { installIdOf, readVisit, startVisit } from './visits.ts';

/**
 * Returns the page of a link. Opening it counts nothing. Without the password, it shows nothing about the app. Links that don't
 * work get the same page, for any reason.
 */
export async function showSharePage(ctx: Context, token: string): Promise<Reply> {
  const entered = enter(ctx, token);
  if (entered === undefined) return deadPage(ctx);
  const { link, visitId } = entered;
  if (visitId === undefined && link.row.passwordHash !== null) return passwordPage(ctx, token);
  if (visitId !== undefined) return showTarget(ctx, link, visitId, token);
  const visit = startVisit(ctx, link.row, token);
  return { ...(await showTarget(ctx, link, visit.id, token)), cookies: [visit.cookie] };
}

/** Checks the password of a link. Then the browser shows the install page for 30 days, unless the link stops working. */
export async function enterSharePassword(ctx: Context, token: string, password: string): Promise<Reply> {
  rejectForeignOrigin(ctx, ctx.request.header);
  const entered = enter(ctx, token);
  if (entered === undefined) return deadPage(ctx);
  const { link, visitId } = entered;
  const page = redirectTo(shareUrl(ctx.config.server.base_url, token));
  if (visitId !== undefined || link.row.passwordHash === null) return page;
  try {
    if (!(await isLinkPassword(ctx, link.row, password))) return passwordPage(ctx, token, { status: 403 });
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'rate_limit_exceeded') throw error;
    return passwordPage(ctx, token, { status: error.status, headers: error.headers });
  }
  return { ...page, cookies: [startVisit(ctx, link.row, token).cookie] };
}

/** Why a password wasn't accepted: it's incorrect (403), or there were too many attempts (429). */
interface RefusedPassword {
  status: number;
  headers?: Record<string, string>;
}

/** Returns a link with the visit of the browser, if it has one. A link that has reached its limit is open only to browsers that have one. */
function enter(ctx: Context, token: string): { link: ShareLink; visitId: string | undefined } | undefined {
  const link = findShareLink(ctx, token);
  if (link === undefined) return undefined;
  const visitId = readVisit(ctx, link.row);
  return link.state === 'used_up' && visitId === undefined ? undefined : { link, visitId };
}

async function showTarget(ctx: Context, link: ShareLink, visitId: string, token: string): Promise<Reply> {
  const { row, state } = link;
  const pageUrl = shareUrl(ctx.config.server.base_url, token);
  const place = row.channelId === null ? undefined : findPlace(ctx, row.channelId);
  const offer = place === undefined ? offerBuild(ctx, link, visitId) : offerChannel(ctx, place, link, visitId);
  const isCounted = offer?.proof != null && findDownloadTime(ctx, offer.proof.grant.id) !== undefined;
  if (state === 'used_up' && !isCounted) return deadPage(ctx);
  if (offer !== undefined) {
    const expiresAt = row.expiresAt === null ? null : new Date(row.expiresAt);
    return sendPage(await drawOffer(ctx, offer, { pageUrl, expiresAt }));
  }
  return place === undefined ? deadPage(ctx) : sendPage(await drawEmptyChannel(ctx, place, pageUrl));
}

function offerChannel(
  ctx: Context,
  place: NonNullable<ReturnType<typeof findPlace>>,
  { id }: ShareLink,
  visitId: string,
): Offer | undefined {
  return findHeldOffer(ctx, place, (release) => ({
    id: installIdOf(visitId, release.id),
    developerId: null,
    shareLinkId: id,
  }));
}

function offerBuild(ctx: Context, { id, row }: ShareLink, visitId: string): Offer | undefined {
  const build = row.buildId === null ? undefined : findBuild(ctx, row.buildId);
  if (build === undefined) return undefined;
  return findBuildOffer(ctx, build, { id: installIdOf(visitId, build.id), developerId: null, shareLinkId: id });
}

const headers = { 'cache-control': 'no-store', 'x-robots-tag': 'noindex, nofollow', vary: 'Accept-Language, Cookie' };

function withHeaders(page: Reply): Reply {
  return { ...page, headers: { ...page.headers, ...headers } };
}

function deadPage(ctx: Context): Reply {
  const { dead, language } = textsOf(ctx);
  const main = html`<main class="alone"><section class="card">${signOf('link_expired')}<h1>${dead.title}</h1><p>${dead.text}</p></section></main>`;
  return withHeaders(framedPage(dead.title, main, 404, { language }));
}

function passwordPage(ctx: Context, token: string, refused?: RefusedPassword): Reply {
  const { enterPassword: words, password, go, language, ...texts } = textsOf(ctx);
  const input = refused
    ? html`<input name="password" type="password" autocomplete="off" maxlength="${MAX_PASSWORD_LENGTH}" required aria-invalid="${String(refused.status === 403)}" aria-describedby="problem" autofocus>`
    : html`<input name="password" type="password" autocomplete="off" maxlength="${MAX_PASSWORD_LENGTH}" required autofocus>`;
  const wait = formatWait(Number(refused?.headers?.['retry-after'] ?? 1), language);
  const reason = refused?.status === 429 ? texts.tooManyAttempts(wait) : texts.incorrect;
  const problem = refused && html`<p class="problem" id="problem" role="alert">${reason}</p>`;
  const main = html`<main class="alone"><section class="card">${signOf('no_access')}<h1>${words.title}</h1><p>${words.text}</p>
<form method="post" action="${shareUrl('', token)}"><div><label>${password}${input}</label>${problem}</div><button class="button" type="submit">${go}</button></form></section></main>`;
  const page = withHeaders(framedPage(words.title, main, refused?.status ?? 200, { language }));
  // Browsers without Fetch Metadata show the origin of a form only if the policy allows it.
  return { ...page, headers: { ...page.headers, ...refused?.headers, 'referrer-policy': 'same-origin' } };
}

function textsOf(ctx: Context) {
  return pageTexts[chooseLanguage(ctx.request.acceptLanguage)].share;
}
