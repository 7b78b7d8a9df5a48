// The rules for installing without an account.

import { checkDownloadFunds } from '../billing/gates.ts';
import { displayBuildNumber } from '../builds/build-number.ts';
import { mintDownload, readBuildIcon } from '../builds/downloads.ts';
import { findBuild } from '../builds/store.ts';
import { capabilityLinks, channelPageUrl, iconPath } from '../channels/install-links.ts';
import type { Context, Tx } from '../core/context.ts';
import { checkDownloadLock } from '../http/organization-lock.ts';
import type { Reply } from '../http/reply.ts';
import { timestamp } from '../lib/clock.ts';
import { notFound } from '../lib/errors.ts';
import { findScreenshot } from '../projects/screenshot-store.ts';
import { readScreenshotImage } from '../projects/screenshots.ts';
import { findCurrent, isActiveRelease } from '../releases/store.ts';
import { type Capability, mintCapability, readVisitId } from './capability.ts';
import { allowsIcon } from './icon-grant.ts';
import { itmsLink, renderManifest } from './manifest.ts';
import {
  findCapabilityOffer,
  findCurrentOffer,
  findPublicPlace,
  iosBundleIdentifier,
  loadCapabilityOffer,
  loadCurrentOffer,
  nameOffer,
  notesOf,
  type Offer,
} from './offers.ts';
import type { CapabilityInstall, InstallLink, PublicChannel, PublicRelease } from './schema.ts';
import { countShareInstall, findShareLinkById } from './share-links.ts';
import { listPublicChannelsOf } from './store.ts';

/** Returns a public channel with its current release. Throws `not_found` for any other. */
export function readPublicChannel(ctx: Context, channelId: string): PublicChannel {
  const place = findPublicPlace(ctx, channelId);
  if (place === undefined) throw notFound();
  const { channel } = place;
  const offer = findCurrentOffer(ctx, place);
  return {
    identifier: channel.id,
    name: channel.name,
    description: channel.description,
    project: { name: place.projectName, platform: place.platform, icon_url: offer ? iconUrl(ctx, offer) : null },
    organization_name: place.organizationName,
    install_page_url: channelPageUrl(ctx.config.server.base_url, channel.id),
    releases: offer ? [toPublicRelease(ctx, offer)] : [],
  };
}

/** Returns the release or build of a capability. Throws `not_found`. */
export function readCapabilityInstall(ctx: Context, token: string): CapabilityInstall {
  const offer = loadCapabilityOffer(ctx, token);
  const { place, proof, links } = offer;
  return {
    project: { name: place.projectName, platform: place.platform, icon_url: iconUrl(ctx, offer) },
    organization_name: place.organizationName,
    release: toPublicRelease(ctx, offer),
    expires_at: timestamp(proof?.grant.expiresAt ?? 0),
    ...(iosBundleIdentifier(offer) === null ? {} : { itms_url: itmsLink(links.manifestUrl) }),
  };
}

/** Creates a capability for the current release of a public channel. Throws if downloads are locked or can't be paid. */
export function createInstallLink(ctx: Context, channelId: string, releaseId: string): InstallLink {
  const offer = loadCurrentOffer(ctx, channelId, releaseId);
  checkDownloadLock(ctx, offer.place);
  checkDownloadFunds(ctx, offer.build);
  return toInstallLink(ctx, mintCapability(ctx, { releaseId, channelId, developerId: null }), offer);
}

/** Returns the links of a capability for a release. */
export function toInstallLink(ctx: Context, { token, expiresAt }: Capability, offer: Offer): InstallLink {
  const links = capabilityLinks(ctx.config.server.base_url, token);
  return {
    capability: token,
    expires_at: timestamp(expiresAt),
    install_url: links.pageUrl,
    download_url: links.downloadUrl,
    ...(iosBundleIdentifier(offer) === null
      ? {}
      : { manifest_url: links.manifestUrl, itms_url: itmsLink(links.manifestUrl) }),
  };
}

/**
 * Returns a signed link to the current package of a public channel, marked with channel and release. With the
 * capability of the install page, repeated requests count as one download. An invalid capability is ignored.
 */
export async function downloadCurrent(
  ctx: Context,
  channelId: string,
  releaseId: string,
  token: string | undefined,
): Promise<string> {
  const offer = loadCurrentOffer(ctx, channelId, releaseId);
  return signPackage(ctx, offer, token === undefined ? undefined : readVisitId(ctx, token, { releaseId, channelId }));
}

/** Returns a signed link to the package of a capability. Repeated requests count as one download. */
export async function downloadByCapability(ctx: Context, token: string): Promise<string> {
  return signPackage(ctx, loadCapabilityOffer(ctx, token));
}

async function signPackage(
  ctx: Context,
  offer: Offer,
  visitId: string | undefined = offer.proof?.grant.id,
): Promise<string> {
  const { place, live, build, proof } = offer;
  checkDownloadLock(ctx, place);
  const shareLinkId = proof?.grant.shareLinkId;
  const { url } = await mintDownload(ctx, build, {
    subject: proof === null ? 'public' : `capability:${proof.grant.id}`,
    isRedirect: true,
    ...(live === null ? {} : { channelId: live.channel.id, releaseId: live.release.id }),
    developerId: proof?.grant.developerId ?? null,
    confirm: (later) => confirmOffer(later, offer),
    ...(visitId === undefined ? {} : { capabilityId: visitId }),
    ...(shareLinkId === undefined ? {} : { admit: (tx: Tx) => admitShareInstall(tx, shareLinkId) }),
  });
  return url;
}

