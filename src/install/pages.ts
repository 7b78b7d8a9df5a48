// The install pages: the app of a link, the visitor's phone, and the state of the page.
import { createHash } from 'node:crypto';
import { displayBuildNumber } from '../builds/build-number.ts';
import { loadBuildFacts } from '../builds/compatibility-facts.ts';
import { updateBuild } from '../builds/store.ts';
import { askForAccess, hasAskedForAccess } from '../channels/access-requests.ts';
import {
  capabilityLinks,
  channelPageUrl,
  iconPath,
  releasePageUrl,
  shortPageUrl,
  withCapability,
} from '../channels/install-links.ts';
import { resolveSlug } from '../channels/slugs.ts';
import { type Phone, recognizePhone } from '../compatibility/phone.ts';
import type { Context, DeveloperContext } from '../core/context.ts';
import { isIpad } from '../devices/compatibility-facts.ts';
import { readDeviceCookie } from '../devices/cookie.ts';
import { findDevice, findDeviceByUdid } from '../devices/store.ts';
import { blocksDownloads } from '../http/organization-lock.ts';
import { findIconColor, publicOrganizationIconPath } from '../images/service.ts';
import { chooseLanguage } from '../languages.ts';
import { AppError } from '../lib/errors.ts';
import type { Html } from '../lib/html.ts';
import { findOrganizationColor } from '../organizations/icon-color.ts';
import { checkMemberRequirements } from '../organizations/member-requirements.ts';
import { isUuid } from '../runtime/ids.ts';
import { mintCapability } from './capability.ts';
import {
  findCapabilityOffer,
  findCurrentOffer,
  findTesterOffer,
  iosBundleIdentifier,
  mayInstall,
  nameOffer,
  notesOf,
  type Offer,
} from './offers.ts';
import { renderAccessPage } from './page/access.ts';
import { drawQrCode } from './page/qr-code.ts';
import { renderInstallPage } from './page/render.ts';
import { decideInstallState, type InstallFacts } from './page/state.ts';
import { type AccessState, type AppView, type InstallState, type InstallTarget, showsQrCode } from './page/view.ts';
import { findEarlierCopy, findPlace, type Place } from './store.ts';
import { findReinstallReason } from './updates.ts';

/** A complete page, and whether its link is valid. */
export interface InstallPage {
  html: Html;
  isFound: boolean;
  hasForm?: true;
}

/** An address at which the page of a channel may be. */
interface PageAddress {
  /** Below the base URL. */
  path: string;
  /** Undefined if no channel has the address. */
  place: Place | undefined;
  /** What a request for access names; undefined for a malformed id. */
  asked: { targetId: string; channelId: string } | undefined;
}

function addressOfChannel(ctx: Context, channelId: string): PageAddress {
  const targetId = isUuid(channelId) ? channelId : undefined;
  const place = targetId === undefined ? undefined : findPlace(ctx, targetId);
  // Ids of any form end up in links, so that malformed ones don't stand out.
  const asked = targetId === undefined ? undefined : { targetId, channelId: targetId };
  return { path: `/install/channels/${encodeURIComponent(channelId)}`, place, asked };
}

function addressOfSlug(slug: string, channelId: string | undefined, ctx: Context): PageAddress {
  const place = channelId === undefined ? undefined : findPlace(ctx, channelId);
  // The same for every slug, so that having asked at one address says nothing about another.
  const targetId = uuidOfText(slug);
  return { path: `/i/${encodeURIComponent(slug)}`, place, asked: { targetId, channelId: channelId ?? targetId } };
}

/** Returns an id for a slug, whether a channel has it or not. */
function uuidOfText(text: string): string {
  const hash = createHash('sha256').update(text).digest('hex');
  return `${hash.slice(0, 8)}-${hash.slice(8, 12)}-8${hash.slice(13, 16)}-8${hash.slice(17, 20)}-${hash.slice(20, 32)}`;
}

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
  if (found !== undefined && found.slug !== slug && !('kind' in admitVisitor(ctx, address))) {
    const { base_url: baseUrl } = ctx.config.server;
    return {
      movedTo: found.slug === null ? channelPageUrl(baseUrl, found.channelId) : shortPageUrl(baseUrl, found.slug),
    };
  }
  return showPageAt(ctx, address);
}

async function showPageAt(ctx: Context, address: PageAddress): Promise<InstallPage> {
  const admitted = admitVisitor(ctx, address);
  if ('kind' in admitted) return drawAccess(ctx, admitted);
  const { place, developerId } = admitted;
  const pageUrl = ctx.config.server.base_url + address.path;
  const offer = developerId === null ? findCurrentOffer(ctx, place) : findTesterOffer(ctx, place, developerId);
  if (offer !== undefined) return drawOffer(ctx, offer, { pageUrl, isChannelPage: true });
  return draw(ctx, pageUrl, await viewPlace(ctx, place), { kind: 'nothing_released' });
}

