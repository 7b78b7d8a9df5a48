// The rules for sessions: each sign-in creates one. It ends when it is revoked or its refresh token expires.

import type { Context, DeveloperContext, Tx } from '../core/context.ts';
import { type Page, type PageRequest, readPage } from '../core/paging.ts';
import * as store from '../developers/session-store.ts';
import { timestamp } from '../lib/clock.ts';
import { notFound } from '../lib/errors.ts';
import type { SignInMethod } from '../lib/sign-in-methods.ts';
import { approximateLocation } from './location.ts';
import { locationsOf } from './location-database.ts';
import type { Session } from './schema.ts';
import { type Describe, loadUserAgentReader } from './user-agent.ts';

export interface NewSession {
  id: string;
  developerId: string;
  expiresAt: number;
  method: SignInMethod;
}

function toSession(ctx: DeveloperContext, row: store.SessionRow, describe: Describe): Session {
  return {
    identifier: row.id,
    ...describe(row.userAgent),
    approximate_location: approximateLocation(row.ipAddress, locationsOf(ctx)),
    ip_address: row.ipAddress,
    sign_in_method: row.signInMethod,
    created_at: timestamp(row.createdAt),
    last_used_at: timestamp(row.lastUsedAt),
    expires_at: timestamp(row.expiresAt),
    current: row.id === ctx.actor.sessionId,
  };
}

/** Creates a session for a developer from the request that signed in. */
export function openSession(tx: Tx, { id, developerId, expiresAt, method }: NewSession): void {
  const { userAgent, ipAddress } = tx.request;
  store.insertSession(tx, {
    id,
    developerId,
    userAgent,
    ipAddress,
    createdAt: tx.now,
    lastUsedAt: tx.now,
    expiresAt,
    revokedAt: null,
    signInMethod: method,
  });
}

export { extendSession, revokeSession as endSession } from '../developers/session-store.ts';

/** Returns the caller's open sessions, newest first. */
export async function listSessions(ctx: DeveloperContext, request: PageRequest): Promise<Page<Session>> {
  const describe = await loadUserAgentReader();
  // Uses are collected in memory, and the list must include them.
  ctx.credentialUse.flush();
  const now = ctx.clock.time();
  return readPage(
    ctx,
    request,
    (before, limit) => store.listSessions(ctx, ctx.actor.id, now, before, limit),
    (row) => toSession(ctx, row, describe),
  );
}

/** Ends one of the caller's sessions. Throws `not_found` for all others and for ended ones. */
export function revokeSession(ctx: DeveloperContext, id: string): void {
  ctx.transact((tx) => {
    if (!store.revokeSession(tx, ctx.actor.id, id)) throw notFound();
    tx.record('session.revoked', {
      identifier: ctx.actor.id,
      organizationId: null,
      details: { session_id: id, current: id === ctx.actor.sessionId },
    });
  });
}

/** Ends all sessions of the caller, including the current one, with their access tokens. */
export function revokeAllSessions(ctx: DeveloperContext): void {
  ctx.transact((tx) => {
    const count = store.revokeSessions(tx, ctx.actor.id);
    tx.record('session.all_revoked', { identifier: ctx.actor.id, organizationId: null, details: { count } });
  });
}

/** Deletes up to `max` ended sessions. Returns the number deleted. */
export function deleteExpiredSessions(ctx: Context, before: number, max: number): number {
  return ctx.transact((tx) => store.deleteEndedSessions(tx, before, max), { bookkeeping: true });
}
