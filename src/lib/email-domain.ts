// Email domains in their stored form: ASCII (RFC 5891, A-labels).
import { domainToASCII } from 'node:url';

/** Only matching domains are converted, because domainToASCII reads its argument as the host of a URL. */
const DOMAIN = /^[\p{L}\p{N}\p{M}._-]+$/u;

/**
 * Returns the address with its domain in ASCII, so that every spelling of a domain is the same text and lookalike domains are
 * recognizable (`xn--…`). Returns the address unchanged if the domain can't be converted.
 */
export function withAsciiDomain(address: string): string {
  const at = address.lastIndexOf('@');
  const domain = address.slice(at + 1);
  if (/^[\x20-\x7e]*$/.test(domain) || !DOMAIN.test(domain)) return address;
  const converted = domainToASCII(domain);
  return converted === '' ? address : `${address.slice(0, at + 1)}${converted}`;
}
