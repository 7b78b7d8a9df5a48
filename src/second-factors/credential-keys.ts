// The public keys of passkeys (COSE, RFC 9053 and RFC 8230). The library verifies no signature with the key of a new passkey, so
// one that can't verify any would only be noticed at the next sign-in.
import { createPublicKey, type KeyObject } from 'node:crypto';

type CoseKey = Pick<ReadonlyMap<number, unknown>, 'get'>;
type Jwk = Record<string, string>;

/** EdDSA, ES256 and RS256 (COSE algorithm identifiers), as supported by current authenticators. */
export const ALGORITHMS = [-8, -7, -257];

const TYPE = 1;
const ALGORITHM = 3;
/** Curve, or the modulus of an RSA key. */
const FIRST = -1;
/** The point, or the exponent of an RSA key. */
const SECOND = -2;
const THIRD = -3;
const COORDINATE_BYTES = 32;
const MIN_MODULUS_BITS = 2048;
const MIN_EXPONENT = 3n;

/** Returns whether signatures of an accepted algorithm can be verified with a key. */
export function isUsableKey(cose: CoseKey): boolean {
  const jwk = toJwk(cose);
  if (jwk === undefined) return false;
  try {
    // Throws for points that aren't on the curve.
    return isStrong(createPublicKey({ format: 'jwk', key: jwk }));
  } catch {
    return false;
  }
}

/** Returns undefined if the parts of the key don't fit its algorithm. */
function toJwk(cose: CoseKey): Jwk | undefined {
  const [type, algorithm, first] = [cose.get(TYPE), cose.get(ALGORITHM), cose.get(FIRST)];
  const [second, third] = [bytesOf(cose.get(SECOND)), bytesOf(cose.get(THIRD))];
  if (second === undefined) return undefined;
  if (algorithm === -7 && type === 2 && first === 1 && third !== undefined) {
    const isPoint = second.length === COORDINATE_BYTES && third.length === COORDINATE_BYTES;
    return isPoint ? { kty: 'EC', crv: 'P-256', x: base64url(second), y: base64url(third) } : undefined;
  }
  if (algorithm === -8 && type === 1 && first === 6) return { kty: 'OKP', crv: 'Ed25519', x: base64url(second) };
  const modulus = bytesOf(first);
  if (algorithm !== -257 || type !== 3 || modulus === undefined) return undefined;
  return { kty: 'RSA', n: base64url(modulus), e: base64url(second) };
}

const bytesOf = (value: unknown) => (value instanceof Uint8Array ? value : undefined);
const base64url = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url');

/** With an exponent of 1, anyone could write signatures. */
function isStrong({ asymmetricKeyType, asymmetricKeyDetails = {} }: KeyObject): boolean {
  if (asymmetricKeyType !== 'rsa') return true;
  const { modulusLength = 0, publicExponent = 0n } = asymmetricKeyDetails;
  return modulusLength >= MIN_MODULUS_BITS && publicExponent >= MIN_EXPONENT;
}
