// Authenticates requests to /sdk/v1: the SDK app by its key, and an install by its update token or, when enrolling, by the
// secret. All failures have the same response and the same cost.

import { timingSafeEqual } from 'node:crypto';
import type { Context } from '../core/context.ts';
import { unauthorized } from '../core/session-state.ts';
import { checkForeignCommits } from '../data/row-cache.ts';
import { bearerToken } from '../http/credentials.ts';
import { HOUR } from '../lib/clock.ts';
import { findSdkAppByKey, type SdkAppRow } from './app-store.ts';
import { findHeldToken, type HeldToken } from './install-store.ts';
import { installJournalOf } from './journal.ts';
import type { Version } from './versions.ts';

export const UPDATE_TOKEN_PREFIX = 'svc_upd_';

const APP_KEY_HEADER = 'x-svc-app-key';
const MAX_CREDENTIAL_LENGTH = 200;
/** The activity of an install is saved at most once in this period. */
const SEEN_EVERY_MS = HOUR;

/** The authenticated install and its SDK app. */
export interface Install extends HeldToken {
  app: SdkAppRow;
  tokenHash: string;
  /** Whether its activity should be saved again. */
  isDue: boolean;
}

/** Rejects a request without the key of an active SDK app, before its body is read. Throws `unauthorized`. */
export function requireSdkApp(ctx: Context): void {
  const app = findApp(ctx, presentedKey(ctx));
  if (app === undefined || app.revokedAt !== null) throw unauthorized();
}

/** Returns the SDK app of a request with the right secret. Throws `unauthorized`. */
export function authenticateSdkApp(ctx: Context, secret: string): SdkAppRow {
  const app = findApp(ctx, presentedKey(ctx));
  const given = Buffer.from(ctx.secrets.hash(secret));
  const isRight = timingSafeEqual(given, Buffer.from(app?.secretHash ?? ctx.secrets.hash('')));
  if (app === undefined || app.revokedAt !== null || !isRight) throw unauthorized();
  return app;
}

/** Rejects an incorrect secret in a body that has other errors too. Without one, they are reported. Throws `unauthorized`. */
export function requireSecret(ctx: Context, body: unknown): void {
  const secret = (body as { app_secret?: unknown } | null | undefined)?.app_secret;
  if (typeof secret === 'string') authenticateSdkApp(ctx, secret);
}

/**
 * Returns the install of a request. Throws `unauthorized` unless key and token are present, valid and belong to the
 * same SDK app.
 */
export function authenticateInstall(ctx: Context): Install {
  const key = presentedKey(ctx);
  const app = findApp(ctx, key);
  const tokenHash = hashUpdateToken(ctx, key, presentedToken(ctx));
  const token = findHeldToken(ctx, tokenHash);
  const now = ctx.clock.time();
  const isAdmitted = app !== undefined && token !== undefined && token.expiresAt > now && app.revokedAt === null;
  if (!isAdmitted) throw unauthorized();
  const { installRowId, expiresAt, seenAt, versionName, buildNumber } = token;
  const isDue = now - seenAt >= SEEN_EVERY_MS;
  const install = { app, tokenHash, installRowId, expiresAt, seenAt, versionName, buildNumber, isDue };
  if (isDue) installJournalOf(ctx).noteSeen(install);
  return install;
}

/**
 * Returns the stored form of an update token. It includes the key of its SDK app, so that it isn't found with another.
 */
export function hashUpdateToken(ctx: Pick<Context, 'secrets'>, appKey: string, token: string): string {
  return ctx.secrets.hash(`${appKey} ${token}`);
}

/** Saves the build reported by an install if it may have changed. */
export function noteVersion(ctx: Context, install: Install, running: Version): void {
  const isOther = (part: keyof Version) => running[part] !== null && running[part] !== install[part];
  if (isOther('buildNumber') || isOther('versionName') || install.isDue)
    installJournalOf(ctx).noteSeen(install, running);
}

function findApp(ctx: Context, key: string): SdkAppRow | undefined {
  checkForeignCommits(ctx);
  return findSdkAppByKey(ctx, key);
}

function presentedKey(ctx: Context): string {
  const key = ctx.request.header(APP_KEY_HEADER) ?? '';
  return key.length > MAX_CREDENTIAL_LENGTH ? '' : key;
}

function presentedToken(ctx: Context): string {
  const header = ctx.request.header('authorization') ?? '';
  return header.length > MAX_CREDENTIAL_LENGTH ? '' : (bearerToken(header) ?? '');
}
