// Authentication: converts bearer tokens and the access cookie to an actor.

import { and, eq } from 'drizzle-orm';
import { placeholder } from 'drizzle-orm/sql/sql';
import { type Actor, mayWrite } from '../core/actor.ts';
import type { App } from '../core/context.ts';
import { isNotRemoved } from '../core/removal.ts';
import { activeSession, findSession, unauthorized } from '../core/session-state.ts';
import { prepared } from '../data/database.ts';
import { checkForeignCommits, rowCacheOf } from '../data/row-cache.ts';
import { developers, personalAccessTokens, projectAccessTokens } from '../data/tables/tables.ts';
import { actingRole, ownerRoles } from '../data/token-owner-roles.ts';
import { AppError } from '../lib/errors.ts';
import type { AccessTokenClaims } from '../runtime/access-token.ts';

export const PERSONAL_TOKEN_PREFIX = 'svc_pat_';
export const PROJECT_TOKEN_PREFIX = 'svc_prj_';
export const ACCESS_COOKIE = 'svc_access';
export const REFRESH_COOKIE = 'svc_refresh';

const MAX_TOKEN_LENGTH = 4096;
const BEARER = 'bearer ';

export interface PresentedCredential {
  token: string;
  isFromCookie: boolean;
}

/**
 * Returns the credential of a request; a bearer token takes precedence over a cookie. Throws `unauthorized` for a malformed
 * Authorization header, which must not count as anonymous, and for two session cookies, because either may be planted.
 */
export function presentedCredential(
  authorization: string | undefined,
  cookie: string | undefined,
): PresentedCredential | undefined {
  if (authorization !== undefined) {
    const token = bearerToken(authorization);
    if (token === undefined || token.length > MAX_TOKEN_LENGTH) throw unauthorized();
    return { token, isFromCookie: false };
  }
  const [value, ...others] = cookieValues(cookie, ACCESS_COOKIE);
  if (others.length > 0) throw unauthorized();
  return value === undefined || value.length > MAX_TOKEN_LENGTH ? undefined : { token: value, isFromCookie: true };
}

/** Returns the token of an Authorization header (RFC 6750 section 2.1), or undefined if it has another scheme or no single token. */
export function bearerToken(authorization: string): string | undefined {
  const token = authorization.slice(BEARER.length).trimStart();
  const isBearer = authorization.slice(0, BEARER.length).toLowerCase() === BEARER;
  return !isBearer || token === '' || token.includes(' ') ? undefined : token;
}

/** Returns the value of a cookie, or undefined if the header has none or several with that name. */
export function cookieValue(header: string | undefined, name: string): string | undefined {
  const [value, ...others] = cookieValues(header, name);
  return others.length === 0 ? value : undefined;
}

/** Names and values are compared byte for byte; only the space after a semicolon isn't part of them (RFC 6265 section 4.2.1). */
function cookieValues(header: string | undefined, name: string): string[] {
  if (header === undefined) return [];
  return header
    .split(';')
    .map((part, index) => (index > 0 && part.startsWith(' ') ? part.slice(1) : part))
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));
}

/** The message may contain the reason, because only the holder of the token sees it. */
function ownerless(): AppError {
  const message = "The token's owner no longer has access to the project. A project admin can take over the token";
  return new AppError('unauthorized', message, {}, { 'www-authenticate': 'Bearer' });
}

const findPersonalToken = prepared((db) =>
  db
    .select({
      token: {
        id: personalAccessTokens.id,
        name: personalAccessTokens.name,
        organizationId: personalAccessTokens.organizationId,
        scopes: personalAccessTokens.scopes,
        revokedAt: personalAccessTokens.revokedAt,
        expiresAt: personalAccessTokens.expiresAt,
      },
      developer: {
        id: developers.id,
        emailVerifiedAt: developers.emailVerifiedAt,
        vouchedAt: developers.vouchedAt,
        lockedAt: developers.lockedAt,
        totpEnabledAt: developers.totpEnabledAt,
        passkeyCount: developers.passkeyCount,
      },
    })
    .from(personalAccessTokens)
    .innerJoin(developers, eq(developers.id, personalAccessTokens.developerId))
    .where(
      and(eq(personalAccessTokens.tokenHash, placeholder('hash')), isNotRemoved(personalAccessTokens.organizationId)),
    )
    .prepare(),
);

