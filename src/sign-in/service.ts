// The rules for signing in and staying signed in: a password, then a session with a chain of single-use refresh tokens.

import { checkCaptcha } from '../captcha/service.ts';
import type { Context, DeveloperContext, Tx } from '../core/context.ts';
import { passwordsOf } from '../developers/password.ts';
import { emailAddress } from '../developers/schema.ts';
import { type DeveloperRow, findDeveloper, findDeveloperByEmail, replacePasswordHash } from '../developers/store.ts';
import type { Reply } from '../http/reply.ts';
import { checkSameOrigin, rejectForeignOrigin } from '../http/same-origin.ts';
import { AppError } from '../lib/errors.ts';
import {
  admitAttempt,
  clearFailedAttempts,
  countWrongGuess,
  type Guess,
  guessSubject,
  uncountAttempts,
} from '../sessions/backoff.ts';
import { clearedCookies, refreshCookie } from '../sessions/cookies.ts';
import { endSession, extendSession } from '../sessions/service.ts';
import { findSsoRefusal } from '../sso/requirement.ts';
import {
  answerTokens,
  asDeveloper,
  beginSession,
  isAdmitted,
  mintRefreshToken,
  REFRESH_TOKEN_LIFETIME_MS,
  type SignedIn,
} from './issue.ts';
import type { Login, MfaRequired, Refresh, TokenResponse } from './schema.ts';
import { startTwoFactor } from './second-factor-challenge.ts';
import * as store from './store.ts';

/** The same response for an unknown address, an incorrect password and a locked account. */
function wrongCredentials(): AppError {
  return new AppError('unauthorized', 'Incorrect email address or password');
}

function unusableRefreshToken(): AppError {
  return new AppError('unauthorized', 'The refresh token is unknown, used or expired. Sign in again');
}

/**
 * Signs in with email and password. An account with two-factor authentication gets a token and the list of its methods
 * instead. Throws `unauthorized`, the same and after the same work, if the address is unknown, the password incorrect
 * or the account locked. Throws `rate_limit_exceeded`, also the same for all of them, while attempts for the address
 * must wait, and `permission_denied` if the user must sign in through an identity provider.
 */
export async function signIn(ctx: Context, body: Login): Promise<TokenResponse | MfaRequired | Reply> {
  if (body.cookies) rejectForeignOrigin(ctx, ctx.request.header);
  await checkCaptcha(ctx, body.captcha_token);
  const address = emailAddress().safeParse(body.email);
  const developer = address.success ? findDeveloperByEmail(ctx, address.data) : undefined;
  const subject = guessSubject(ctx, address.data ?? body.email, developer);
  return passwordsOf(ctx).inTurn(subject, () => signInAs(ctx, body, developer, admitAttempt(ctx, subject)));
}

async function signInAs(
  ctx: Context,
  body: Login,
  developer: DeveloperRow | undefined,
  guess: Guess,
): Promise<TokenResponse | MfaRequired | Reply> {
  const stored = developer?.passwordHash ?? null;
  const uncount = (error: unknown): never => {
    uncountAttempts(ctx, guess);
    throw error;
  };
  const isRight = await passwordsOf(ctx).verify(body.password, stored).catch(uncount);
  if (developer === undefined || stored === null || !isRight || !isAdmitted(developer)) {
    throw rejectLogin(ctx, developer, isRight ? 'account_locked' : 'wrong_password', guess);
  }
  const elsewhere = findSsoRefusal(ctx, developer);
  if (elsewhere !== undefined) {
    rejectLogin(ctx, developer, 'sso_required');
    throw elsewhere;
  }
  const newHash = passwordsOf(ctx).needsRehash(stored)
    ? await passwordsOf(ctx).hash(body.password).catch(uncount)
    : undefined;
  const sessionId = ctx.ids.next();
  const settled = asDeveloper(ctx, developer, sessionId).transact(
    (tx) => {
      const current = findDeveloper(tx, developer.id);
      // The account may have been locked or its password changed during the verification.
      if (current === undefined || !isAdmitted(current) || current.passwordHash !== stored) return undefined;
      clearFailedAttempts(tx, guess);
      if (newHash !== undefined) replacePasswordHash(tx, developer.id, stored, newHash);
      const proven = { ...current, passwordHash: newHash ?? stored };
      return startTwoFactor(tx, proven, body.cookies) ?? beginSession(tx, proven, sessionId);
    },
    // After the password alone nobody is signed in yet, so nothing is recorded.
    { bookkeeping: true },
  );
  if (settled === undefined) throw rejectLogin(ctx, developer, 'account_changed', guess);
  return 'mfa_required' in settled ? settled : answerTokens(ctx, settled, body.cookies);
}