/**
 * Throws `not_found` if an offer ended while the storage was asked: with its channel, its release, or the access of its holder. A newer
 * release doesn't end it. Throws the error of an organization that was locked.
 */
function confirmOffer(ctx: Context, { live, proof }: Offer): void {
  if (proof !== null) {
    checkDownloadLock(ctx, loadCapabilityOffer(ctx, proof.token).place);
    return;
  }
  const place = live === null ? undefined : findPublicPlace(ctx, live.channel.id);
  if (live === null || place === undefined || !isActiveRelease(ctx, live.release.id)) throw notFound();
  checkDownloadLock(ctx, place);
}

/** Counts an install of a share link. Throws `not_found` if the link was revoked or used up since the page was shown. */
function admitShareInstall(tx: Tx, shareLinkId: string): void {
  if (findShareLinkById(tx, shareLinkId) === undefined || !countShareInstall(tx, shareLinkId)) throw notFound();
}

/**
 * Returns the property list of a public channel's current release. Its package link contains a capability, because iOS
 * loads it without the browser's session.
 */
export function writeCurrentManifest(ctx: Context, channelId: string, releaseId: string): string {
  const offer = loadCurrentOffer(ctx, channelId, releaseId);
  return writeManifest(ctx, offer, mintCapability(ctx, { releaseId, channelId, developerId: null }).token);
}

/** Returns the property list of a capability. Its package link contains the same capability. */
export function writeCapabilityManifest(ctx: Context, token: string): string {
  return writeManifest(ctx, loadCapabilityOffer(ctx, token), token);
}

function writeManifest(ctx: Context, offer: Offer, token: string): string {
  const bundleIdentifier = iosBundleIdentifier(offer);
  if (bundleIdentifier === null) throw notFound();
  const { base_url: baseUrl } = ctx.config.server;
  const icon = offer.build.iconKey === null ? undefined : baseUrl + iconPath(offer.build.id, token);
  return renderManifest({
    packageUrl: capabilityLinks(baseUrl, token).downloadUrl,
    displayImageUrl: icon,
    fullSizeImageUrl: icon,
    bundleIdentifier,
    version: offer.archive?.versionName ?? offer.build.versionName,
    title: nameOffer(offer),
  });
}

/**
 * Returns the icon of a build that is live on a public channel, belongs to the capability, or that the icon's signed address
 * allows. `isPublic` means that shared caches may store it. Throws `not_found`.
 */
export async function readPublicIcon(ctx: Context, buildId: string, token: string | undefined) {
  const { build, isPublic } = findGrantedIcon(ctx, buildId, token) ?? loadOfferedBuild(ctx, buildId, token);
  const icon = await readBuildIcon(ctx, build);
  if (icon === undefined) throw notFound();
  return { ...icon, isPublic };
}

/** Returns a screenshot of the app of such a build. Throws `not_found`. */
export async function readPublicScreenshot(
  ctx: Context,
  buildId: string,
  screenshotId: string,
  token: string | undefined,
): Promise<Reply> {
  const { build, isPublic } = loadOfferedBuild(ctx, buildId, token);
  const screenshot = findScreenshot(ctx, build.projectId, screenshotId);
  if (screenshot === undefined) throw notFound();
  const image = await readScreenshotImage(ctx, screenshot);
  return {
    ...image,
    headers: { ...image.headers, 'cache-control': `${isPublic ? 'public' : 'private'}, max-age=3600` },
  };
}

function findGrantedIcon(ctx: Context, buildId: string, token: string | undefined) {
  const build = token !== undefined && allowsIcon(ctx, buildId, token) ? findBuild(ctx, buildId) : undefined;
  return build?.revokedAt === null ? { build, isPublic: false } : undefined;
}

function loadOfferedBuild(ctx: Context, buildId: string, token: string | undefined) {
  const offer = token === undefined ? undefined : findCapabilityOffer(ctx, token);
  const isPublic = offer?.build.id !== buildId;
  const build = isPublic ? findPublicBuild(ctx, buildId) : offer.build;
  if (build === undefined) throw notFound();
  return { build, isPublic };
}

function findPublicBuild(ctx: Context, buildId: string) {
  const isServed = listPublicChannelsOf(ctx, buildId).some((id) => findCurrent(ctx, id)?.build.id === buildId);
  return isServed ? findBuild(ctx, buildId) : undefined;
}

function toPublicRelease(ctx: Context, offer: Offer): PublicRelease {
  const { live, build, links } = offer;
  return {
    identifier: live?.release.id ?? build.id,
    platform: build.platform,
    version_name: build.versionName,
    build_number: build.buildNumber,
    display_build_number: displayBuildNumber(build),
    size_bytes: build.sizeBytes,
    min_os_version: build.minOsVersion,
    release_notes: notesOf(offer),
    mandatory: live?.release.mandatory ?? false,
    icon_url: iconUrl(ctx, offer),
    created_at: timestamp(live?.release.createdAt ?? build.uploadedAt),
    sha256: build.sha256,
    download_url: links.downloadUrl,
    ...(iosBundleIdentifier(offer) === null ? {} : { manifest_url: links.manifestUrl }),
    install_url: links.pageUrl,
  };
}

function iconUrl(ctx: Context, { build, proof }: Offer): string | null {
  return build.iconKey === null ? null : ctx.config.server.base_url + iconPath(build.id, proof?.token ?? null);
}
