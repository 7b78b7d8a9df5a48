// Downloads of packages and icons: signed links, each recorded as a download when it is created.

import { billedSubject } from '../billing/downloads.ts';
import { checkDownloadFunds, isBilledDownload, reserveDownload } from '../billing/gates.ts';
import { newReservationId } from '../billing/reservations.ts';
import { developerIdOf } from '../core/actor.ts';
import type { Context, ProjectContext, Tx } from '../core/context.ts';
import { type Reply, reply } from '../http/reply.ts';
import { MINUTE, timestamp, wholeSecond } from '../lib/clock.ts';
import { AppError, notFound } from '../lib/errors.ts';
import { platformFacts } from '../platforms.ts';
import { displayBuildNumber } from './build-number.ts';
import { insertDownload } from './download-store.ts';
import { requireIntact } from './integrity.ts';
import { withStorage } from './storage-errors.ts';
import { type BuildRow, findBuild, findProjectFacts, loadBuild } from './store.ts';

/** How long a signed link to a package works. */
export const DOWNLOAD_LIFETIME_MS = 15 * MINUTE;

const MAX_NAME_CHARACTERS = 100;
const MAX_NUMBER_CHARACTERS = 20;

export interface DownloadSource {
  /** The recipient of the link, such as `developer:<id>` or `capability:<id>`. */
  subject: string;
  /** The channel and release of the download; missing for a developer who downloads a build directly. */
  channelId?: string;
  releaseId?: string;
  /** An install capability. Its downloads count once. */
  capabilityId?: string;
  /** The SDK install that updates itself, as an id of sdk_installs. */
  sdkInstallId?: string;
  /** Whether the response to this request leads to the link, so that it only has to work for the same method. */
  isRedirect?: boolean;
  /** The downloading developer. Default: the acting one; null if unknown. */
  developerId?: string | null;
  /** Called when the storage has responded. Throws if the recipient can't have the package anymore. */
  confirm?: (ctx: Context) => void;
  /**
   * Called in the transaction that records the download, not for repeated ones. If it throws, no link is returned. With it, a
   * HEAD request is recorded too, because its response has a link that works.
   */
  admit?: (tx: Tx) => void;
}

/**
 * Creates a signed link to the package, valid for 15 minutes, and records the download. The caller checks the
 * permission. Throws `storage_backend_unavailable` if the stored package is missing or damaged, `not_found` if the build is
 * deleted or revoked in the meantime, or `operation_not_allowed` for a developer who downloads a revoked one directly, and what
 * `stamp.confirm` throws.
 */
export async function mintDownload(
  ctx: Context,
  build: BuildRow,
  stamp: DownloadSource,
): Promise<{ url: string; expiresAt: Date }> {
  const expiresAt = new Date(wholeSecond(ctx.clock.time() + DOWNLOAD_LIFETIME_MS));
  const isBilled = isBilledDownload(ctx, build);
  const download = {
    organizationId: build.organizationId,
    sizeBytes: build.sizeBytes,
    reservationId: newReservationId(ctx),
    expiresAt: expiresAt.getTime(),
  };
  const isDownload = ctx.request.method !== 'HEAD' || stamp.admit !== undefined;
  const subject = isBilled ? billedSubject(stamp.subject, download) : stamp.subject;
  // Metered links lead through this server.
  const isRedirect = stamp.isRedirect === true && !isBilled;
  const url = await signPackage(ctx, build, stamp, { expiresAt, subject, isRedirect }).catch((error: unknown) => {
    // That a download can't be paid precedes the storage.
    checkDownloadFunds(ctx, build);
    throw error;
  });
  // A HEAD request isn't a download, but the link in its response works for GET.
  if (!isDownload) {
    stamp.confirm?.(ctx);
    checkDownloadFunds(ctx, build);
    return { url, expiresAt };
  }
  const developerId = stamp.developerId === undefined ? developerIdOf(ctx.actor) : stamp.developerId;
  ctx.transact(
    (tx) => {
      tx.confirmAccess();
      requireBuild(tx, build, stamp);
      stamp.confirm?.(tx);
      if (isBilled) reserveDownload(tx, download);
      const isNew = insertDownload(tx, {
        id: tx.ids.next(),
        organizationId: build.organizationId,
        projectId: build.projectId,
        buildId: build.id,
        channelId: stamp.channelId ?? null,
        releaseId: stamp.releaseId ?? null,
        developerId,
        capabilityId: stamp.capabilityId ?? null,
        userAgent: developerId === null ? null : ctx.request.userAgent,
        sdkInstallId: stamp.sdkInstallId ?? null,
        createdAt: tx.now,
      });
      if (isNew) stamp.admit?.(tx);
    },
    { bookkeeping: true },
  );
  return { url, expiresAt };
}

