// Update tokens of installs: enrolling with the secret, and exchanging the token before it expires.

import type { Context, Tx } from '../core/context.ts';
import { unauthorized } from '../core/session-state.ts';
import { DAY, MINUTE, timestamp } from '../lib/clock.ts';
import { addToInstallCount, type SdkAppRow } from './app-store.ts';
import { authenticateSdkApp, hashUpdateToken, type Install, UPDATE_TOKEN_PREFIX } from './credentials.ts';
import {
  countUnreplacedTokens,
  deleteOldestInstalls,
  findInstall,
  type InstallRow,
  insertInstall,
  insertToken,
  replaceToken,
  trimTokens,
  updateInstall,
} from './install-store.ts';
import type { Enroll, Enrollment, RotatedToken } from './schema.ts';

export const UPDATE_TOKEN_LIFETIME_MS = 30 * DAY;
export const UPDATE_TOKEN_OVERLAP_MS = 5 * MINUTE;
/** Tokens of an install from separate enrollments: the app was restored, copied or reset. */
const MAX_ENROLLMENTS = 4;
/** Including replaced tokens that still work. */
const MAX_TOKENS = 12;
/** Above this number the oldest install is deleted. It enrolls again when it returns. */
const MAX_INSTALLS = 200_000;

/**
 * Enrolls an install and returns its token, which is shown only once. A known install_id adds a token to that install
 * and leaves the others unchanged, so that nobody can disable them by knowing the install_id. If the install has too
 * many tokens, the response contains a new install_id instead.
 */
export function enroll(ctx: Context, body: Enroll): Enrollment {
  const app = authenticateSdkApp(ctx, body.app_secret);
  return ctx.transact(
    (tx) => {
      const install = joinInstall(tx, app, body) ?? addInstall(tx, app, body);
      const token = issueToken(tx, app, { ...install, installRowId: install.id });
      return { install_id: install.installId, ...token };
    },
    { bookkeeping: true },
  );
}

function joinInstall(tx: Tx, app: SdkAppRow, body: Enroll): InstallRow | undefined {
  const known = body.install_id ? findInstall(tx, app.id, body.install_id) : undefined;
  if (known === undefined || countUnreplacedTokens(tx, known.id) >= MAX_ENROLLMENTS) return undefined;
  const facts = factsOf(body);
  const changes = {
    bundleIdentifier: facts.bundleIdentifier ?? known.bundleIdentifier,
    deviceModel: facts.deviceModel ?? known.deviceModel,
    osVersion: facts.osVersion ?? known.osVersion,
    versionName: facts.versionName ?? known.versionName,
    buildNumber: facts.buildNumber ?? known.buildNumber,
    lastSeenAt: tx.now,
  };
  updateInstall(tx, known.id, changes);
  return { ...known, ...changes };
}

function addInstall(tx: Tx, app: SdkAppRow, body: Enroll): InstallRow {
  const isFree = body.install_id && findInstall(tx, app.id, body.install_id) === undefined;
  const row: InstallRow = {
    id: tx.ids.next(),
    sdkAppId: app.id,
    installId: isFree && body.install_id ? body.install_id : tx.ids.next(),
    ...factsOf(body),
    enrolledAt: tx.now,
    lastSeenAt: tx.now,
  };
  const surplus = app.installCount + 1 - MAX_INSTALLS;
  const removed = surplus > 0 ? deleteOldestInstalls(tx, app.id, surplus) : 0;
  insertInstall(tx, row);
  addToInstallCount(tx, app.id, 1 - removed);
  return row;
}

function factsOf(body: Enroll) {
  return {
    bundleIdentifier: body.bundle_identifier ?? null,
    deviceModel: body.device_model ?? null,
    osVersion: body.os_version ?? null,
    versionName: body.version_name ?? null,
    buildNumber: body.build_number ?? null,
  };
}

/**
 * Exchanges the token of an install for a new one. The old one works for five more minutes, for running requests, and
 * can't be exchanged again. Of concurrent exchanges, one succeeds and the others throw `unauthorized`.
 */
export function rotateToken(ctx: Context, install: Install): RotatedToken {
  return ctx.transact(
    (tx) => {
      const endsAt = Math.min(install.expiresAt, tx.now + UPDATE_TOKEN_OVERLAP_MS);
      if (!replaceToken(tx, install.tokenHash, endsAt)) throw unauthorized();
      return issueToken(tx, install.app, install);
    },
    { bookkeeping: true },
  );
}

function issueToken(
  tx: Tx,
  app: SdkAppRow,
  { installRowId, versionName, buildNumber }: Pick<Install, 'installRowId' | 'versionName' | 'buildNumber'>,
): RotatedToken {
  const token = tx.secrets.token(UPDATE_TOKEN_PREFIX);
  const expiresAt = tx.now + UPDATE_TOKEN_LIFETIME_MS;
  insertToken(tx, {
    tokenHash: hashUpdateToken(tx, app.appKey, token),
    installRowId,
    createdAt: tx.now,
    expiresAt,
    replacedAt: null,
    seenAt: tx.now,
    versionName,
    buildNumber,
  });
  trimTokens(tx, installRowId, MAX_TOKENS);
  return { update_token: token, expires_at: timestamp(expiresAt) };
}
