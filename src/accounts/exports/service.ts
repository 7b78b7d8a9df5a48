// Personal data exports: asked for, prepared by a job, downloadable until their link expires.

import type { App, Context, DeveloperContext } from '../../core/context.ts';
import { queueObjectDeletion } from '../../core/object-deletion.ts';
import { type Page, type PageRequest, readPage } from '../../core/paging.ts';
import { findDeveloper } from '../../developers/store.ts';
import { DAY, HOUR, MINUTE, timestamp, timestampOrNull } from '../../lib/clock.ts';
import { AppError, notFound } from '../../lib/errors.ts';
import { exportReadyMail } from '../../mail/templates.ts';
import { streamArchive } from './archive.ts';
import { listPersonalData } from './personal-data.ts';
import type { DataExport } from './schema.ts';
import * as store from './store.ts';

export const EXPORT_JOB = 'prepare-data-export';
/** A large archive takes a while, and nothing waits behind it but other archives. */
export const EXPORT_LANE = 'data-exports';
const ARCHIVE_LIFETIME_MS = 7 * DAY;
const LINK_LIFETIME_MS = 15 * MINUTE;
const DAILY_WINDOW_MS = 24 * HOUR;
const MONTHLY_WINDOW_MS = 30 * DAY;
/** Longer than all tries of the job take together. */
const PREPARING_LIMIT_MS = HOUR;
const MOST_A_RUN = 500;

function toExport({ config, clock }: Pick<App, 'config' | 'clock'>, row: store.ExportRow): DataExport {
  const isOver = row.state === 'ready' && (row.expiresAt ?? 0) <= clock.now().getTime();
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
 * Asks for an export. While one is being prepared the same one is answered and nothing is counted; else the limits of
 * specification part 8 refuse with 429 and the prose its part 7 rule 5 asks for.
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
  const requests = store.listRequestsSince(ctx, developerId, now - MONTHLY_WINDOW_MS);
  const today = requests.filter((at) => at > now - DAILY_WINDOW_MS);
  const freeAt = Math.max(
    today.length >= perDay ? (today[perDay - 1] ?? now) + DAILY_WINDOW_MS : 0,
    requests.length >= perMonth ? (requests[perMonth - 1] ?? now) + MONTHLY_WINDOW_MS : 0,
  );
  if (freeAt <= now) return;
  throw new AppError(
    'rate_limit_exceeded',
    `The next export can be asked for at ${timestamp(freeAt)}`,
    {
      reason: 'repeat_export_rate_limited',
      explanation:
        `An export may be asked for ${perDay} time(s) within 24 hours and ${perMonth} time(s) within 30 days, because ` +
        'preparing one reads everything that is kept about an account. An archive that is ready can be downloaded again.',
      right_to_complain:
        'If you think that this refusal is wrong, turn to the operator of this service; you may also complain to the data ' +
        'protection authority of your country.',
    },
    { 'retry-after': String(Math.ceil((freeAt - now) / 1000)) },
  );
}

/** One page of the account's exports, newest first. */
export function listExports(ctx: DeveloperContext, developerId: string, request: PageRequest): Page<DataExport> {
  refuseForeignAccount(ctx, developerId);
  return readPage(
    ctx,
    request,
    (before, limit) => store.listExports(ctx, developerId, before, limit),
    (row) => toExport(ctx, row),
  );
}

/** One export of the account. */
export function readExport(ctx: DeveloperContext, id: string): DataExport {
  return toExport(ctx, store.loadExport(ctx, ctx.actor.id, id));
}

/** A signed link to a ready archive. Each counts as a download; past the limit it is refused with 429. */
export async function downloadExport(ctx: DeveloperContext, id: string) {
  const row = store.loadExport(ctx, ctx.actor.id, id);
  const { downloads_per_export_archive: most } = ctx.config.limits;
  const { objectKey } = row;
  const now = ctx.clock.now().getTime();
  const expiresAt = Math.min(now + LINK_LIFETIME_MS, row.expiresAt ?? 0);
  if (row.state !== 'ready' || objectKey === null || expiresAt <= now) {
    throw new AppError('operation_not_allowed', 'The archive is not ready, or its time is over');
  }
  const { url } = await ctx.storage.signGet({
    key: objectKey,
    expiresAt: new Date(expiresAt),
    subject: ctx.actor.id,
    fileName: `personal-data-${timestamp(row.createdAt).slice(0, 10)}.zip`,
    contentType: 'application/zip',
  });
  ctx.transact((tx) => {
    if (!store.takeDownload(tx, id, most)) {
      throw new AppError('rate_limit_exceeded', `An archive can be downloaded ${most} times`);
    }
    tx.record('data_export.downloaded', { identifier: id, organizationId: null, developerId: ctx.actor.id });
  });
  return { download_url: url, expires_at: timestamp(expiresAt) };
}

/**
 * The job: stores the archive as it is written, then tells the owner. Broken off anywhere it starts over, and what was written
 * aside is removed; run twice it does no harm: the first to finish wins.
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
        // Nobody can fetch it, unless another run of the job was first with the same archive.
        if (store.findExport(tx, row.id)?.state !== 'ready') queueObjectDeletion(tx, [objectKey]);
        return;
      }
      tx.record('data_export.completed', { identifier: row.id, organizationId: null, developerId: row.developerId });
      tx.mail({ kind: 'data_export_ready', to: owner.email, ...exportReadyMail(tx.config.server.base_url, expiresAt) });
    },
    { bookkeeping: true },
  );
}

/** Marks exports failed whose job has given up, so that the next one can be asked for; answers how many. */
export function failStaleExports(ctx: Context): number {
  const stale = store.listStale(ctx, ctx.clock.now().getTime() - PREPARING_LIMIT_MS, MOST_A_RUN);
  for (const row of stale) {
    ctx.transact((tx) => {
      if (!store.moveExport(tx, row.id, 'preparing', { state: 'failed' })) return;
      tx.record('data_export.failed', { identifier: row.id, organizationId: null, developerId: row.developerId });
    });
  }
  return stale.length;
}

/** Expires archives whose time is over and dooms their bytes; answers how many. */
export function expireExports(ctx: Context): number {
  const due = store.listDue(ctx, ctx.clock.now().getTime(), MOST_A_RUN);
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
