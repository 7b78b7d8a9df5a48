// Signatures over length-prefixed fields with a purpose and a key id, for everything that the service signs.
import { createHmac, timingSafeEqual } from 'node:crypto';

/** One HMAC key. Signatures contain its id, so that old signatures still verify after the key is replaced. */
type SigningKey = { readonly id: string; readonly key: Uint8Array };

/** The current signing key, and previous keys that still verify. */
export type Keyring = { readonly current: SigningKey; readonly previous: readonly SigningKey[] };

const KEY_ID = /^[A-Za-z0-9_-]{1,32}$/;
const MIN_KEY_BYTES = 32;

/**
 * Signs fields for one purpose with the current key (docs/specification/conventions.md#single-use-credentials). Returns
 * `<key id>.<base64url of HMAC-SHA256>`, which is safe in a URL. Throws RangeError for an unusable key.
 */
export function signFields(keyring: Keyring, purpose: string, fields: readonly string[]): string {
  return signWith(keyring.current, purpose, fields);
}

/** Whether a signature was created with a key of the ring for exactly this purpose and these fields. Never throws. */
export function verifyFields(keyring: Keyring, purpose: string, fields: readonly string[], signature: string): boolean {
  const dot = signature.indexOf('.');
  if (dot < 1) return false;
  const id = signature.slice(0, dot);
  const signingKey = [keyring.current, ...keyring.previous].find((candidate) => candidate.id === id);
  if (signingKey === undefined) return false;
  // Compares the texts and not the decoded bytes, because base64url has several spellings of one value.
  const expected = Buffer.from(signWith(signingKey, purpose, fields));
  const given = Buffer.from(signature);
  return expected.length === given.length && timingSafeEqual(expected, given);
}

function signWith(signingKey: SigningKey, purpose: string, fields: readonly string[]): string {
  if (!KEY_ID.test(signingKey.id))
    throw new RangeError('a signing key id must be 1 to 32 characters of A-Z a-z 0-9 _ -');
  if (signingKey.key.byteLength < MIN_KEY_BYTES) throw new RangeError('a signing key must have at least 32 bytes');
  const hmac = createHmac('sha256', signingKey.key);
  for (const field of [signingKey.id, purpose, ...fields]) {
    const bytes = Buffer.from(field, 'utf8');
    const length = Buffer.alloc(4);
    length.writeUInt32BE(bytes.length);
    hmac.update(length).update(bytes);
  }
  return `${signingKey.id}.${hmac.digest('base64url')}`;
}