/** Asks the team of a channel for access, for a visitor without it. Returns the page of the channel. */
export function askForChannel(ctx: Context, channelId: string): Promise<InstallPage> {
  return askAt(ctx, addressOfChannel(ctx, channelId));
}

/** The same at a short address. */
export function askAtShortAddress(ctx: Context, slug: string): Promise<InstallPage> {
  return askAt(ctx, addressOfSlug(slug, resolveSlug(ctx, slug)?.channelId, ctx));
}

function askAt(ctx: Context, address: PageAddress): Promise<InstallPage> {
  const admitted = admitVisitor(ctx, address);
  const lacksAccess = 'kind' in admitted && admitted.kind === 'no_access';
  if (lacksAccess && address.asked !== undefined && isDeveloper(ctx)) {
    askForAccess(ctx, { path: address.path, ...address.asked });
  }
  return showPageAt(ctx, address);
}

/**
 * Returns the channel if the visitor may install from it, and otherwise what they can do. `developerId` is null for public
 * channels. The answer for a private channel is the same as for a missing one unless the visitor may install from it.
 */
function admitVisitor(
  ctx: Context,
  { path, place, asked }: PageAddress,
): { place: Place; developerId: string | null } | AccessState {
  const { base_url: baseUrl } = ctx.config.server;
  if (place?.channel.isPublic === true) return { place, developerId: null };
  const signInUrl = `${baseUrl}/sign-in?back=${encodeURIComponent(path)}`;
  if (!isDeveloper(ctx)) return { kind: 'sign_in', signInUrl };
  const { id: developerId, email, isVerified, mayWrite } = ctx.actor;
  const accountUrl = `${baseUrl}/me`;
  if (!mayWrite) return { kind: 'verify_email', email, accountUrl };
  if (place === undefined || !mayInstall(ctx, developerId, place)) {
    // The team would grant access to the address, which isn't proven.
    if (!isVerified) return { kind: 'verify_email', email, accountUrl };
    if (asked !== undefined && hasAskedForAccess(ctx, developerId, asked.targetId)) return { kind: 'access_asked' };
    const otherAccountUrl = `${signInUrl}&account=other`;
    return { kind: 'no_access', email, signInUrl: otherAccountUrl, requestUrl: `${baseUrl}${path}/access-request` };
  }
  try {
    checkMemberRequirements(ctx, place.channel.organizationId);
  } catch (error) {
    if (error instanceof AppError && error.code === 'mfa_enrollment_required') {
      return { kind: 'two_factor_needed', accountUrl };
    }
    throw error;
  }
  return { place, developerId };
}

function isDeveloper(ctx: Context): ctx is DeveloperContext {
  return ctx.actor.kind === 'developer';
}

function drawAccess(ctx: Context, state: AccessState): InstallPage {
  return {
    html: renderAccessPage(state, chooseLanguage(ctx.request.acceptLanguage)),
    isFound: state.kind === 'access_asked',
    hasForm: true,
  };
}

/**
 * Returns the page of one release of a channel, for the same people as the channel's page. A channel serves only its
 * current release. The page of any other id links to that one, and doesn't reveal whether the release was replaced, withdrawn or never existed.
 */
export async function showReleasePage(ctx: Context, channelId: string, releaseId: string): Promise<InstallPage> {
  const admitted = admitVisitor(ctx, addressOfChannel(ctx, channelId));
  if ('kind' in admitted) return drawAccess(ctx, admitted);
  const { place, developerId } = admitted;
  const { base_url: baseUrl } = ctx.config.server;
  const pageUrl = releasePageUrl(baseUrl, channelId, releaseId);
  const offer = developerId === null ? findCurrentOffer(ctx, place) : findTesterOffer(ctx, place, developerId);
  if (offer?.release.id === releaseId) return drawOffer(ctx, offer, { pageUrl, isChannelPage: true });
  const currentUrl = channelPageUrl(baseUrl, channelId);
  return draw(ctx, pageUrl, await viewPlace(ctx, place), { kind: 'superseded', currentUrl });
}

/** Returns the page of an install capability. Expired and unknown ones get the same page. */
export async function showCapabilityPage(ctx: Context, token: string): Promise<InstallPage> {
  const offer = findCapabilityOffer(ctx, token);
  return offer === undefined
    ? draw(ctx, '', null, { kind: 'link_expired' })
    : drawOffer(ctx, offer, { pageUrl: offer.links.pageUrl, isChannelPage: false });
}

