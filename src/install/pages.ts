// The install pages: the app of a link, the visitor's phone, and the state of the page.
import { displayBuildNumber } from '../builds/build-number.ts';
import { loadBuildFacts } from '../builds/compatibility-facts.ts';
import { updateBuild } from '../builds/store.ts';
import { askForAccess, hasAskedForAccess } from '../channels/access-requests.ts';
import {
  accessRequestUrl,
  capabilityLinks,
  channelPageUrl,
  iconPath,
  releasePageUrl,
  withCapability,
} from '../channels/install-links.ts';
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
  findAnyPlace,
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
import { findEarlierCopy, type Place } from './store.ts';
import { findReinstallReason } from './updates.ts';

/** A complete page, and whether its link is valid. */
export interface InstallPage {
  html: Html;
  isFound: boolean;
  hasForm?: true;
}

/**
 * Returns the page of a channel. Private ones require the session of a person who may install from them. For others, private,
 * missing and malformed channels get the same page.
 */
export async function showChannelPage(ctx: Context, channelId: string): Promise<InstallPage> {
  const admitted = admitVisitor(ctx, channelId);
  if ('kind' in admitted) return drawAccess(ctx, admitted);
  const { place, developerId } = admitted;
  const pageUrl = channelPageUrl(ctx.config.server.base_url, channelId);
  const offer = developerId === null ? findCurrentOffer(ctx, place) : findTesterOffer(ctx, place, developerId);
  if (offer !== undefined) return drawOffer(ctx, offer, { pageUrl, isChannelPage: true });
  return draw(ctx, pageUrl, await viewPlace(ctx, place), { kind: 'nothing_released' });
}

/** Asks the team of a channel for access, for a visitor without it. Returns the page of the channel. */
export async function askForChannel(ctx: Context, channelId: string): Promise<InstallPage> {
  const admitted = admitVisitor(ctx, channelId);
  if ('kind' in admitted && admitted.kind === 'no_access' && isUuid(channelId) && isDeveloper(ctx)) {
    askForAccess(ctx, channelId);
  }
  return showChannelPage(ctx, channelId);
}

/**
 * Returns the channel if the visitor may install from it, and otherwise what they can do. `developerId` is null for public
 * channels. The answer for a private channel is the same as for a missing one unless the visitor may install from it.
 */
function admitVisitor(ctx: Context, channelId: string): { place: Place; developerId: string | null } | AccessState {
  const { base_url: baseUrl } = ctx.config.server;
  const place = findAnyPlace(ctx, channelId);
  if (place?.channel.isPublic === true) return { place, developerId: null };
  // Ids of any form end up in links, so that malformed ones don't stand out.
  const path = `/install/channels/${encodeURIComponent(channelId)}`;
  const signInUrl = `${baseUrl}/sign-in?back=${encodeURIComponent(path)}`;
  if (!isDeveloper(ctx)) return { kind: 'sign_in', signInUrl };
  const { id: developerId, email, isVerified } = ctx.actor;
  const accountUrl = `${baseUrl}/me`;
  if (!isVerified) return { kind: 'verify_email', email, accountUrl };
  if (place === undefined || !mayInstall(ctx, developerId, place)) {
    if (hasAskedForAccess(ctx, developerId, channelId)) return { kind: 'access_asked' };
    const otherAccountUrl = `${signInUrl}&account=other`;
    return { kind: 'no_access', email, signInUrl: otherAccountUrl, requestUrl: accessRequestUrl(baseUrl, channelId) };
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
 * Returns the page of one release of a channel, for the same people as the channel's page. A channel serves only its current release. The page of any other
 * id links to that one, and doesn't reveal whether the release was replaced, withdrawn or never existed.
 */
export async function showReleasePage(ctx: Context, channelId: string, releaseId: string): Promise<InstallPage> {
  const admitted = admitVisitor(ctx, channelId);
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
      : { color: await findIconColor(ctx, build, (tx, iconColor) => updateBuild(tx, build.id, { iconColor })) }),
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
