// Who asks under /sdk/v1: the SDK app by its key, and with it an install by its update token or an enrolling one by the secret.
// Whatever is wrong, the refusal is one and the same, and the same was done to find it (specification part 5).

import { timingSafeEqual } from 'node:crypto';
import type { Context } from '../core/context.ts';
import { unauthorized } from '../core/session-state.ts';
import { checkForeignCommits } from '../data/row-cache.ts';
import { HOUR } from '../lib/clock.ts';
import { findSdkAppByKey, type SdkAppRow } from './app-store.ts';
import { findHeldToken, type HeldToken } from './install-store.ts';
import { installJournalOf } from './journal.ts';
import type { Version } from './versions.ts';

export const UPDATE_TOKEN_PREFIX = 'svc_upd_';

const APP_KEY_HEADER = 'x-svc-app-key';
const LONGEST_CREDENTIAL = 200;
const BEARER = /^bearer +([^ ]+)$/i;
/** An install that asks often is written down once in this time. */
const SEEN_EVERY_MS = HOUR;

/** The install that asks, and the SDK app it enrolled with. */
export interface Install extends HeldToken {
  app: SdkAppRow;
  tokenHash: string;
  /** It was long ago that its being here was written down. */
  isDue: boolean;
}

/** Refuses a request without the key of an SDK app that is alive, whatever its body may be. Throws unauthorized. */
export function requireSdkApp(ctx: Context): void {
  const app = presentedApp(ctx);
  if (app === undefined || app.revokedAt !== null) throw unauthorized();
}

/** The SDK app of a request whose secret is the one given. Throws unauthorized. */
export function authenticateSdkApp(ctx: Context, secret: string): SdkAppRow {
  const app = presentedApp(ctx);
  const given = Buffer.from(ctx.secrets.hash(secret));
  const isRight = timingSafeEqual(given, Buffer.from(app?.secretHash ?? ctx.secrets.hash('')));
  if (app === undefined || app.revokedAt !== null || !isRight) throw unauthorized();
  return app;
}

/** The install of a request. Throws unauthorized unless key and token are both there, right, alive and of one SDK app. */
export function authenticateInstall(ctx: Context): Install {
  const app = presentedApp(ctx);
  const tokenHash = hashUpdateToken(ctx, presentedKey(ctx), presentedToken(ctx));
  const token = findHeldToken(ctx, tokenHash);
  const now = ctx.clock.now().getTime();
  const isAdmitted = app !== undefined && token !== undefined && token.expiresAt > now && app.revokedAt === null;
  if (!isAdmitted) throw unauthorized();
  const { installRowId, expiresAt, seenAt, versionName, buildNumber } = token;
  const isDue = now - seenAt >= SEEN_EVERY_MS;
  const install = { app, tokenHash, installRowId, expiresAt, seenAt, versionName, buildNumber, isDue };
  if (isDue) installJournalOf(ctx).noteSeen(install);
  return install;
}

/** The form in which an update token is stored: with the key of its SDK app, so that it is found with no other. */
export function hashUpdateToken(ctx: Pick<Context, 'secrets'>, appKey: string, token: string): string {
  return ctx.secrets.hash(`${appKey} ${token}`);
}

/** Keeps the build that an install says it runs, where it may be another one than it said before. */
export function noteVersion(ctx: Context, install: Install, running: Version): void {
  const isOther = (part: keyof Version) => running[part] !== null && running[part] !== install[part];
  if (isOther('buildNumber') || isOther('versionName') || install.isDue)
    installJournalOf(ctx).noteSeen(install, running);
}

function presentedApp(ctx: Context): SdkAppRow | undefined {
  checkForeignCommits(ctx);
  return findSdkAppByKey(ctx, presentedKey(ctx));
}

function presentedKey(ctx: Context): string {
  const key = ctx.request.header(APP_KEY_HEADER) ?? '';
  return key.length > LONGEST_CREDENTIAL ? '' : key;
}

function presentedToken(ctx: Context): string {
  const header = ctx.request.header('authorization') ?? '';
  if (header.length > LONGEST_CREDENTIAL) return '';
  return BEARER.exec(header)?.[1] ?? '';
}
