// URLs of IP addresses. Apart from url-host.ts, which the web app loads too.
import { isIP } from 'node:net';
import { hostnameOf } from './url-host.ts';

/** Whether the host of a URL is an IP address. False for an empty text. */
export function isIpUrl(url: string): boolean {
  return url !== '' && isIP(hostnameOf(url)) !== 0;
}
