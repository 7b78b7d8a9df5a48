// The domain of an e-mail address as it is kept: in ASCII (RFC 5891, A-labels).
import { domainToASCII } from 'node:url';

/** Anything but this is not converted: the conversion reads its argument as the host of a URL. */
const DOMAIN = /^[\p{L}\p{N}\p{M}._-]+$/u;

/**
 * An address with its domain in ASCII, so that one domain is one text in every spelling, and a domain that only looks like
 * another one is shown as what it is (`xn--…`). Whatever can't be converted stays as it is.
 */
export function withAsciiDomain(address: string): string {
  const at = address.lastIndexOf('@');
  const domain = address.slice(at + 1);
  if (/^[\x20-\x7e]*$/.test(domain) || !DOMAIN.test(domain)) return address;
  const converted = domainToASCII(domain);
  return converted === '' ? address : `${address.slice(0, at + 1)}${converted}`;
}