const findProjectToken = prepared((db) =>
  db
    .select({
      token: {
        id: projectAccessTokens.id,
        name: projectAccessTokens.name,
        organizationId: projectAccessTokens.organizationId,
        projectId: projectAccessTokens.projectId,
        role: projectAccessTokens.role,
        ownerId: projectAccessTokens.ownerId,
        revokedAt: projectAccessTokens.revokedAt,
        expiresAt: projectAccessTokens.expiresAt,
      },
      ...ownerRoles,
    })
    .from(projectAccessTokens)
    .where(and(eq(projectAccessTokens.tokenHash, placeholder('hash')), isNotRemoved(projectAccessTokens.projectId)))
    .prepare(),
);

/**
 * Returns the actor behind a credential, synchronously unless its signature must be verified first. Cookies are only accepted
 * for access tokens (docs/specification/identity.md#credentials). Throws `unauthorized` if the token is unknown, expired or
 * revoked, or its account is locked.
 */
export function authenticate(app: App, { token, isFromCookie }: PresentedCredential): Actor | Promise<Actor> {
  if (!isFromCookie) {
    if (token.startsWith(PERSONAL_TOKEN_PREFIX)) return personalTokenActor(app, token);
    if (token.startsWith(PROJECT_TOKEN_PREFIX)) return projectTokenActor(app, token);
  }
  const claims = app.accessTokens.verify(token);
  return claims instanceof Promise ? claims.then((late) => sessionActor(app, late)) : sessionActor(app, claims);
}

/**
 * Returns the actor of a credential that was accepted before, as it is now. Throws `unauthorized` if the session or the token has ended
 * since.
 */
export function authenticateAgain(app: App, actor: Actor, { token }: PresentedCredential): Actor {
  switch (actor.kind) {
    case 'developer':
      return sessionActor(app, { developerId: actor.id, email: actor.email, sessionId: actor.sessionId });
    case 'personal_access_token':
      return personalTokenActor(app, token);
    case 'project_access_token':
      return projectTokenActor(app, token);
    default:
      return actor;
  }
}

function sessionActor(app: App, claims: AccessTokenClaims | undefined): Actor {
  if (claims === undefined) throw unauthorized();
  checkForeignCommits(app);
  const { sessionId, developerId } = claims;
  const found = rowCacheOf(app).getOrRead(findSession, sessionId, () => findSession(app).get({ sessionId }));
  const row = activeSession(app, found, developerId);
  if (row === undefined) throw unauthorized();
  app.credentialUse.noteUse('session', sessionId);
  return {
    kind: 'developer',
    id: row.id,
    email: row.email,
    displayName: row.displayName,
    sessionId,
    isVerified: row.emailVerifiedAt !== null,
    mayWrite: mayWrite(row),
    isOperator: row.isOperator,
    factors: { hasTotp: row.totpEnabledAt !== null, hasPasskey: row.passkeyCount > 0 },
    isByEmail: row.signInMethod === 'email',
  };
}

function isUsable(app: App, token: { revokedAt: number | null; expiresAt: number | null }): boolean {
  return token.revokedAt === null && (token.expiresAt === null || token.expiresAt > app.clock.time());
}

function personalTokenActor(app: App, token: string): Actor {
  checkForeignCommits(app);
  const hash = app.secrets.hash(token);
  const row = rowCacheOf(app).getOrRead(findPersonalToken, hash, () => findPersonalToken(app).get({ hash }));
  if (row === undefined || !isUsable(app, row.token) || row.developer.lockedAt !== null) throw unauthorized();
  app.credentialUse.noteUse('personal_access_token', row.token.id);
  return {
    kind: 'personal_access_token',
    id: row.token.id,
    name: row.token.name,
    developerId: row.developer.id,
    organizationId: row.token.organizationId,
    scopes: BigInt(row.token.scopes),
    mayWrite: mayWrite(row.developer),
    factors: { hasTotp: row.developer.totpEnabledAt !== null, hasPasskey: row.developer.passkeyCount > 0 },
  };
}

function projectTokenActor(app: App, token: string): Actor {
  checkForeignCommits(app);
  const hash = app.secrets.hash(token);
  const row = rowCacheOf(app).getOrRead(findProjectToken, hash, () => findProjectToken(app).get({ hash }));
  if (row === undefined || !isUsable(app, row.token)) throw unauthorized();
  const { id, name, organizationId, projectId, ownerId } = row.token;
  const role = actingRole(row.token.role, row);
  if (role === undefined || ownerId === null) throw ownerless();
  app.credentialUse.noteUse('project_access_token', id);
  return { kind: 'project_access_token', id, name, organizationId, projectId, role, ownerId };
}
