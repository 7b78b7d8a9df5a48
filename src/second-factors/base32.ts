// Base32 without padding (RFC 4648 section 6), for TOTP secrets and recovery codes, which people type.

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** Encodes bytes. An incomplete last group of bits is padded with zeros. */
export function encodeBase32(bytes: Uint8Array): string {
  let text = '';
  let bits = 0;
  let value = 0;
  for (const byte of bytes) {
    value = (value << 8) | byte;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += ALPHABET.charAt((value >>> bits) & 31);
    }
    value &= 31;
  }
  return bits === 0 ? text : text + ALPHABET.charAt((value << (5 - bits)) & 31);
}
