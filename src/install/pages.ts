// The install pages: the app of a link, the visitor's phone, and the state of the page.
import { createHash } from 'node:crypto';
import { displayBuildNumber } from '../builds/build-number.ts';
import { loadBuildFacts } from '../builds/compatibility-facts.ts';
import { findBuild, updateBuild } from '../builds/store.ts';
import { askForAccess, hasAskedForAccess } from '../channels/access-requests.ts';
import { noChannel } from '../channels/audience.ts';
import {
  capabilityLinks,
  channelPageUrl,
  iconPath,
  releasePageUrl,
  screenshotPath,
  shortPageUrl,
  withCapability,
} from '../channels/install-links.ts';
import { listSiblingChannels } from '../channels/siblings.ts';
import { resolveSlug } from '../channels/slugs.ts';
import { type Phone, recognizePhone } from '../compatibility/phone.ts';
import type { Context, DeveloperContext } from '../core/context.ts';
import { isPasskeyOffered } from '../developers/passkey-offer.ts';
import { factsOfPhone, isIpad } from '../devices/compatibility-facts.ts';
import { readDeviceCookie } from '../devices/cookie.ts';
import { type DeviceRow, findDevice, findDeviceByUdid } from '../devices/store.ts';
import { blocksDownloads } from '../http/organization-lock.ts';
import { findIconColor, publicOrganizationIconPath } from '../images/service.ts';
import { chooseLanguage } from '../languages.ts';
import { AppError } from '../lib/errors.ts';
import { findOrganizationColor } from '../organizations/icon-color.ts';
import { checkMemberRequirements } from '../organizations/member-requirements.ts';
import type { DeviceKind } from '../page-texts/install-texts.ts';
import { platforms as allPlatforms, type Platform } from '../platforms.ts';
import { listScreenshots } from '../projects/screenshot-store.ts';
import { isUuid } from '../runtime/ids.ts';
import { mintCapability } from './capability.ts';
import {
  findBuildOffer,
  findCapabilityOffer,
  findCurrentOffer,
  findHeldOffer,
  findTesterPlace,
  iosBundleIdentifier,
  mayDownload,
  mayInstall,
  nameOffer,
  notesOf,
  type Offer,
} from './offers.ts';
import { renderAccessPage } from './page/access.ts';
import { drawQrCode } from './page/qr-code.ts';
import { renderInstallPage } from './page/render.ts';
import type { InstallPage } from './page/send.ts';
import { decideInstallState, type InstallFacts } from './page/state.ts';
import {
  type AccessState,
  type AppView,
  hasForm,
  type InstallState,
  type InstallTarget,
  type InstallView,
  type PlatformView,
  showsQrCode,
} from './page/view.ts';
import { addRegistration } from './registration.ts';
import { findEarlierCopy, findPlace, type Place, type ProjectPlace } from './store.ts';
import { findReinstallReason } from './updates.ts';

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
  return { path: pathOfChannel(channelId), place, asked };
}

function pathOfChannel(channelId: string): string {
  return `/install/channels/${encodeURIComponent(channelId)}`;
}

