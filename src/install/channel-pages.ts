// The install pages of a channel, at its link, its short address, and for one release.
import { askForAccess, MAX_OPEN_REQUESTS } from '../channels/access-requests.ts';
import { channelPageUrl, releasePageUrl, shortPageUrl } from '../channels/install-links.ts';
import { resolveSlug } from '../channels/slugs.ts';
import type { Phone } from '../compatibility/phone.ts';
import type { Context, DeveloperContext } from '../core/context.ts';
import { AppError } from '../lib/errors.ts';
import type { DeviceKind } from '../page-texts/install-texts.ts';
import { platforms as allPlatforms } from '../platforms.ts';
import {
  type Admitted,
  addressOfChannel,
  addressOfSlug,
  admitVisitor,
  findSiblingPlaces,
  type PageAddress,
  pathOfChannel,
  receiveVisitor,
  signInPage,
  type Visit,
} from './admission.ts';
import { draw, drawAccess, drawOffer, viewOffer, viewPlace } from './drawing.ts';
import { findCurrentOffer, findHeldOffer } from './offers.ts';
import type { InstallPage } from './page/send.ts';
import type { AccessState, PlatformView } from './page/view.ts';
import { addRegistration } from './registration.ts';
import type { Place } from './store.ts';
import { isDeveloper, platformOfVisitor, recognizeVisitor } from './visitor.ts';

/**
 * Returns the page of a channel. Private ones require the session of a person who may install from them. For others, private,
 * missing and malformed channels get the same page.
 */
export function showChannelPage(ctx: Context, channelId: string): Promise<InstallPage> {
  return showPageAt(ctx, addressOfChannel(ctx, channelId));
}

/**
 * Returns the page of a channel at its short address, or the current URL for a former slug. Unknown slugs get the same page as
 * those of private channels.
 */
export async function showShortPage(ctx: Context, slug: string): Promise<InstallPage | { movedTo: string }> {
  const found = resolveSlug(ctx, slug);
  const address = addressOfSlug(slug, found?.channelId, ctx);
  const visit = receiveVisitor(ctx, address);
  if (found !== undefined && found.slug !== slug && !('kind' in visit)) {
    const { base_url: baseUrl } = ctx.config.server;
    return {
      movedTo: found.slug === null ? channelPageUrl(baseUrl, found.channelId) : shortPageUrl(baseUrl, found.slug),
    };
  }
  return showVisit(ctx, address, visit);
}

function showPageAt(ctx: Context, address: PageAddress): Promise<InstallPage> {
  return showVisit(ctx, address, receiveVisitor(ctx, address));
}

async function showVisit(ctx: Context, address: PageAddress, visit: Visit | AccessState): Promise<InstallPage> {
  if ('kind' in visit) return drawAccess(ctx, visit);
  const { base_url: baseUrl } = ctx.config.server;
  const pageUrl = baseUrl + address.path;
  const own = await viewAdmitted(ctx, address, visit);
  if (visit.others.length > 0) {
    return drawPlatforms(
      ctx,
      pageUrl,
      own,
      await Promise.all(visit.others.map((one) => viewAdmitted(ctx, address, one))),
    );
  }
  // The same whether there is a version for this phone that needs access or none at all.
  const signInUrl = isDeveloper(ctx) ? undefined : signInPage(baseUrl, address.path);
  return draw(ctx, pageUrl, own.app, own.state, signInUrl === undefined ? {} : { signInUrl });
}

async function viewAdmitted(
  ctx: Context,
  address: PageAddress,
  { place, developerId }: Admitted,
): Promise<PlatformView> {
  // A sibling has a page of its own, on which phones register for it.
  const { channel } = place;
  const channelPath = channel.id === address.place?.channel.id ? address.path : pathOfChannel(channel.id);
  const offer =
    developerId === null ? findCurrentOffer(ctx, place) : findHeldOffer(ctx, place, () => ({ developerId }));
  if (offer !== undefined) return viewOffer(ctx, offer, { channelPath });
  const { phone, device } = recognizeVisitor(ctx, place);
  const unreleased = { kind: 'nothing_released' as const, ...registrableDevice(phone) };
  const state = addRegistration(ctx, unreleased, { place, channelPath, device });
  return { app: await viewPlace(ctx, place, channel.name), state };
}

