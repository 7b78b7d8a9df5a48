// The host of an address.

/** The host of an address with its port; undefined for text that is no URL. */
export function hostOf(address: string): string | undefined {
  return URL.canParse(address) ? new URL(address).host : undefined;
}

/** The host name of an address as a socket takes it: without port, an IPv6 address without its brackets. Throws for text that is no URL. */
export function hostnameOf(address: string | URL): string {
  return new URL(address).hostname.replace(/^\[|\]$/g, '');
}
