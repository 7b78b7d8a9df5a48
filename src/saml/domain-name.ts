// Domain names in canonical form: lower case, ASCII, without a trailing dot.
import { domainToASCII } from 'node:url';
import { fieldError } from '../lib/validation.ts';

const LABEL = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9])?$/;
const LONGEST = 253;

/** Returns the canonical form of a domain with at least two labels, or undefined if it isn't one. */
export function normalizeDomain(text: string): string | undefined {
  const written = text.trim().toLowerCase().replace(/\.$/, '');
  // The conversion reads its argument as the host of a URL and would ignore text after a slash.
  if (written.length > LONGEST || !/^[\p{L}\p{N}\p{M}._-]+$/u.test(written)) return undefined;
  const domain = domainToASCII(written);
  const labels = domain.split('.');
  const isDomain = domain.length <= LONGEST && labels.length >= 2 && labels.every((label) => LABEL.test(label));
  // A numeric last label means an IP address.
  return isDomain && !/^\d+$/.test(labels.at(-1) ?? '') ? domain : undefined;
}

/** Returns the canonical form of a domain in a field of the body. Throws `validation_error` if it isn't a domain. */
export function requireDomain(text: string, field: string): string {
  const domain = normalizeDomain(text);
  if (domain !== undefined) return domain;
  throw fieldError('body', [field], 'value_error', 'Input should be a domain such as example.com');
}

/** Returns the canonical domain of an email address, or undefined. */
export function domainOfAddress(email: string): string | undefined {
  return normalizeDomain(email.slice(email.lastIndexOf('@') + 1));
}
