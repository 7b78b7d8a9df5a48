// Addresses of everything a phone needs to install a release. All are absolute, from the configured base_url.

/** Where one release is described, fetched and installed. */
export interface InstallLinks {
  /** Answers a redirect to the package. */
  downloadUrl: string;
  /** The property list for iOS. */
  manifestUrl: string;
  /** The page for people. */
  pageUrl: string;
}

/** The page of a public channel: the link that is sent around. */
export function channelPageUrl(baseUrl: string, channelId: string): string {
  return `${baseUrl}/install/channels/${channelId}`;
}

/** The page of one release of a public channel: it tells when another one has taken its place. */
export function releasePageUrl(baseUrl: string, channelId: string, releaseId: string): string {
  return `${channelPageUrl(baseUrl, channelId)}/releases/${releaseId}`;
}

/** Links to the current release of a public channel; they need no proof. */
export function channelLinks(baseUrl: string, channelId: string, releaseId: string): InstallLinks {
  const release = `${baseUrl}/public/v1/channels/${channelId}/releases/${releaseId}`;
  return {
    downloadUrl: `${release}/download`,
    manifestUrl: `${release}/manifest.plist`,
    pageUrl: channelPageUrl(baseUrl, channelId),
  };
}

/** Links that carry an install capability in their path, so that they work without cookies and survive any quoting. */
export function capabilityLinks(baseUrl: string, token: string): InstallLinks {
  const install = `${baseUrl}/public/v1/install/${token}`;
  return {
    downloadUrl: `${install}/download`,
    manifestUrl: `${install}/manifest.plist`,
    pageUrl: `${baseUrl}/install/${token}`,
  };
}

/** A download link whose downloads count once, however often it is followed. */
export function withCapability(downloadUrl: string, token: string): string {
  return `${downloadUrl}?capability=${token}`;
}

/** Path of a build's icon; with a capability for a build that is not public. */
export function iconPath(buildId: string, token: string | null): string {
  return `/public/v1/icons/${buildId}${token === null ? '' : `?capability=${token}`}`;
}
