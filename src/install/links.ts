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

/** Path of a build's icon; with a capability for a build that is not public. */
export function iconPath(buildId: string, token: string | null): string {
  return `/public/v1/icons/${buildId}${token === null ? '' : `?capability=${token}`}`;
}
