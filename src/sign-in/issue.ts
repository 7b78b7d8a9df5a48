// The result of a sign-in with any method: a session, its access token and its first refresh token.
import { noteSignIn } from '../accounts/additions.ts';
import { mayWrite } from '../core/actor.ts';
import type { Context, Tx } from '../core/context.ts';
import { createContext } from '../core/transact.ts';
import type { DeveloperRow } from '../developers/store.ts';
import type { EventName } from '../events.ts';
import type { Reply } from '../http/reply.ts';
import { DAY } from '../lib/clock.ts';
import type { SignInMethod } from '../lib/sign-in-methods.ts';
import { ACCESS_TOKEN_LIFETIME_MS } from '../runtime/access-token.ts';
import { noteNetwork } from '../sessions/backoff.ts';
import { tokenCookies } from '../sessions/cookies.ts';
import { openSession } from '../sessions/service.ts';
import { findSsoRefusal } from '../sso/requirement.ts';
import type { TokenResponse } from './schema.ts';
import * as store from './store.ts';

export const REFRESH_TOKEN_LIFETIME_MS = 30 * DAY;
const REFRESH_TOKEN_PREFIX = 'svc_ref_';

export interface SignedIn {
  developer: DeveloperRow;
  sessionId: string;
  refreshToken: string;
}

/** How the user signed in, for the audit trail; by password if missing. */
export interface SignInEvent {
  event: Extract<
    EventName,
    'login.succeeded' | 'login.mfa_succeeded' | 'login.passkey_succeeded' | 'sso.login_succeeded'
  >;
  /** How the sign-in began, if the event doesn't show it. */
  method?: SignInMethod;
  /** When the used two-factor method was added, in milliseconds since the epoch; missing for a password alone. */
  factorAddedAt?: number;
  /** The organization whose identity provider signed the user in. */
  organizationId?: string;
  details: Record<string, unknown>;
}

/** How a sign-in with an event began, unless it is given. */
const methods: Record<SignInEvent['event'], SignInMethod> = {
  'login.succeeded': 'password',
  'login.mfa_succeeded': 'password',
  'login.passkey_succeeded': 'passkey',
  'sso.login_succeeded': 'sso',
};

/** Returns whether an account may sign in with its own methods: password, two-factor method or passkey. */
export function isAdmitted(developer: DeveloperRow): boolean {
  return developer.lockedAt === null;
}

/** Returns the same request's context with the developer as actor. */
export function asDeveloper(ctx: Context, developer: DeveloperRow, sessionId: string): Context {
  const { id, email, displayName, isOperator } = developer;
  return createContext(
    ctx,
    {
      kind: 'developer',
      id,
      email,
      displayName,
      sessionId,
      isVerified: developer.emailVerifiedAt !== null,
      mayWrite: mayWrite(developer),
      isOperator,
      factors: { hasTotp: developer.totpEnabledAt !== null, hasPasskey: developer.passkeyCount > 0 },
      // The request itself isn't part of the session.
      isByEmail: false,
    },
    ctx.request,
  );
}

/**
 * Creates a session and its first refresh token for an authenticated user. Throws `permission_denied` if the user must
 * sign in through the identity provider of an organization (docs/specification/single-sign-on.md#required-single-sign-on).
 */
export function beginSession(
  tx: Tx,
  developer: DeveloperRow,
  sessionId: string,
  { event, method = methods[event], organizationId, factorAddedAt, details }: SignInEvent = {
    event: 'login.succeeded',
    details: {},
  },
): SignedIn {
  const refusal = event === 'sso.login_succeeded' ? undefined : findSsoRefusal(tx, developer);
  if (refusal !== undefined) throw refusal;
  const expiresAt = tx.now + REFRESH_TOKEN_LIFETIME_MS;
  openSession(tx, { id: sessionId, developerId: developer.id, expiresAt, method });
  noteNetwork(tx, developer.id);
  if (factorAddedAt !== undefined) noteSignIn(tx, developer, factorAddedAt);
  const refreshToken = mintRefreshToken(tx, sessionId, expiresAt);
  tx.record(event, {
    identifier: developer.id,
    organizationId: organizationId ?? null,
    developerId: developer.id,
    details: { session_id: sessionId, ...details },
  });
  return { developer, sessionId, refreshToken };
}

/** Creates a refresh token for a session. Only its hash is stored. */
export function mintRefreshToken(tx: Tx, sessionId: string, expiresAt: number): string {
  const token = tx.secrets.token(REFRESH_TOKEN_PREFIX);
  store.insertRefreshToken(tx, tx.secrets.hash(token), sessionId, expiresAt);
  return token;
}

/** Returns the response of a sign-in: tokens in the body, or only as cookies. */
export async function answerTokens(
  ctx: Context,
  { developer, sessionId, refreshToken }: SignedIn,
  byCookie: boolean,
): Promise<TokenResponse | Reply> {
  const accessToken = await ctx.accessTokens.issue({ developerId: developer.id, email: developer.email, sessionId });
  const answer = (access: string | null, refresh: string | null): TokenResponse => ({
    access_token: access,
    refresh_token: refresh,
    token_type: 'Bearer',
    expires_in: ACCESS_TOKEN_LIFETIME_MS / 1000,
    session_id: sessionId,
  });
  if (!byCookie) return answer(accessToken, refreshToken);
  return {
    isReply: true,
    headers: { 'content-type': 'application/json' },
    cookies: tokenCookies(
      ctx,
      { token: accessToken, lifetimeMs: ACCESS_TOKEN_LIFETIME_MS },
      { token: refreshToken, lifetimeMs: REFRESH_TOKEN_LIFETIME_MS },
    ),
    body: JSON.stringify(answer(null, null)),
  };
}
