// Access tokens: JWTs signed with Ed25519 (RFC 8037), 10 minutes, every claim required:
// docs/specification/identity.md#access-tokens.
import type { KeyObject } from 'node:crypto';
import { errors as joseErrors, jwtVerify, SignJWT } from 'jose';
import { MINUTE } from '../lib/clock.ts';
import {
  currentSigningKey,
  deleteRetiredKeys,
  findPublicKey,
  isWornOut,
  type SigningKeyParts,
} from './signing-keys.ts';

export const ACCESS_TOKEN_LIFETIME_MS = 10 * MINUTE;
const AUDIENCE = 'taxiway';
/** How far ahead a token may have been issued: a clock that was set back is corrected by less. */
const CLOCK_LEEWAY_MS = MINUTE;
const MOST_REMEMBERED = 4096;

export interface AccessTokenClaims {
  developerId: string;
  email: string;
  sessionId: string;
}

export interface AccessTokens {
  issue(claims: AccessTokenClaims): Promise<string>;
  /**
   * The claims of a valid token, at once when it is remembered; undefined for anything else. Whether its session still
   * lives is asked elsewhere.
   */
  verify(token: string): AccessTokenClaims | undefined | Promise<AccessTokenClaims | undefined>;
  /** Deletes signing keys that nothing valid was signed by; answers how many. */
  forgetRetiredKeys(): number;
}

interface Parts extends SigningKeyParts {
  issuer: string;
}

/** The key that a header names. Whatever a stranger sends as `kid`, only a text is looked up. */
function keyIdOf({ kid }: { kid?: unknown }): string {
  if (typeof kid !== 'string') throw new joseErrors.JWKSNoMatchingKey();
  return kid;
}

/** The issuer and verifier of one server. Verified tokens are remembered until they expire: checking a signature costs more than the rest of a request. */
export function createAccessTokens(parts: Parts): AccessTokens {
  const { db, clock, issuer } = parts;
  let signingKey = currentSigningKey(parts);
  const publicKeys = new Map<string, KeyObject>();
  const remembered = new Map<string, { claims: AccessTokenClaims; expiresAt: number }>();

  /** A retired key is good as long as the last token that it may have signed. */
  function publicKey(id: string): KeyObject {
    const now = clock.now().getTime();
    const known = publicKeys.get(id);
    if (known !== undefined && !isWornOut(signingKey, now)) return known;
    const found = findPublicKey(db, id);
    const isUsable =
      found !== undefined && (found.retiredAt === null || now - found.retiredAt < ACCESS_TOKEN_LIFETIME_MS);
    if (!isUsable) throw new joseErrors.JWKSNoMatchingKey();
    // Only what signs now is remembered: a retired one is asked for anew, until it is too old.
    if (id === signingKey.id) publicKeys.set(id, found.key);
    return found.key;
  }

  function renewKey(): void {
    signingKey = currentSigningKey(parts);
    publicKeys.clear();
  }

  async function verifyAnew(token: string): Promise<AccessTokenClaims | undefined> {
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
      if (iat === undefined || iat * 1000 > clock.now().getTime() + CLOCK_LEEWAY_MS) return undefined;
      const claims = { developerId: sub, email, sessionId: sid };
      if (remembered.size >= MOST_REMEMBERED) remembered.clear();
      remembered.set(token, { claims, expiresAt: (exp ?? 0) * 1000 });
      return claims;
    } catch (error) {
      if (error instanceof joseErrors.JOSEError || error instanceof TypeError) return undefined;
      throw error;
    }
  }

  return {
    issue({ developerId, email, sessionId }) {
      const now = clock.now().getTime();
      if (isWornOut(signingKey, now)) renewKey();
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
    forgetRetiredKeys() {
      return deleteRetiredKeys(db, clock.now().getTime() - ACCESS_TOKEN_LIFETIME_MS);
    },
    verify(token) {
      const known = remembered.get(token);
      if (known === undefined) return verifyAnew(token);
      if (known.expiresAt > clock.now().getTime()) return known.claims;
      remembered.delete(token);
      return undefined;
    },
  };
}