/**
 * Records a failed sign-in in the account's audit trail and returns the error. An unknown address writes a row too,
 * because response times would reveal known addresses otherwise.
 */
function rejectLogin(ctx: Context, developer: DeveloperRow | undefined, reason: string, guess?: Guess): AppError {
  ctx.transact((tx) => {
    if (guess !== undefined) countWrongGuess(tx, guess);
    tx.record('login.failed', {
      identifier: developer?.id ?? ctx.request.id,
      organizationId: null,
      developerId: developer?.id ?? null,
      details: { reason: developer === undefined ? 'unknown_address' : reason },
    });
  });
  return wrongCredentials();
}

/**
 * Exchanges a refresh token, from the body or the cookie, for new tokens. Throws `unauthorized` for one that is
 * unknown, expired or used. A used one ends the session (docs/specification/identity.md#refresh).
 */
export async function refreshTokens(ctx: Context, body: Refresh): Promise<TokenResponse | Reply> {
  const cookie = body.refresh_token ? undefined : refreshCookie(ctx.request.header);
  if (cookie !== undefined) checkSameOrigin(ctx, ctx.request.header);
  const token = body.refresh_token || cookie;
  if (token === undefined) throw unusableRefreshToken();
  const tokenHash = ctx.secrets.hash(token);
  const found = store.findRefreshToken(ctx, tokenHash);
  if (found === undefined) throw unusableRefreshToken();
  const refreshed = asDeveloper(ctx, found.developer, found.session.id).transact((tx) => exchangeToken(tx, tokenHash));
  if (refreshed === 'reused') recordReuse(ctx, tokenHash);
  if (typeof refreshed === 'string') throw unusableRefreshToken();
  return answerTokens(ctx, refreshed, cookie !== undefined);
}

function exchangeToken(tx: Tx, tokenHash: string): SignedIn | 'reused' | 'unusable' {
  const found = store.findRefreshToken(tx, tokenHash);
  if (found === undefined) return 'unusable';
  const { token, session, developer } = found;
  const isAlive = session.revokedAt === null && session.expiresAt > tx.now && developer.lockedAt === null;
  if (!isAlive) return 'unusable';
  if (token.consumedAt !== null) return 'reused';
  if (token.expiresAt <= tx.now || !store.consumeRefreshToken(tx, tokenHash)) return 'unusable';
  const expiresAt = tx.now + REFRESH_TOKEN_LIFETIME_MS;
  const refreshToken = mintRefreshToken(tx, session.id, expiresAt);
  extendSession(tx, session.id, expiresAt);
  tx.record('session.refreshed', {
    identifier: developer.id,
    organizationId: null,
    details: { session_id: session.id },
  });
  return { developer, sessionId: session.id, refreshToken };
}

/** Ends the session of a reused token, because a thief may have the newer one. */
function recordReuse(ctx: Context, tokenHash: string): void {
  ctx.transact((tx) => {
    const found = store.findRefreshToken(tx, tokenHash);
    if (found === undefined || !endSession(tx, found.developer.id, found.session.id)) return;
    tx.record('session.reuse_detected', {
      identifier: found.developer.id,
      organizationId: null,
      developerId: found.developer.id,
      details: { session_id: found.session.id },
    });
  });
}

/** Ends the session of the request and clears its cookies. */
export function signOut(ctx: DeveloperContext): Reply {
  const { id, sessionId } = ctx.actor;
  ctx.transact((tx) => {
    if (!endSession(tx, id, sessionId)) return;
    tx.record('login.logged_out', { identifier: id, organizationId: null, details: { session_id: sessionId } });
  });
  return { isReply: true, headers: {}, cookies: clearedCookies(ctx), body: null };
}
