// What is shown of an address: a chat's webhook address is its whole secret, so lists name the host alone.

/** The host of an address, with its port. */
export function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}