/** Draws the page for computers, with one QR code for the phones of several platforms. */
function drawPlatforms(
  ctx: Context,
  pageUrl: string,
  own: PlatformView,
  others: readonly PlatformView[],
): Promise<InstallPage> {
  const views = [own, ...others];
  const onDesktop = views.filter(({ state }) => state.kind === 'desktop');
  // An iPad that identifies itself as a Mac can install the iOS app.
  const shown = onDesktop.find(({ state }) => state.kind === 'desktop' && state.couldBeIpad) ?? onDesktop[0] ?? own;
  const all = allPlatforms.flatMap((name) => views.find(({ app }) => app.platform === name) ?? []);
  return draw(ctx, pageUrl, own.app, shown.state, { platforms: { all, stateApp: shown.app } });
}

function registrableDevice({ system }: Phone): { device?: DeviceKind } {
  if (system === 'desktop' || system === 'android') return {};
  return { device: system === 'ipados' ? 'ipad' : 'iphone' };
}

/** The page of a channel that the visitor may install from. */
export interface EnteredPage {
  place: Place;
  /** Opened at the short address of the channel. */
  isShort: boolean;
}

/**
 * Returns the channel of a page if the visitor may install from it, and otherwise the page that they get instead: the same for
 * private and missing channels.
 */
export function enterChannelPage(ctx: Context, channelId: string): EnteredPage | InstallPage {
  return enter(ctx, addressOfChannel(ctx, channelId), false);
}

/** The same at a short address. */
export function enterShortPage(ctx: Context, slug: string): EnteredPage | InstallPage {
  return enter(ctx, addressOfSlug(slug, resolveSlug(ctx, slug)?.channelId, ctx), true);
}

function enter(ctx: Context, address: PageAddress, isShort: boolean): EnteredPage | InstallPage {
  const admitted = admitVisitor(ctx, address);
  return 'kind' in admitted ? drawAccess(ctx, admitted) : { place: admitted.place, isShort };
}

/** Asks the team of a channel for access, for a visitor without it. Returns the page of the channel. */
export function askForChannel(ctx: Context, channelId: string): Promise<InstallPage> {
  return askAt(ctx, addressOfChannel(ctx, channelId));
}

/** The same at a short address. */
export function askAtShortAddress(ctx: Context, slug: string): Promise<InstallPage> {
  return askAt(ctx, addressOfSlug(slug, resolveSlug(ctx, slug)?.channelId, ctx));
}

async function askAt(ctx: Context, address: PageAddress): Promise<InstallPage> {
  const visit = receiveVisitor(ctx, address);
  const lacksAccess = 'kind' in visit && visit.kind === 'no_access';
  if (lacksAccess && address.asked !== undefined && isDeveloper(ctx)) {
    // A phone asks for the channel that it can install from.
    const platform = platformOfVisitor(ctx);
    const sibling = findSiblingPlaces(ctx, address).find((place) => place?.platform === platform);
    const wanted = sibling === undefined || sibling.channel.isPublic ? {} : { channelId: sibling.channel.id };
    const refused = tryToAsk(ctx, { path: address.path, ...address.asked, ...wanted });
    if (refused !== undefined) return refused;
  }
  return showPageAt(ctx, address);
}

/** Asks for access. Returns the page with the reason if the person has asked for too many channels. */
function tryToAsk(ctx: DeveloperContext, asked: Parameters<typeof askForAccess>[1]): InstallPage | undefined {
  try {
    askForAccess(ctx, asked);
    return undefined;
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'rate_limit_exceeded') throw error;
    const page = drawAccess(ctx, { kind: 'asked_too_often', most: MAX_OPEN_REQUESTS });
    return { ...page, refusal: { status: error.status, headers: error.headers ?? {} } };
  }
}

/**
 * Returns the page of one release of a channel, for the same people as the channel's page. A channel serves only its
 * current release. The page of any other id links to that one, and doesn't reveal whether the release was replaced, withdrawn or never existed.
 */
export async function showReleasePage(ctx: Context, channelId: string, releaseId: string): Promise<InstallPage> {
  const address = addressOfChannel(ctx, channelId);
  const admitted = admitVisitor(ctx, address);
  if ('kind' in admitted) return drawAccess(ctx, admitted);
  const { place, developerId } = admitted;
  const { base_url: baseUrl } = ctx.config.server;
  const pageUrl = releasePageUrl(baseUrl, channelId, releaseId);
  const offer =
    developerId === null ? findCurrentOffer(ctx, place) : findHeldOffer(ctx, place, () => ({ developerId }));
  if (offer?.live?.release.id === releaseId) return drawOffer(ctx, offer, { pageUrl, channelPath: address.path });
  const currentUrl = channelPageUrl(baseUrl, channelId);
  return draw(ctx, pageUrl, await viewPlace(ctx, place, place.channel.name), { kind: 'superseded', currentUrl });
}
