// Domain names as they are kept and compared: in lower case, as ASCII, without a dot at the end.
import { domainToASCII } from 'node:url';

const LABEL = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9])?$/;
const LONGEST = 253;

/** The kept form of a domain of at least two labels; undefined for what is none. */
export function normalizeDomain(text: string): string | undefined {
  const written = text.trim().toLowerCase().replace(/\.$/, '');
  // The conversion reads its argument as the host of an address and would drop what follows a slash.
  if (written.length > LONGEST || !/^[\p{L}\p{N}\p{M}._-]+$/u.test(written)) return undefined;
  const domain = domainToASCII(written);
  const labels = domain.split('.');
  const isDomain = domain.length <= LONGEST && labels.length >= 2 && labels.every((label) => LABEL.test(label));
  // A last label of digits is an address.
  return isDomain && !/^\d+$/.test(labels.at(-1) ?? '') ? domain : undefined;
}

/** The domain of an e-mail address in its kept form; undefined for what has none. */
export function domainOfAddress(email: string): string | undefined {
  return normalizeDomain(email.slice(email.lastIndexOf('@') + 1));
}
