// Access tokens: JWTs signed with Ed25519 (RFC 8037), 10 minutes, every claim required:
// docs/specification/identity.md#access-tokens.
import type { KeyObject } from 'node:crypto';
import { MINUTE } from '../lib/clock.ts';
import {
  currentSigningKey,
  deleteRetiredKeys,
  findPublicKey,
  isRotationDue,
  type SigningKeyParts,
} from './signing-keys.ts';

export const ACCESS_TOKEN_LIFETIME_MS = 10 * MINUTE;
const AUDIENCE = 'taxiway';
/** How far in the future the time of a token or a sign-in may be. Larger than usual clock corrections. */
export const CLOCK_LEEWAY_MS = MINUTE;
const MAX_VERIFIED = 4096;
/** A quarter of the signature. Looking up the whole token would hash all its characters. */
const VERIFIED_KEY_LENGTH = 22;

export interface AccessTokenClaims {
  developerId: string;
  email: string;
  sessionId: string;
}

export interface AccessTokens {
  issue(claims: AccessTokenClaims): Promise<string>;
  /**
   * Returns the claims of a valid token, synchronously if the token is cached, or undefined for an invalid token. Doesn't check
   * the session.
   */
  verify(token: string): AccessTokenClaims | undefined | Promise<AccessTokenClaims | undefined>;
  /** Deletes retired signing keys without valid tokens. Returns the number deleted. */
  deleteRetiredSigningKeys(): number;
}

interface Parts extends SigningKeyParts {
  issuer: string;
}

/** No key may verify the token. */
class UnknownKeyError extends Error {}

/** Returns the key id of a header. Rejects values of `kid` that aren't text. */
function keyIdOf({ kid }: { kid?: unknown }): string {
  if (typeof kid !== 'string') throw new UnknownKeyError();
  return kid;
}

/**
 * Creates the issuer and verifier of one server. Verified tokens are cached until they expire, because verifying a signature
 * costs more than the rest of a request.
 */
export function createAccessTokens(parts: Parts): AccessTokens {
  const { db, clock, issuer } = parts;
  let signingKey = currentSigningKey(parts);
  const publicKeys = new Map<string, KeyObject>();
  /** By the end of the token. */
  const verified = new Map<string, { token: string; claims: AccessTokenClaims; expiresAt: number }>();

  /** Returns a public key by id. A retired key remains valid for the lifetime of its last token. */
  function publicKey(id: string): KeyObject {
    const now = clock.time();
    const known = publicKeys.get(id);
    if (known !== undefined && !isRotationDue(signingKey, now)) return known;
    const found = findPublicKey(db, id);
    const isUsable =
      found !== undefined && (found.retiredAt === null || now - found.retiredAt < ACCESS_TOKEN_LIFETIME_MS);
    if (!isUsable) throw new UnknownKeyError();
    // Only the current key is cached, because a retired key must stop working in time.
    if (id === signingKey.id) publicKeys.set(id, found.key);
    return found.key;
  }

  function renewKey(): void {
    signingKey = currentSigningKey(parts);
    publicKeys.clear();
  }

  async function verifySignature(token: string): Promise<AccessTokenClaims | undefined> {
    // Loading it takes part of a start, at which no token is verified.
    const { errors, jwtVerify } = await import('jose');
    try {
      const { payload } = await jwtVerify(token, (header) => publicKey(keyIdOf(header)), {
        issuer,
        audience: AUDIENCE,
        algorithms: ['EdDSA'],
        requiredClaims: ['sub', 'email', 'iss', 'aud', 'iat', 'exp', 'sid'],
        currentDate: clock.now(),
      });
      const { sub, email, sid, exp, iat } = payload;
      if (typeof sub !== 'string' || typeof email !== 'string' || typeof sid !== 'string') return undefined;
      if (iat === undefined || iat * 1000 > clock.time() + CLOCK_LEEWAY_MS) return undefined;
      const claims = { developerId: sub, email, sessionId: sid };
      if (verified.size >= MAX_VERIFIED) verified.clear();
      verified.set(token.slice(-VERIFIED_KEY_LENGTH), { token, claims, expiresAt: (exp ?? 0) * 1000 });
      return claims;
    } catch (error) {
      const isInvalid = [errors.JOSEError, UnknownKeyError, TypeError].some((kind) => error instanceof kind);
      if (isInvalid) return undefined;
      throw error;
    }
  }

  return {
    async issue({ developerId, email, sessionId }) {
      const { SignJWT } = await import('jose');
      const now = clock.time();
      if (isRotationDue(signingKey, now)) renewKey();
      const issuedAt = Math.floor(now / 1000);
      return new SignJWT({ email, sid: sessionId })
        .setProtectedHeader({ alg: 'EdDSA', kid: signingKey.id })
        .setSubject(developerId)
        .setIssuer(issuer)
        .setAudience(AUDIENCE)
        .setIssuedAt(issuedAt)
        .setExpirationTime(issuedAt + ACCESS_TOKEN_LIFETIME_MS / 1000)
        .sign(signingKey.privateKey);
    },
    deleteRetiredSigningKeys() {
      return deleteRetiredKeys(db, clock.time() - ACCESS_TOKEN_LIFETIME_MS);
    },
    verify(token) {
      const key = token.slice(-VERIFIED_KEY_LENGTH);
      const known = verified.get(key);
      if (known?.token !== token) return verifySignature(token);
      if (known.expiresAt > clock.time()) return known.claims;
      verified.delete(key);
      return undefined;
    },
  };
}
