// Who asks under /sdk/v1: the SDK app by its key, and with it an install by its update token or an enrolling one by the secret.
// Whatever is wrong, the refusal is one and the same, and the same was done to find it (specification part 5).
import { timingSafeEqual } from 'node:crypto';
import { HOUR } from '../platform/clock.ts';
import type { Context } from '../platform/context.ts';
import { unauthorized } from '../platform/credentials.ts';
import { lookForForeignCommits } from '../platform/memory.ts';
import { findSdkAppByKey, type SdkAppRow } from './app-store.ts';
import { findHeldToken, type HeldToken } from './install-store.ts';
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
  const token = findHeldToken(ctx, ctx.secrets.hash(presentedToken(ctx)));
  const now = ctx.clock.now().getTime();
  const isAdmitted =
    app !== undefined &&
    token !== undefined &&
    token.sdkAppId === app.id &&
    token.expiresAt > now &&
    app.revokedAt === null;
  if (!isAdmitted) throw unauthorized();
  if (now - token.lastSeenAt >= SEEN_EVERY_MS) ctx.installJournal.noteSeen(token.installRowId);
  return { ...token, app };
}

/** Keeps what an install says of itself, where it is not known yet. */
export function noteVersion(ctx: Context, install: Install, { versionName, buildNumber }: Version): void {
  const isKnown =
    (versionName === null || versionName === install.versionName) &&
    (buildNumber === null || buildNumber === install.buildNumber);
  if (!isKnown) ctx.installJournal.noteSeen(install.installRowId, { versionName, buildNumber });
}

function presentedApp(ctx: Context): SdkAppRow | undefined {
  lookForForeignCommits(ctx);
  const key = ctx.request.header(APP_KEY_HEADER) ?? '';
  return findSdkAppByKey(ctx, key.length > LONGEST_CREDENTIAL ? '' : key);
}

function presentedToken(ctx: Context): string {
  const header = ctx.request.header('authorization') ?? '';
  if (header.length > LONGEST_CREDENTIAL) return '';
  return BEARER.exec(header)?.[1] ?? '';
}