/** Returns a signed link to the package. Throws like `mintDownload`. */
function signPackage(
  ctx: Context,
  build: BuildRow,
  stamp: DownloadSource,
  { isRedirect, ...link }: { expiresAt: Date; subject: string; isRedirect: boolean },
): Promise<string> {
  return withStorage(ctx, async () => {
    const head = await ctx.storage.head(build.objectKey);
    requireBuild(ctx, build, stamp);
    requireIntact(ctx, build, head);
    const method = ctx.request.method === 'HEAD' ? 'HEAD' : 'GET';
    const { url } = await ctx.storage.signGet({
      ...link,
      key: build.objectKey,
      fileName: nameFile(build, findProjectFacts(ctx, build.projectId)?.name ?? ''),
      contentType: platformFacts[build.platform].contentType,
      ...(isRedirect ? ({ method } as const) : {}),
    });
    return url;
  });
}

/**
 * The package of a deleted build isn't missing, and has no downloads. Only a developer who downloads a build directly learns that it
 * was revoked; for others it doesn't exist.
 */
function requireBuild(ctx: Context, { id }: BuildRow, { developerId }: DownloadSource): void {
  const found = findBuild(ctx, id);
  if (found === undefined || (found.revokedAt !== null && developerId !== undefined)) throw notFound();
  requireNotRevoked(found);
}

function requireNotRevoked({ revokedAt }: BuildRow): void {
  if (revokedAt !== null) throw new AppError('operation_not_allowed', 'The build is revoked');
}

/** Returns a file name of letters, digits, dots and dashes: `Sample-1.2.3-45.apk`. */
export function nameFile(
  build: Pick<BuildRow, 'platform' | 'versionName' | 'buildNumber' | 'packageBuildNumber'>,
  projectName: string,
): string {
  const clean = (text: string) =>
    text
      .normalize('NFC')
      .replace(/[^\p{L}\p{N}.]+/gu, '-')
      .replace(/^[-.]+|[-.]+$/g, '');
  const parts = [projectName, build.versionName].map(clean);
  const number = clean([...displayBuildNumber(build)].slice(0, MAX_NUMBER_CHARACTERS).join(''));
  const stem = [...parts.filter((part) => part !== '').join('-')].slice(0, MAX_NAME_CHARACTERS).join('');
  const name = [stem, number].filter((part) => part !== '').join('-');
  return `${name}.${platformFacts[build.platform].extension}`;
}

/**
 * Returns a download link for the caller, independent of channels. Throws `operation_not_allowed` for a revoked build.
 */
export async function downloadBuild(ctx: ProjectContext, id: string) {
  const row = loadBuild(ctx, ctx.project.id, id);
  requireNotRevoked(row);
  const { url, expiresAt } = await mintDownload(ctx, row, { subject: subjectOf(ctx) });
  return { download_url: url, expires_at: timestamp(expiresAt.getTime()) };
}

/** Returns the caller as the subject of signed links. */
export function subjectOf({ actor }: Pick<Context, 'actor'>): string {
  return 'id' in actor ? `${actor.kind}:${actor.id}` : actor.kind;
}

/** Returns the icon of a build, or undefined if it has none. */
export async function readBuildIcon(
  ctx: Context,
  build: BuildRow,
): Promise<{ bytes: Buffer; contentType: string } | undefined> {
  const { iconKey, iconType } = build;
  if (iconKey === null || iconType === null) return undefined;
  const bytes = await withStorage(ctx, () => ctx.storage.get(iconKey));
  return bytes && { bytes, contentType: iconType };
}

/** Returns the icon as a response. Throws `not_found` if the build has none. */
export async function serveBuildIcon(ctx: ProjectContext, id: string): Promise<Reply> {
  const icon = await readBuildIcon(ctx, loadBuild(ctx, ctx.project.id, id));
  if (icon === undefined) throw notFound();
  return reply(icon.contentType, icon.bytes, {
    'cache-control': 'private, max-age=86400, immutable',
    'content-security-policy': "default-src 'none'; sandbox",
  });
}
