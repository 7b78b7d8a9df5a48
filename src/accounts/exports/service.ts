// Personal data exports: requested by the user, prepared by a job, downloadable until they expire.

import type { App, Context, DeveloperContext } from '../../core/context.ts';
import { queueObjectDeletion } from '../../core/object-deletion.ts';
import { type Page, type PageRequest, readPage } from '../../core/paging.ts';
import { findDeveloper } from '../../developers/store.ts';
import { DAY, HOUR, MINUTE, timestamp, timestampOrNull, wholeSecond } from '../../lib/clock.ts';
import { countOf } from '../../lib/count.ts';
import { AppError, notFound } from '../../lib/errors.ts';
import { exportReadyMail } from '../../mail/templates/accounts.ts';
import { streamArchive } from './archive.ts';
import { listPersonalData } from './personal-data.ts';
import type { DataExport } from './schema.ts';
import * as store from './store.ts';

export const EXPORT_JOB = 'prepare-data-export';
/** Large archives take a while, so they have a lane of their own. */
export const EXPORT_LANE = 'data-exports';
export const ARCHIVE_LIFETIME_MS = 7 * DAY;
export const ARCHIVE_LINK_LIFETIME_MS = 15 * MINUTE;
const DAILY_WINDOW_MS = 24 * HOUR;
const MONTHLY_WINDOW_MS = 30 * DAY;
/** Longer than all attempts of the job together. */
const PREPARING_LIMIT_MS = HOUR;
const MAX_PER_RUN = 500;

function toExport({ config, clock }: Pick<App, 'config' | 'clock'>, row: store.ExportRow): DataExport {
  const isOver = row.state === 'ready' && (row.expiresAt ?? 0) <= clock.time();
  const left = config.limits.downloads_per_export_archive - row.downloads;
  return {
    identifier: row.id,
    state: isOver ? 'expired' : row.state,
    size_bytes: row.sizeBytes,
    downloads_left: row.state === 'ready' && !isOver ? Math.max(0, left) : null,
    created_at: timestamp(row.createdAt),
    ready_at: timestampOrNull(row.readyAt),
    expires_at: timestampOrNull(row.expiresAt),
  };
}

function refuseForeignAccount(ctx: DeveloperContext, developerId: string): void {
  if (ctx.actor.id !== developerId) throw notFound();
}

/**
 * Requests an export. If one is already being prepared, it is returned and nothing is counted. Otherwise the limits of
 * docs/specification/limits.md apply, with 429 and an explanation.
 */
export function requestExport(ctx: DeveloperContext, developerId: string): DataExport {
  refuseForeignAccount(ctx, developerId);
  return ctx.transact((tx) => {
    const preparing = store.findPreparing(tx, developerId);
    if (preparing !== undefined) return toExport(tx, preparing);
    refuseRepeat(tx, developerId, tx.now);
    const row: store.ExportRow = {
      id: tx.ids.next(),
      developerId,
      state: 'preparing',
      objectKey: null,
      sizeBytes: null,
      downloads: 0,
      createdAt: tx.now,
      readyAt: null,
      expiresAt: null,
    };
    store.insertExport(tx, row);
    tx.enqueue({ kind: EXPORT_JOB, payload: { export_id: row.id }, maxAttempts: 5 });
    tx.record('data_export.requested', { identifier: row.id, organizationId: null, developerId });
    return toExport(tx, row);
  });
}

function refuseRepeat(ctx: Context, developerId: string, now: number): void {
  const { personal_data_exports_per_day: perDay, personal_data_exports_per_month: perMonth } = ctx.config.limits;
  const requests = store.listRequestsSince(ctx, developerId, now - MONTHLY_WINDOW_MS, now);
  const today = requests.filter((at) => at > now - DAILY_WINDOW_MS);
  const freeAt = Math.max(
    today.length >= perDay ? (today[perDay - 1] ?? now) + DAILY_WINDOW_MS : 0,
    requests.length >= perMonth ? (requests[perMonth - 1] ?? now) + MONTHLY_WINDOW_MS : 0,
  );
  if (freeAt <= now) return;
  throw new AppError(
    'rate_limit_exceeded',
    `You can request the next export at ${timestamp(freeAt)}`,
    {
      reason: 'repeat_export_rate_limited',
      explanation:
        `You can request an export ${countOf(perDay, 'time')} in 24 hours and ${countOf(perMonth, 'time')} in 30 days, because ` +
        'each export reads all data stored about an account. You can still download an existing archive.',
      right_to_complain:
        'If you think this is wrong, contact the operator of this service. You can also complain to the data ' +
        'protection authority of your country.',
    },
    { 'retry-after': String(Math.ceil((freeAt - now) / 1000)) },
  );
}