function addressOfSlug(slug: string, channelId: string | undefined, ctx: Context): PageAddress {
  const place = findPlace(ctx, channelId ?? noChannel.id);
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

/** Returns the page of a channel on which nothing is live, for visitors who can't register their phone there. */
export async function drawEmptyChannel(ctx: Context, place: Place, pageUrl: string): Promise<InstallPage> {
  return draw(ctx, pageUrl, await viewPlace(ctx, place, place.channel.name), { kind: 'nothing_released' });
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

function askAt(ctx: Context, address: PageAddress): Promise<InstallPage> {
  const visit = receiveVisitor(ctx, address);
  const lacksAccess = 'kind' in visit && visit.kind === 'no_access';
  if (lacksAccess && address.asked !== undefined && isDeveloper(ctx)) {
    // A phone asks for the channel that it can install from.
    const platform = platformOfVisitor(ctx);
    const sibling = findSiblingPlaces(ctx, address).find((place) => place?.platform === platform);
    const wanted = sibling === undefined || sibling.channel.isPublic ? {} : { channelId: sibling.channel.id };
    askForAccess(ctx, { path: address.path, ...address.asked, ...wanted });
  }
  return showPageAt(ctx, address);
}

/** A channel that a visitor may install from. `developerId` is null for public channels. */
interface Admitted {
  place: Place;
  developerId: string | null;
}

/** What the page of a link shows: a channel, and on computers its siblings. */
interface Visit extends Admitted {
  others: readonly Admitted[];
}

/**
 * Returns what the page of a link shows to a visitor. Phones of another platform than the channel's get its sibling if the
 * visitor may install from it, and computers get both. A visitor who may not gets the same as without a sibling.
 */
function receiveVisitor(ctx: Context, address: PageAddress): Visit | AccessState {
  const admitted = admitVisitor(ctx, address);
  const own = 'kind' in admitted ? admitted : { ...admitted, others: [] };
  const platform = platformOfVisitor(ctx);
  if (!('kind' in own) && own.place.platform === platform) return own;
  // A private link shows nothing to strangers, not even a public sibling: otherwise it would differ from a missing one.
  if ('kind' in own && !isDeveloper(ctx)) return own;
  // For people without access, also if the channel is missing or for their phone: otherwise it would take longer than others.
  const results = findSiblingPlaces(ctx, address).flatMap((place) => {
    const result = admitToSibling(ctx, address.path, place, 'kind' in own);
    return result === undefined || (platform !== null && place?.platform !== platform) ? [] : [result];
  });
  if (platform !== null) {
    const [result] = results;
    if (result === undefined) return own;
    return 'kind' in result ? result : { ...result, others: [] };
  }
  const open = results.flatMap((result) => ('kind' in result ? [] : [result]));
  if (!('kind' in own)) return { ...own, others: open };
  const [first, ...others] = open;
  return first === undefined ? own : { ...first, others };
}

/**
 * Admits a visitor to the sibling of a link's channel, or to none. `needsOwnAccess`: the visitor may not install from the channel
 * itself, so that only their own access to the sibling counts, not that it is public. Returns undefined without access.
 */
function admitToSibling(
  ctx: Context,
  path: string,
  place: Place | undefined,
  needsOwnAccess: boolean,
): Admitted | AccessState | undefined {
  // Looked up for missing siblings too, so that they aren't found faster.
  const isOwn = isDeveloper(ctx) && mayInstall(ctx, ctx.actor.id, place ?? { channel: noChannel });
  if (place === undefined) return undefined;
  if (place.channel.isPublic && (isOwn || !needsOwnAccess)) return { place, developerId: null };
  if (!isOwn || !ctx.actor.mayWrite) return undefined;
  return findRequirement(ctx, place.organizationId, path) ?? { place, developerId: ctx.actor.id };
}

/**
 * Returns the siblings of a channel, with undefined for each that is missing: the lookups are the same for a channel without
 * siblings, and for a missing one.
 */
function findSiblingPlaces(ctx: Context, { place }: PageAddress): (Place | undefined)[] {
  const siblings = listSiblingChannels(ctx, place?.channel.id ?? noChannel.id);
  return allPlatforms.slice(1).map((_, at) => findPlace(ctx, siblings[at]?.id ?? noChannel.id));
}

/** Returns the platform of the visitor's phone, or null for a computer. */
function platformOfVisitor(ctx: Context): Platform | null {
  return factsOfPhone(recognizeBrowser(ctx).phone, null).platform;
}

/**
 * Returns the channel if the visitor may install from it, and otherwise what they can do. `developerId` is null for public
 * channels. The answer for a private channel is the same as for a missing one unless the visitor may install from it.
 */
function admitVisitor(ctx: Context, { path, place, asked }: PageAddress): Admitted | AccessState {
  if (place?.channel.isPublic === true) return { place, developerId: null };
  const admitted = admitPerson(ctx, { path, asked, isAskable: true }, (developerId) =>
    // Looked up for missing channels too, so that they aren't found faster.
    mayInstall(ctx, developerId, place ?? { channel: noChannel }) ? place : undefined,
  );
  return 'kind' in admitted ? admitted : { place: admitted.found, developerId: admitted.developerId };
}

/**
 * Returns what `find` returns for the person whose session the browser has, and otherwise what the visitor can do.
 * `isAskable`: the page has a team that can be asked for access.
 */
function admitPerson<Found extends { organizationId: string }>(
  ctx: Context,
  { path, asked, isAskable }: Pick<PageAddress, 'path' | 'asked'> & { isAskable: boolean },
  find: (developerId: string) => Found | undefined,
): { found: Found; developerId: string } | AccessState {
  const { base_url: baseUrl } = ctx.config.server;
  const signInUrl = signInPage(baseUrl, path);
  if (!isDeveloper(ctx)) return { kind: 'sign_in', signInUrl };
  const { id: developerId, email, isVerified, mayWrite } = ctx.actor;
  const accountUrl = `${baseUrl}/me`;
  const unverified = {
    kind: 'verify_email',
    email,
    accountUrl,
    sendsMail: ctx.config.mail.transport === 'smtp',
  } as const;
  if (!mayWrite) return unverified;
  const found = find(developerId);
  if (found === undefined) {
    // The team would grant access to the address, which isn't proven.
    if (!isVerified) return unverified;
    if (asked !== undefined && hasAskedForAccess(ctx, developerId, asked.targetId)) return { kind: 'access_asked' };
    const otherAccountUrl = `${signInUrl}&account=other`;
    const requestUrl = isAskable ? `${baseUrl}${path}/access-request` : null;
    return { kind: 'no_access', email, signInUrl: otherAccountUrl, requestUrl };
  }
  return findRequirement(ctx, found.organizationId, path) ?? { found, developerId };
}

/** Returns what a person with access must do before, or undefined. */
function findRequirement(ctx: DeveloperContext, organizationId: string, path: string): AccessState | undefined {
  const { base_url: baseUrl } = ctx.config.server;
  const accountUrl = `${baseUrl}/me`;
  try {
    checkMemberRequirements(ctx, organizationId);
    return undefined;
  } catch (error) {
    if (error instanceof AppError && error.code === 'mfa_enrollment_required') {
      return { kind: 'two_factor_needed', accountUrl };
    }
    if (error instanceof AppError && error.details.reason === 'email_sign_in_not_allowed') {
      return { kind: 'sign_in_otherwise', signInUrl: `${signInPage(baseUrl, path)}&account=other`, accountUrl };
    }
    throw error;
  }
}

/**
 * Returns the page of one build, whether it was released or not, for members who may download it, and for testers of a channel
 * on which it is live. For others, existing, missing and malformed ids get the same page.
 */
export function showBuildPage(ctx: Context, buildId: string): InstallPage | Promise<InstallPage> {
  const path = `/install/builds/${encodeURIComponent(buildId)}`;
  const build = isUuid(buildId) ? findBuild(ctx, buildId) : undefined;
  const admitted = admitPerson(ctx, { path, asked: undefined, isAskable: false }, (developerId) => {
    // Both are looked up for missing builds too, so that they aren't found faster.
    const isMember = mayDownload(ctx, developerId, build ?? noChannel);
    const place = isMember ? undefined : findTesterPlace(ctx, developerId, build?.id ?? noChannel.id);
    if (build === undefined || !(isMember || place !== undefined)) return undefined;
    return { organizationId: build.organizationId, build, place };
  });
  if ('kind' in admitted) return drawAccess(ctx, admitted);
  const { developerId, found } = admitted;
  const holder = { developerId };
  const offer =
    found.place === undefined
      ? findBuildOffer(ctx, found.build, holder)
      : findHeldOffer(ctx, found.place, () => holder);
  if (offer === undefined) return draw(ctx, '', null, { kind: 'link_expired' });
  return drawOffer(ctx, offer, { pageUrl: ctx.config.server.base_url + path });
}

/** The sign-in page that returns to a page of ours. */
function signInPage(baseUrl: string, path: string): string {
  return `${baseUrl}/sign-in?back=${encodeURIComponent(path)}`;
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

/** Returns the page of an install capability. Expired and unknown ones get the same page. */
export async function showCapabilityPage(ctx: Context, token: string): Promise<InstallPage> {
  const offer = findCapabilityOffer(ctx, token);
  if (offer?.proof == null) return draw(ctx, '', null, { kind: 'link_expired' });
  const expiresAt = new Date(offer.proof.grant.expiresAt);
  return drawOffer(ctx, offer, { pageUrl: offer.links.pageUrl, expiresAt, isChannelHidden: true });
}

/** What the page of an offer shows around it. */
interface OfferPage {
  /** When the address expires, which the page shows; null if it doesn't. */
  expiresAt?: Date | null;
  isChannelHidden?: true;
  /** Where the page of the channel is, if this is that page. */
  channelPath?: string;
}

/** Returns the page of an offer at an address. */
export async function drawOffer(
  ctx: Context,
  offer: Offer,
  { pageUrl, ...page }: OfferPage & { pageUrl: string },
): Promise<InstallPage> {
  const { app, state } = await viewOffer(ctx, offer, page);
  return draw(ctx, pageUrl, app, state);
}

async function viewOffer(
  ctx: Context,
  offer: Offer,
  { expiresAt = null, isChannelHidden, channelPath }: OfferPage,
): Promise<PlatformView> {
  const { place, build, live, proof } = offer;
  const app: AppView = {
    ...(await viewPlace(ctx, place, isChannelHidden === true ? null : (live?.channel.name ?? null))),
    name: nameOffer(offer),
    platform: build.platform,
    iconUrl: build.iconKey === null ? null : iconPath(build.id, proof?.token ?? null),
    ...(build.iconKey === null
      ? {}
      : { color: await findIconColor(ctx, build, (tx, _key, iconColor) => updateBuild(tx, build.id, { iconColor })) }),
    release: viewRelease(offer),
    screenshots: listScreenshots(ctx, place.projectId).map(({ id, width, height }) => ({
      url: screenshotPath(build.id, id, proof?.token ?? null),
      width,
      height,
    })),
  };
  const { phone, registration, device } = recognizeVisitor(ctx, place);
  const decided = decideInstallState({
    now: ctx.clock.now(),
    phone,
    registration,
    build: loadBuildFacts(ctx, build),
    lacksManifest: build.platform === 'ios' && iosBundleIdentifier(offer) === null,
    target: chooseTarget(ctx, offer),
    reinstall: findReinstall(ctx, offer),
    isLocked: blocksDownloads(place.lockReason),
    linkExpiresAt: expiresAt,
  });
  // Links that were shared lead to channels that their visitors may not be able to open.
  const opensChannel = channelPath !== undefined || live?.channel.isPublic === true || proof?.grant.developerId != null;
  const state =
    live !== null && opensChannel
      ? addRegistration(ctx, decided, { place: { ...place, channel: live.channel }, channelPath, device })
      : decided;
  return { app, state };
}

async function draw(
  ctx: Context,
  pageUrl: string,
  app: AppView | null,
  state: InstallState,
  more: Pick<InstallView, 'platforms' | 'signInUrl'> = {},
): Promise<InstallPage> {
  const qrCode = showsQrCode(state) ? await drawQrCode(pageUrl) : null;
  const locale = chooseLanguage(ctx.request.acceptLanguage);
  const passkeyUrl = choosePasskeyUrl(ctx, pageUrl);
  const html = renderInstallPage({ now: ctx.clock.now(), pageUrl, qrCode, app, state, passkeyUrl, ...more }, locale);
  const isWaiting = 'waits' in state && state.waits !== undefined;
  return { html, isFound: app !== null, hasForm: hasForm(state), isWaiting };
}

/** Returns where the visitor can add a passkey and returns from, or null if it isn't offered. */
function choosePasskeyUrl(ctx: Context, pageUrl: string): string | null {
  if (!isDeveloper(ctx) || !isPasskeyOffered(ctx, ctx.actor.id)) return null;
  const { base_url: baseUrl } = ctx.config.server;
  return `${baseUrl}/me/passkey?back=${encodeURIComponent(pageUrl.slice(baseUrl.length))}`;
}

/** Returns the phone by its headers, and the device that its browser was registered as, in any organization. */
function recognizeBrowser(ctx: Context): { phone: Phone; device: DeviceRow | undefined } {
  const phone = recognizePhone(ctx.request.userAgent, {
    platform: ctx.request.header('sec-ch-ua-platform'),
    platformVersion: ctx.request.header('sec-ch-ua-platform-version'),
  });
  const deviceId = readDeviceCookie(ctx);
  const device = deviceId === undefined ? undefined : findDevice(ctx, deviceId);
  const isKnownIpad = phone.couldBeIpad && device !== undefined && isIpad(device.product);
  return { phone: isKnownIpad ? { ...phone, system: 'ipados', couldBeIpad: false } : phone, device };
}

/**
 * Returns the phone, the device that its browser was registered as in any organization, and that device in the organization of a
 * channel or build.
 */
function recognizeVisitor(
  ctx: Context,
  { organizationId }: ProjectPlace,
): { phone: Phone; registration: InstallFacts['registration']; device: DeviceRow | undefined } {
  const { phone, device: known } = recognizeBrowser(ctx);
  if (known === undefined) return { phone, registration: null, device: undefined };
  const device = known.organizationId === organizationId ? known : findDeviceByUdid(ctx, organizationId, known.udid);
  return { phone, registration: { udid: known.udid, isRegisteredHere: device !== undefined }, device };
}

/**
 * iOS loads the manifest and the package outside of the browser, so the page contains a new capability. Reloading the
 * page renews it.
 */
function chooseTarget(ctx: Context, { build, live, proof, links }: Offer): InstallTarget {
  if (proof !== null || live === null) {
    return build.platform === 'ios'
      ? { platform: 'ios', manifestUrl: links.manifestUrl }
      : { platform: build.platform, downloadUrl: links.downloadUrl };
  }
  const { token } = mintCapability(ctx, { releaseId: live.release.id, channelId: live.channel.id, developerId: null });
  if (build.platform === 'ios')
    return { platform: 'ios', manifestUrl: capabilityLinks(ctx.config.server.base_url, token).manifestUrl };
  // A download link also works without a capability, for a page that was left open. With it, a restarted download counts
  // once.
  return { platform: build.platform, downloadUrl: withCapability(links.downloadUrl, token) };
}

/** Compares with the previous release of the channel: phones have that one, if any. */
function findReinstall(ctx: Context, { build, live, archive }: Offer): InstallFacts['reinstall'] {
  if (archive === null || live === null) return null;
  const earlier = findEarlierCopy(ctx, live.channel.id, build.id);
  if (earlier === undefined) return null;
  const reason = findReinstallReason(build.platform, archive, earlier.archive);
  return reason === null ? null : { reason, versionName: earlier.versionName };
}

async function viewPlace(ctx: Context, place: ProjectPlace, channelName: string | null): Promise<AppView> {
  const { organizationId } = place;
  const icon = { iconKey: place.organizationIconKey, iconColor: place.organizationIconColor };
  return {
    name: place.projectName,
    organizationName: place.organizationName,
    organizationIconUrl: publicOrganizationIconPath(organizationId, place.organizationIconKey),
    color: await findOrganizationColor(ctx, organizationId, icon),
    projectName: place.projectName,
    channelName,
    platform: place.platform,
    iconUrl: null,
    release: null,
  };
}

function viewRelease(offer: Offer): NonNullable<AppView['release']> {
  const { live, build, archive } = offer;
  return {
    versionName: build.versionName,
    buildNumber: displayBuildNumber(build),
    sizeBytes: build.sizeBytes,
    minimumOsVersion: build.minOsVersion,
    releaseNotes: notesOf(offer),
    isReleased: live !== null,
    releasedAt: new Date(live?.release.createdAt ?? build.uploadedAt),
    profileKind: archive?.profile?.kind ?? null,
    isDebuggable: archive?.isDebuggable === true,
  };
}
