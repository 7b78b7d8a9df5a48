// Device identifiers: the two forms that Apple uses, one spelling for each, and how they are shown where nobody needs them.

const LONG = /^[0-9a-f]{40}$/i;
const SHORT = /^[0-9a-f]{8}-[0-9a-f]{16}$/i;

/**
 * An identifier in the spelling that is kept: 40 hexadecimal digits in lower case (devices before 2018), or 8, a hyphen and
 * 16 in upper case, as Apple's own pages write them. Undefined for anything else.
 */
export function readUdid(text: string): string | undefined {
  const udid = text.trim();
  if (LONG.test(udid)) return udid.toLowerCase();
  return SHORT.test(udid) ? udid.toUpperCase() : undefined;
}

/** Enough of an identifier to recognise one's own device by, and too little to use it. */
export function maskUdid(udid: string): string {
  return `…${udid.slice(-4)}`;
}
