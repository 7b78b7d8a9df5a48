// Downloads of updates by installs, and the branding of the app.
import { findDownloadTime } from '../builds/download-store.ts';
import { mintDownload } from '../builds/downloads.ts';
import { iconPath } from '../channels/install-links.ts';
import type { Context } from '../core/context.ts';
import { unauthorized } from '../core/session-state.ts';
import { checkDownloadLock } from '../http/organization-lock.ts';
import { mintCapability } from '../install/capability.ts';
import { signIconGrant } from '../install/icon-grant.ts';
import { itmsLink } from '../install/manifest.ts';
import { findCapabilityOffer, iosBundleIdentifier } from '../install/offers.ts';
import { writeCapabilityManifest } from '../install/service.ts';
import { findPlace, type Place } from '../install/store.ts';
import { MINUTE, timestamp } from '../lib/clock.ts';
import { notFound } from '../lib/errors.ts';
import { findCurrent, findRelease, type ReleaseWithBuild } from '../releases/store.ts';
import { isUuid } from '../runtime/ids.ts';
import { findSdkApp, type SdkAppRow } from './app-store.ts';
import { readManifestGrant, signManifestGrant } from './capability.ts';
import type { Install } from './credentials.ts';
import type { AppFacts, UpdateDownload } from './schema.ts';

/** Requests of an install for the same release within this period count as one download. */
const COUNTED_ONCE_MS = 15 * MINUTE;

/** Branding: the app's name and the source of its updates. */
export function readAppFacts(ctx: Context, { app }: Install): AppFacts {
  const place = placeOf(ctx, app);
  return {
    name: app.name,
    organization_name: place.organizationName,
    icon_url: iconUrl(ctx, place),
    platform: place.platform,
    channel_name: place.channel.name,
  };
}

function iconUrl(ctx: Context, { channel }: Place): string | null {
  const current = findCurrent(ctx, channel.id);
  if (current === undefined || current.build.iconKey === null) return null;
  const token = channel.isPublic ? null : signIconGrant(ctx, current.build.id);
  return ctx.config.server.base_url + iconPath(current.build.id, token);
}

/**
 * Returns a signed link to the package of a current release of the install's channel, counted for channel and release,
 * and for iOS its manifest. Throws `not_found` for any other release, and the error of the organization's lock.
 */
export async function downloadUpdate(ctx: Context, install: Install, releaseId: string): Promise<UpdateDownload> {
  const { release, build } = loadServed(ctx, install.app, releaseId);
  checkDownloadLock(ctx, placeOf(ctx, install.app));
  const downloadId = nameDownload(ctx, install, releaseId);
  const { url, expiresAt } = await mintDownload(ctx, build, {
    subject: `sdk_install:${install.installRowId}`,
    channelId: release.channelId,
    releaseId,
    developerId: null,
    capabilityId: downloadId,
    sdkInstallId: install.installRowId,
    confirm(later) {
      // The release may have ended while the storage was asked, or the SDK app belong to another channel.
      const app = findSdkApp(later, install.app.id);
      if (app === undefined) throw notFound();
      loadServed(later, app, releaseId);
      checkDownloadLock(later, placeOf(later, app));
    },
  });
  const grant = { downloadId, releaseId, sdkAppId: install.app.id, expiresAt: expiresAt.getTime() };
  return {
    download_url: url,
    expires_at: timestamp(grant.expiresAt),
    sha256: build.sha256,
    size_bytes: build.sizeBytes,
    ...(canInstallOverTheAir(ctx, install.app, release, downloadId)
      ? manifestLinks(ctx, releaseId, signManifestGrant(ctx, grant))
      : {}),
  };
}

/**
 * Returns an id for the download that stays the same when the install repeats its request soon: in the same or the
 * previous period.
 */
function nameDownload(ctx: Context, { installRowId }: Install, releaseId: string): string {
  const now = ctx.clock.time();
  const period = Math.floor(now / COUNTED_ONCE_MS);
  const nameOf = (at: number) => toUuid(ctx.secrets.hash(`sdk download ${installRowId} ${releaseId} ${at}`));
  const earlier = nameOf(period - 1);
  const begunAt = findDownloadTime(ctx, earlier);
  return begunAt !== undefined && now - begunAt < COUNTED_ONCE_MS ? earlier : nameOf(period);
}

function toUuid(hex: string): string {
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join('-');
}

function canInstallOverTheAir(
  ctx: Context,
  app: SdkAppRow,
  release: ReleaseWithBuild['release'],
  downloadId: string,
): boolean {
  const offer = findCapabilityOffer(ctx, mintInstall(ctx, app, release, downloadId));
  return offer !== undefined && iosBundleIdentifier(offer) !== null;
}

function mintInstall(
  ctx: Context,
  app: SdkAppRow,
  { id, channelId }: ReleaseWithBuild['release'],
  downloadId: string,
): string {
  const grant = { id: downloadId, releaseId: id, channelId, developerId: null, sdkAppId: app.id };
  return mintCapability(ctx, grant).token;
}

function manifestLinks(ctx: Context, releaseId: string, capability: string) {
  const { base_url: baseUrl } = ctx.config.server;
  const manifestUrl = `${baseUrl}/sdk/v1/releases/${releaseId}/manifest.plist?capability=${capability}`;
  return { capability, manifest_url: manifestUrl, itms_url: itmsLink(manifestUrl) };
}

/**
 * Returns the property list for installing a release on iOS. The capability must be from a download response or for
 * installing this release. Throws `unauthorized` for others, and `not_found` if the release is no longer available.
 */
export function writeUpdateManifest(ctx: Context, releaseId: string, capability: string): string {
  const grant = readManifestGrant(ctx, capability);
  if (grant === undefined) {
    if (findCapabilityOffer(ctx, capability)?.live?.release.id !== releaseId) throw unauthorized();
    return writeCapabilityManifest(ctx, capability);
  }
  const app = findSdkApp(ctx, grant.sdkAppId);
  if (grant.releaseId !== releaseId || app === undefined || app.revokedAt !== null) throw unauthorized();
  const { release } = loadServed(ctx, app, releaseId);
  return writeCapabilityManifest(ctx, mintInstall(ctx, app, release, grant.downloadId));
}

/** Returns an active release of the SDK app's channel whose build isn't revoked. Throws `not_found`. */
function loadServed(ctx: Context, app: SdkAppRow, releaseId: string): ReleaseWithBuild {
  const found = isUuid(releaseId) ? findRelease(ctx, releaseId) : undefined;
  const isServed =
    found !== undefined &&
    found.release.channelId === app.channelId &&
    found.release.state === 'active' &&
    found.build.revokedAt === null;
  if (!isServed) throw notFound();
  return found;
}

function placeOf(ctx: Context, app: SdkAppRow): Place {
  const place = findPlace(ctx, app.channelId);
  if (place === undefined) throw new Error('an SDK app without its channel');
  return place;
}
