// Hosts of URLs.

/** Returns the host of a URL with its port; undefined if the text isn't a URL. */
export function hostOf(address: string): string | undefined {
  return URL.canParse(address) ? new URL(address).host : undefined;
}

/** Returns whether only this machine can open a URL. */
export function isLoopbackUrl(address: string): boolean {
  return /^(?:localhost|.+\.localhost|127(?:\.\d+){3}|\[::1\])$/.test(new URL(address).hostname);
}

/**
 * Returns the host name of a URL in the form used by sockets: without port, IPv6 addresses without brackets. Throws if
 * the text isn't a URL.
 */
export function hostnameOf(address: string | URL): string {
  return new URL(address).hostname.replace(/^\[|\]$/g, '');
}