/** `isChannelPage`: the page shows the channel, and stays valid when its capability expires. */
async function drawOffer(
  ctx: Context,
  offer: Offer,
  { pageUrl, isChannelPage }: { pageUrl: string; isChannelPage: boolean },
): Promise<InstallPage> {
  const { place, build, proof } = offer;
  const app: AppView = {
    ...(await viewPlace(ctx, place)),
    name: nameOffer(offer),
    channelName: isChannelPage ? place.channel.name : null,
    platform: build.platform,
    iconUrl: build.iconKey === null ? null : iconPath(build.id, proof?.token ?? null),
    ...(build.iconKey === null
      ? {}
      : { color: await findIconColor(ctx, build, (tx, _key, iconColor) => updateBuild(tx, build.id, { iconColor })) }),
    release: viewRelease(offer),
  };
  const { phone, registration } = recognizeVisitor(ctx, place);
  const state = decideInstallState({
    now: ctx.clock.now(),
    phone,
    registration,
    build: loadBuildFacts(ctx, build),
    lacksManifest: build.platform === 'ios' && iosBundleIdentifier(offer) === null,
    target: chooseTarget(ctx, offer),
    reinstall: findReinstall(ctx, offer),
    isLocked: blocksDownloads(place.lockReason),
    linkExpiresAt: proof === null || isChannelPage ? null : new Date(proof.grant.expiresAt),
  });
  return draw(ctx, pageUrl, app, state);
}

async function draw(ctx: Context, pageUrl: string, app: AppView | null, state: InstallState): Promise<InstallPage> {
  const qrCode = showsQrCode(state) ? await drawQrCode(pageUrl) : null;
  const locale = chooseLanguage(ctx.request.acceptLanguage);
  const html = renderInstallPage({ now: ctx.clock.now(), pageUrl, qrCode, app, state }, locale);
  return { html, isFound: app !== null };
}

/** Returns the phone by its headers, and the device that its browser was registered as, in any organization. */
function recognizeVisitor(ctx: Context, place: Place): { phone: Phone; registration: InstallFacts['registration'] } {
  const phone = recognizePhone(ctx.request.userAgent, {
    platform: ctx.request.header('sec-ch-ua-platform'),
    platformVersion: ctx.request.header('sec-ch-ua-platform-version'),
  });
  const deviceId = readDeviceCookie(ctx);
  const device = deviceId === undefined ? undefined : findDevice(ctx, deviceId);
  if (device === undefined) return { phone, registration: null };
  const { organizationId } = place.channel;
  const isRegisteredHere =
    device.organizationId === organizationId || findDeviceByUdid(ctx, organizationId, device.udid) !== undefined;
  return {
    phone: phone.couldBeIpad && isIpad(device.product) ? { ...phone, system: 'ipados', couldBeIpad: false } : phone,
    registration: { udid: device.udid, isRegisteredHere },
  };
}

/**
 * iOS loads the manifest and the package outside of the browser, so the page contains a new capability. Reloading the
 * page renews it.
 */
function chooseTarget(ctx: Context, { build, release, proof, links }: Offer): InstallTarget {
  if (proof !== null) {
    return build.platform === 'ios'
      ? { platform: 'ios', manifestUrl: links.manifestUrl }
      : { platform: build.platform, downloadUrl: links.downloadUrl };
  }
  const { token } = mintCapability(ctx, { releaseId: release.id, channelId: release.channelId, developerId: null });
  if (build.platform === 'ios')
    return { platform: 'ios', manifestUrl: capabilityLinks(ctx.config.server.base_url, token).manifestUrl };
  // A download link also works without a capability, for a page that was left open. With it, a restarted download counts
  // once.
  return { platform: build.platform, downloadUrl: withCapability(links.downloadUrl, token) };
}

function findReinstall(ctx: Context, { build, release, archive }: Offer): InstallFacts['reinstall'] {
  const earlier = archive === null ? undefined : findEarlierCopy(ctx, release.channelId, build.id);
  if (archive === null || earlier === undefined) return null;
  const reason = findReinstallReason(build.platform, archive, earlier.archive);
  return reason === null ? null : { reason, versionName: earlier.versionName };
}

async function viewPlace(ctx: Context, place: Place): Promise<AppView> {
  const { organizationId } = place.channel;
  const icon = { iconKey: place.organizationIconKey, iconColor: place.organizationIconColor };
  return {
    name: place.projectName,
    organizationName: place.organizationName,
    organizationIconUrl: publicOrganizationIconPath(organizationId, place.organizationIconKey),
    color: await findOrganizationColor(ctx, organizationId, icon),
    projectName: place.projectName,
    channelName: place.channel.name,
    platform: place.platform,
    iconUrl: null,
    release: null,
  };
}

function viewRelease(offer: Offer): NonNullable<AppView['release']> {
  const { release, build, archive } = offer;
  return {
    versionName: build.versionName,
    buildNumber: displayBuildNumber(build),
    sizeBytes: build.sizeBytes,
    minimumOsVersion: build.minOsVersion,
    releaseNotes: notesOf(offer),
    releasedAt: new Date(release.createdAt),
    profileKind: archive?.profile?.kind ?? null,
    isDebuggable: archive?.isDebuggable === true,
  };
}
