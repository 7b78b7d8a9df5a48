// Erases deleted data from the write-ahead log, and tries again while another process reads the log, as a backup does for hours.
import { emptyLog } from '../data/erasure.ts';
import { MINUTE } from '../lib/clock.ts';
import type { Context } from './context.ts';

export const ERASE_LOG_JOB = 'erase-log';

/** An hour of retries. */
const RETRIES_PER_WARNING = 60;

/** Truncates the write-ahead log: now, or in a job that tries each minute until it's possible. Logs a warning each hour. */
export async function eraseLog(ctx: Context, retries = 0): Promise<void> {
  if (await emptyLog(ctx)) return;
  if (retries > 0 && retries % RETRIES_PER_WARNING === 0) {
    ctx.log.warn(
      { retries },
      'deleted data not erased from the write-ahead log: another process, such as a backup, may be reading it',
    );
  }
  const payload = { retries: retries + 1 };
  ctx.transact((tx) => tx.enqueue({ kind: ERASE_LOG_JOB, payload, dedupeKey: ERASE_LOG_JOB, delayMs: MINUTE }), {
    bookkeeping: true,
  });
}

/** The job. */
export const runEraseLogJob = (ctx: Context, { retries }: Record<string, unknown>): Promise<void> =>
  eraseLog(ctx, Number(retries));
