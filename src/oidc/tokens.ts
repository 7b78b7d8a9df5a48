// Verifies signed tokens of a provider: ID tokens and logout tokens.
import type { JWTPayload } from 'jose';
import { type RefusalReason, RefusedMessage } from '../saml/errors.ts';
import { CLOCK_TOLERANCE_S } from './client.ts';
import { ALGORITHMS } from './metadata.ts';
import { problemBehind } from './problem.ts';
import type { OidcProvider } from './providers.ts';

/** Longest token that is read. */
const MAX_TOKEN_LENGTH = 64 * 1024;
/** A token is read right after it's issued. */
const MAX_AGE_S = 15 * 60;
const MAX_SUBJECT_LENGTH = 512;

export interface ExpectedToken {
  clientId: string;
  now: Date;
  /** Claims that must be there besides iss, aud, iat and exp. */
  claims: readonly string[];
}

/** Returns the claims of a token if the provider signed it for this client just now. Throws RefusedMessage. */
export async function verifyToken(
  token: string,
  { metadata, keys }: OidcProvider,
  { clientId, now, claims }: ExpectedToken,
): Promise<JWTPayload> {
  if (token.length > MAX_TOKEN_LENGTH) throw new RefusedMessage('unreadable');
  const { jwtVerify } = await import('jose');
  try {
    const { payload } = await jwtVerify(token, keys.find, {
      algorithms: ALGORITHMS,
      issuer: metadata.issuer,
      audience: clientId,
      currentDate: now,
      clockTolerance: CLOCK_TOLERANCE_S,
      maxTokenAge: MAX_AGE_S,
      requiredClaims: ['iss', 'aud', 'iat', 'exp', ...claims],
    });
    // The token may be for several clients, but must have been issued to us.
    const isShared = Array.isArray(payload.aud) && payload.aud.length > 1;
    if ((isShared || payload.azp !== undefined) && payload.azp !== clientId) throw new RefusedMessage('audience');
    return payload;
  } catch (error) {
    throw refusalOf(error);
  }
}

const reasonOfClaim: Record<string, RefusalReason> = {
  iss: 'issuer',
  aud: 'audience',
  azp: 'audience',
  nonce: 'nonce',
  iat: 'not_yet_valid',
  nbf: 'not_yet_valid',
  exp: 'expired',
  sub: 'subject',
};

/** Returns the reason for rejecting a token whose claim is wrong. */
export function reasonForClaim(claim: unknown): RefusalReason {
  return (typeof claim === 'string' ? reasonOfClaim[claim] : undefined) ?? 'unreadable';
}

const reasonOfCode: Record<string, RefusalReason> = {
  ERR_JWT_EXPIRED: 'expired',
  ERR_JOSE_ALG_NOT_ALLOWED: 'algorithm',
  ERR_JOSE_NOT_SUPPORTED: 'algorithm',
  ERR_JWS_SIGNATURE_VERIFICATION_FAILED: 'signature',
  ERR_JWKS_NO_MATCHING_KEY: 'signature',
  ERR_JWKS_MULTIPLE_MATCHING_KEYS: 'signature',
};

function refusalOf(error: unknown): RefusedMessage {
  if (error instanceof RefusedMessage) return error;
  if (problemBehind(error) !== undefined) return new RefusedMessage('unreachable');
  const { code, claim } = error as { code?: unknown; claim?: unknown };
  if (code === 'ERR_JWT_CLAIM_VALIDATION_FAILED') return new RefusedMessage(reasonForClaim(claim));
  // Keys that can't be imported, such as RSA keys that are too short, have other errors.
  const isToken = typeof code === 'string' && /^ERR_JW[ST]_/.test(code);
  return new RefusedMessage(
    (typeof code === 'string' ? reasonOfCode[code] : undefined) ?? (isToken ? 'unreadable' : 'signature'),
  );
}

/** Returns a claim that is one line of text, or undefined. The database can't tell lone surrogates apart. */
export function textClaim(claims: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const value = Object.hasOwn(claims, name) ? claims[name] : undefined;
  const isText = typeof value === 'string' && value !== '' && value.length <= MAX_SUBJECT_LENGTH;
  return isText && value.isWellFormed() && /^\P{Cc}+$/u.test(value) ? value : undefined;
}