/** Returns a page of the account's exports, newest first. */
export function listExports(ctx: DeveloperContext, developerId: string, request: PageRequest): Page<DataExport> {
  refuseForeignAccount(ctx, developerId);
  return readPage(
    ctx,
    request,
    (before, limit) => store.listExports(ctx, developerId, before, limit),
    (row) => toExport(ctx, row),
  );
}

/** Returns an export of the account. Throws `not_found`. */
export function readExport(ctx: DeveloperContext, id: string): DataExport {
  return toExport(ctx, store.loadExport(ctx, ctx.actor.id, id));
}

/**
 * Returns a signed link to a ready archive. Each link counts as a download, but not the response to a HEAD request, which
 * doesn't contain it. Throws `rate_limit_exceeded` above the limit.
 */
export async function downloadExport(ctx: DeveloperContext, id: string) {
  const row = store.loadExport(ctx, ctx.actor.id, id);
  const { downloads_per_export_archive: max } = ctx.config.limits;
  const { objectKey } = row;
  const now = ctx.clock.time();
  const usedUp = () => new AppError('rate_limit_exceeded', `An archive can be downloaded ${max} times`);
  const expiresAt = wholeSecond(Math.min(now + ARCHIVE_LINK_LIFETIME_MS, row.expiresAt ?? 0));
  if (row.state !== 'ready' || objectKey === null || expiresAt <= now) {
    throw new AppError('operation_not_allowed', "The archive isn't ready or has expired");
  }
  const { url } = await ctx.storage.signGet({
    key: objectKey,
    expiresAt: new Date(expiresAt),
    subject: ctx.actor.id,
    fileName: `personal-data-${timestamp(row.createdAt).slice(0, 10)}.zip`,
    contentType: 'application/zip',
  });
  const answer = { download_url: url, expires_at: timestamp(expiresAt) };
  if (ctx.request.method === 'HEAD') {
    if (row.downloads >= max) throw usedUp();
    return answer;
  }
  ctx.transact((tx) => {
    tx.confirmAccess();
    if (!store.takeDownload(tx, id, max)) throw usedUp();
    tx.record('data_export.downloaded', { identifier: id, organizationId: null, developerId: ctx.actor.id });
  });
  return answer;
}

/**
 * The job: stores the archive and notifies the owner. If interrupted, it starts over, and incomplete data is deleted.
 * It can run twice: the first run to finish wins.
 */
export async function prepareExport(
  ctx: Context,
  payload: Record<string, unknown>,
  stopping: AbortSignal,
): Promise<void> {
  const row = store.findExport(ctx, String(payload.export_id));
  if (row === undefined || row.state !== 'preparing') return;
  const objectKey = `exports/${row.id}.zip`;
  const subjects = listPersonalData(ctx, row.developerId);
  const { size } = await ctx.storage.put(objectKey, streamArchive(subjects, ctx.clock.now(), stopping));
  ctx.transact(
    (tx) => {
      const owner = findDeveloper(tx, row.developerId);
      const expiresAt = tx.now + ARCHIVE_LIFETIME_MS;
      const changes = { state: 'ready', objectKey, sizeBytes: size, readyAt: tx.now, expiresAt } as const;
      if (owner === undefined || !store.moveExport(tx, row.id, 'preparing', changes)) {
        // The archive isn't needed, unless another run of the job stored the same one first.
        if (store.findExport(tx, row.id)?.state !== 'ready') queueObjectDeletion(tx, [objectKey]);
        return;
      }
      tx.record('data_export.completed', { identifier: row.id, organizationId: null, developerId: row.developerId });
      tx.mail({
        kind: 'data_export_ready',
        to: owner.email,
        content: exportReadyMail(tx.config.server.base_url, expiresAt),
      });
    },
    { bookkeeping: true },
  );
}

/** Marks exports whose job has failed as failed, so that a new one can be requested. Returns the number of exports. */
export function failStaleExports(ctx: Context): number {
  const stale = store.listStale(ctx, ctx.clock.time() - PREPARING_LIMIT_MS, MAX_PER_RUN);
  for (const row of stale) {
    ctx.transact((tx) => {
      if (!store.moveExport(tx, row.id, 'preparing', { state: 'failed' })) return;
      tx.record('data_export.failed', { identifier: row.id, organizationId: null, developerId: row.developerId });
    });
  }
  return stale.length;
}

/** Expires archives and queues their bytes for deletion. Returns the number of archives. */
export function expireExports(ctx: Context): number {
  const due = store.listDue(ctx, ctx.clock.time(), MAX_PER_RUN);
  for (const row of due) {
    ctx.transact(
      (tx) => {
        if (!store.moveExport(tx, row.id, 'ready', { state: 'expired', objectKey: null })) return;
        queueObjectDeletion(tx, [row.objectKey]);
      },
      { bookkeeping: true },
    );
  }
  return due.length;
}
