// Addresses of an enrollment. All are absolute, from the configured base_url.
import { channelPageUrl, shortPageUrl } from '../channels/install-links.ts';

/** Returns the URL of the page to open on the phone. */
export function enrollmentUrl(baseUrl: string, token: string): string {
  return `${baseUrl}/public/v1/enroll/${token}`;
}

/** Returns the URL of the profile that requests the device identifier. */
export function profileUrl(baseUrl: string, token: string): string {
  return `${enrollmentUrl(baseUrl, token)}/profile`;
}

/** Returns the URL to which the device sends its response. */
export function callbackUrl(baseUrl: string, token: string): string {
  return `${enrollmentUrl(baseUrl, token)}/callback`;
}

/** Returns the URL of the result page for the phone's browser. */
export function resultUrl(baseUrl: string, token: string, proof: string): string {
  return `${enrollmentUrl(baseUrl, token)}/result/${proof}`;
}

/** Returns the URL of the page on which a link was created, to which the phone returns. */
export function returnUrl(
  baseUrl: string,
  channelId: string,
  { isShort, slug }: { isShort: boolean; slug: string | null },
): string {
  return isShort && slug !== null ? shortPageUrl(baseUrl, slug) : channelPageUrl(baseUrl, channelId);
}
