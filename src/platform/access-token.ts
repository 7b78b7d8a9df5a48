// Access tokens: JWTs signed with Ed25519 (RFC 8037), 10 minutes, every claim of specification part 5 required.
import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { desc, isNull } from 'drizzle-orm';
import { errors as joseErrors, jwtVerify, SignJWT } from 'jose';
import { type Clock, MINUTE } from './clock.ts';
import type { Db } from './database.ts';
import type { Ids } from './ids.ts';
import type { Secrets } from './secrets.ts';
import { signingKeys } from './tables/tables.ts';

export const ACCESS_TOKEN_LIFETIME_MS = 10 * MINUTE;
const AUDIENCE = 'taxiway';
const KEY_PURPOSE = 'access token signing key';
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
}

interface Parts {
  db: Db;
  clock: Clock;
  ids: Ids;
  secrets: Secrets;
  issuer: string;
}

interface LoadedKey {
  id: string;
  privateKey: KeyObject;
}

function loadOrMakeKey({ db, clock, ids, secrets }: Parts): LoadedKey {
  const row = db.select().from(signingKeys).where(isNull(signingKeys.retiredAt)).orderBy(desc(signingKeys.id)).get();
  if (row !== undefined) {
    return { id: row.id, privateKey: createPrivateKey(secrets.decrypt(row.privateKeyEncrypted, KEY_PURPOSE)) };
  }
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const id = ids.next();
  db.insert(signingKeys)
    .values({
      id,
      publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
      privateKeyEncrypted: secrets.encrypt(privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(), KEY_PURPOSE),
      createdAt: clock.now().getTime(),
    })
    .run();
  return { id, privateKey };
}

/** The issuer and verifier of one server. Verified tokens are remembered until they expire: checking a signature costs more than the rest of a request. */
export function createAccessTokens(parts: Parts): AccessTokens {
  const { db, clock, issuer } = parts;
  const signingKey = loadOrMakeKey(parts);
  const publicKeys = new Map<string, KeyObject>();
  const remembered = new Map<string, { claims: AccessTokenClaims; expiresAt: number }>();

  function publicKey(keyId: string | undefined): KeyObject {
    const known = publicKeys.get(keyId ?? '');
    if (known !== undefined) return known;
    const row = db
      .select()
      .from(signingKeys)
      .all()
      .find((candidate) => candidate.id === keyId);
    if (row === undefined) throw new joseErrors.JWKSNoMatchingKey();
    const key = createPublicKey(row.publicKey);
    publicKeys.set(row.id, key);
    return key;
  }

  async function verifyAnew(token: string): Promise<AccessTokenClaims | undefined> {
    try {
      const { payload } = await jwtVerify(token, (header) => publicKey(header.kid), {
        issuer,
        audience: AUDIENCE,
        algorithms: ['EdDSA'],
        requiredClaims: ['sub', 'email', 'iss', 'aud', 'iat', 'exp', 'sid'],
        currentDate: clock.now(),
      });
      const { sub, email, sid, exp } = payload;
      if (typeof sub !== 'string' || typeof email !== 'string' || typeof sid !== 'string') return undefined;
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
      const issuedAt = Math.floor(clock.now().getTime() / 1000);
      return new SignJWT({ email, sid: sessionId })
        .setProtectedHeader({ alg: 'EdDSA', kid: signingKey.id })
        .setSubject(developerId)
        .setIssuer(issuer)
        .setAudience(AUDIENCE)
        .setIssuedAt(issuedAt)
        .setExpirationTime(issuedAt + ACCESS_TOKEN_LIFETIME_MS / 1000)
        .sign(signingKey.privateKey);
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
