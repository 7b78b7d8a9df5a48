// The URLs for installing a release. All are absolute and start with the configured base_url.

/** URLs of a single release. */
export interface InstallLinks {
  /** Redirects to the package. */
  downloadUrl: string;
  /** The property list for iOS. */
  manifestUrl: string;
  /** The install page. */
  pageUrl: string;
}

/** Returns the URL of the page of a channel, for sharing. */
export function channelPageUrl(baseUrl: string, channelId: string): string {
  return `${baseUrl}/install/channels/${channelId}`;
}

/** Returns the URL of the page on which visitors of a channel's page send feedback. */
export function feedbackPageUrl(baseUrl: string, channelId: string): string {
  return `${channelPageUrl(baseUrl, channelId)}/feedback`;
}

/** Returns the URL of the page of a build, for its team and the testers of a channel on which it is live. */
export function buildPageUrl(baseUrl: string, buildId: string): string {
  return `${baseUrl}/install/builds/${buildId}`;
}

/** Returns the URL of a picture with the QR code of a channel's page. */
export function channelQrUrl(baseUrl: string, channelId: string): string {
  return `${baseUrl}/public/v1/channels/${channelId}/qr.png`;
}

/** Returns the URL of a picture with the QR code of a build's page. */
export function buildQrUrl(baseUrl: string, buildId: string): string {
  return `${baseUrl}/public/v1/builds/${buildId}/qr.png`;
}

/** The purpose of the signature in the URL of an icon that a message shows. */
export const MESSAGE_ICON_PURPOSE = 'message icon';

/** Returns the URL of a build's icon for a message. `signature` is over the build's id, with `MESSAGE_ICON_PURPOSE`. */
export function messageIconUrl(baseUrl: string, buildId: string, signature: string): string {
  return `${baseUrl}/public/v1/builds/${buildId}/icon/${signature}`;
}

/** Returns the short URL of the page of a channel. */
export function shortPageUrl(baseUrl: string, slug: string): string {
  return `${baseUrl}/i/${slug}`;
}

/**
 * Returns the URL of the page of one release of a public channel. The page links to the current release if there is a
 * newer one.
 */
export function releasePageUrl(baseUrl: string, channelId: string, releaseId: string): string {
  return `${channelPageUrl(baseUrl, channelId)}/releases/${releaseId}`;
}

/** Returns links to the current release of a public channel. They don't require a capability. */
export function channelLinks(baseUrl: string, channelId: string, releaseId: string): InstallLinks {
  const release = `${baseUrl}/public/v1/channels/${channelId}/releases/${releaseId}`;
  return {
    downloadUrl: `${release}/download`,
    manifestUrl: `${release}/manifest.plist`,
    pageUrl: channelPageUrl(baseUrl, channelId),
  };
}

/** Returns links with an install capability in their path, so that they work without cookies. */
export function capabilityLinks(baseUrl: string, token: string): InstallLinks {
  const install = `${baseUrl}/public/v1/install/${token}`;
  return {
    downloadUrl: `${install}/download`,
    manifestUrl: `${install}/manifest.plist`,
    pageUrl: `${baseUrl}/install/${token}`,
  };
}

/** Returns a download link that counts as one download, regardless of how many requests use it. */
export function withCapability(downloadUrl: string, token: string): string {
  return `${downloadUrl}?capability=${token}`;
}

/** Returns the path of a screenshot, with a capability for a build that isn't public. */
export function screenshotPath(buildId: string, screenshotId: string, token: string | null): string {
  return `/public/v1/builds/${buildId}/screenshots/${screenshotId}${token === null ? '' : `?capability=${token}`}`;
}

/** Returns the path of a build's icon, with a capability for a build that isn't public. */
export function iconPath(buildId: string, token: string | null): string {
  return `/public/v1/icons/${buildId}${token === null ? '' : `?capability=${token}`}`;
}
