// Device identifiers: Apple's two forms, their normalized spelling, and their masked display.

const LONG = /^[0-9a-f]{40}$/i;
const SHORT = /^[0-9a-f]{8}-[0-9a-f]{16}$/i;

/**
 * Returns a normalized identifier: 40 hexadecimal digits in lower case (devices before 2018), or 8, a hyphen and 16 in
 * upper case, as on Apple's website. Returns undefined for anything else.
 */
export function readUdid(text: string): string | undefined {
  const udid = text.trim();
  if (LONG.test(udid)) return udid.toLowerCase();
  return SHORT.test(udid) ? udid.toUpperCase() : undefined;
}

/** Returns enough of an identifier to recognize one's own device, but too little to use it. */
export function maskUdid(udid: string): string {
  return `…${udid.slice(-4)}`;
}
