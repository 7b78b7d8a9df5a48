// Draws install pages: the app of a link, the visitor's phone, and the state of the page.
import { displayBuildNumber } from '../builds/build-number.ts';
import { loadBuildFacts } from '../builds/compatibility-facts.ts';
import { updateBuild } from '../builds/store.ts';
import {
  capabilityLinks,
  feedbackPageUrl,
  iconPath,
  screenshotPath,
  withCapability,
} from '../channels/install-links.ts';
import type { Context } from '../core/context.ts';
import { isPasskeyOffered } from '../developers/passkey-offer.ts';
import { blocksDownloads, lockOf } from '../http/organization-lock.ts';
import { findIconColor, publicOrganizationIconPath } from '../images/service.ts';
import { chooseLanguage } from '../languages.ts';
import { findOrganizationColor } from '../organizations/icon-color.ts';
import { listScreenshots } from '../projects/screenshot-store.ts';
import { mintCapability } from './capability.ts';
import { iosBundleIdentifier, nameOffer, notesOf, type Offer } from './offers.ts';
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
import { findEarlierCopy, type Place, type ProjectPlace } from './store.ts';
import { findReinstallReason } from './updates.ts';
import { isDeveloper, recognizeVisitor } from './visitor.ts';

/** Returns the page that says why a visitor can't install yet and what to do, or confirms a request for access. */
export function drawAccess(ctx: Context, state: AccessState): InstallPage {
  return {
    html: renderAccessPage(state, chooseLanguage(ctx.request.acceptLanguage)),
    isFound: state.kind === 'access_asked',
    hasForm: true,
    isRefusal: true,
  };
}

/** Returns the page of a channel on which nothing is live, for visitors who can't register their phone there. */
export async function drawEmptyChannel(ctx: Context, place: Place, pageUrl: string): Promise<InstallPage> {
  return draw(ctx, pageUrl, await viewPlace(ctx, place, place.channel.name), { kind: 'nothing_released' });
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

/** Returns what the page of an offer shows: the app, and whether and how the visitor's phone can install it. */
export async function viewOffer(
  ctx: Context,
  offer: Offer,
  { expiresAt = null, isChannelHidden, channelPath }: OfferPage,
): Promise<PlatformView> {
  const { place, build, live, proof } = offer;
  // Links that were shared lead to channels that their visitors may not be able to open.
  const opensChannel = channelPath !== undefined || live?.channel.isPublic === true || proof?.grant.developerId != null;
  const app: AppView = {
    ...(await viewPlace(ctx, place, isChannelHidden === true ? null : (live?.channel.name ?? null))),
    name: nameOffer(offer),
    platform: build.platform,
    iconUrl: build.iconKey === null ? null : iconPath(build.id, proof?.token ?? null),
    ...(build.iconKey === null
      ? {}
      : { color: await findIconColor(ctx, build, (tx, _key, iconColor) => updateBuild(tx, build.id, { iconColor })) }),
    release: viewRelease(offer, isChannelHidden !== true),
    ...(live === null || isChannelHidden === true || !opensChannel || lockOf(ctx, place) !== null
      ? {}
      : { feedbackUrl: feedbackPageUrl(ctx.config.server.base_url, live.channel.id) }),
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
    isLocked: blocksDownloads(ctx, place),
    linkExpiresAt: expiresAt,
  });
  const state =
    live !== null && opensChannel
      ? addRegistration(ctx, decided, {
          place: { ...place, channel: live.channel, pullRequest: live.pullRequest },
          channelPath,
          device,
        })
      : decided;
  return { app, state };
}

/** Returns a page in the visitor's language. `app` is null if the address leads nowhere; the page is a 404 then. */
export async function draw(
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

/** Returns the app of a place on which nothing is offered. `channelName` is null for visitors who may not see it. */
export async function viewPlace(ctx: Context, place: ProjectPlace, channelName: string | null): Promise<AppView> {
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

function viewRelease(offer: Offer, showsChannel: boolean): NonNullable<AppView['release']> {
  const { live, build, archive } = offer;
  const pullRequest = showsChannel ? (live?.pullRequest ?? null) : null;
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
    ...(pullRequest === null ? {} : { preview: { pullRequest, commit: build.sourceCommit } }),
  };
}
