// Sends the outbox by SMTP. Each email is a job that is retried with increasing delays. Emails have their own job lane,
// so a slow mail server delays only emails.
import { and, eq } from 'drizzle-orm';
import { sendsEmail } from '../config/sends-email.ts';
import type { Context, Tx } from '../core/context.ts';
import { MAIL_ATTEMPTS, SEND_BULK_MAIL_JOB, SEND_MAIL_JOB } from '../core/mail-outbox.ts';
import { prepared } from '../data/database.ts';
import { outboxMails } from '../data/tables/tables.ts';
import { DAY } from '../lib/clock.ts';
import { firstIdOf } from '../lib/id-times.ts';
import { type Delivery, deliverMail } from './smtp.ts';

export const MAIL_LANE = 'mail';
/** Release emails have a lane of their own, so that thousands of them don't delay a password reset. */
export const BULK_MAIL_LANE = 'bulk-mail';

/** How long a finished email is kept for the operator to read. */
const KEPT_MS = 30 * DAY;

/** Tries to send one email. Throws if the job queue should retry it. */
export async function runSendMailJob(
  ctx: Context,
  payload: Record<string, unknown>,
  stopping: AbortSignal,
): Promise<void> {
  const id = String(payload.mail_id);
  const row = ctx.db.select().from(outboxMails).where(eq(outboxMails.id, id)).get();
  if (row === undefined || row.state !== 'pending') return;
  if (!sendsEmail(ctx.config)) {
    settle(ctx, id, { state: 'kept' });
    return;
  }
  const attempts = row.attempts + 1;
  const delivery = await deliverMail(ctx.config.mail, row, stopping);
  if (delivery.outcome === 'sent') {
    // The links in its body are secrets and are no longer needed here.
    settle(ctx, id, {
      state: 'sent',
      attempts,
      sentAt: ctx.clock.time(),
      lastError: null,
      text: '',
      html: '',
    });
    return;
  }
  settleFailure(ctx, id, attempts, delivery);
}

function settleFailure(
  ctx: Context,
  id: string,
  attempts: number,
  { outcome, error }: Exclude<Delivery, { outcome: 'sent' }>,
) {
  const isOver = outcome === 'refused' || attempts >= MAIL_ATTEMPTS;
  settle(ctx, id, { state: isOver ? 'failed' : 'pending', attempts, lastError: error });
  if (!isOver) throw new Error(error);
  ctx.log.error({ mail: id, attempts, error }, 'mail delivery failed');
}

/** Saves the outcome of an email. Emails that are no longer pending stay unchanged. */
function settle(ctx: Context, id: string, values: Partial<typeof outboxMails.$inferInsert>): void {
  ctx.transact(
    (tx) =>
      tx.db
        .update(outboxMails)
        .set(values)
        .where(and(eq(outboxMails.id, id), eq(outboxMails.state, 'pending')))
        .run(),
    { bookkeeping: true },
  );
}

/** Queueing takes less than the given time. Emails further in the future were written while the clock was ahead. */
const listFailed = prepared((db) =>
  db.$client
    .prepare<[{ before: number; ms: number; max: number }], string>(
      `SELECT id FROM outbox_mails WHERE state = 'failed' AND next_attempt_at NOT BETWEEN @before AND @before + @ms
        ORDER BY next_attempt_at LIMIT @max`,
    )
    .pluck(),
);

/** Emails that are sent again in one transaction. */
const RETRIED = 500;

/** Queues a failed email again, with all its attempts. Returns false if there is no failed email with this id. */
export function retryMail(ctx: Context, id: string): boolean {
  return ctx.transact((tx) => requeue(tx, id, SEND_MAIL_JOB), { bookkeeping: true });
}

/** Queues all failed emails again, in the lane of release emails. Returns their number. */
export function retryFailedMails(ctx: Context): number {
  // Those that fail again during this loop aren't queued a second time.
  const before = ctx.clock.time();
  const requeueNext = (tx: Tx) =>
    listFailed(tx)
      .all({ before, ms: DAY, max: RETRIED })
      .filter((id) => requeue(tx, id, SEND_BULK_MAIL_JOB)).length;
  let total = 0;
  for (let count = RETRIED; count === RETRIED; total += count) {
    count = ctx.transact(requeueNext, { bookkeeping: true });
  }
  return total;
}

function requeue(tx: Tx, id: string, kind: string): boolean {
  const { changes } = tx.db
    .update(outboxMails)
    .set({ state: 'pending', attempts: 0, nextAttemptAt: tx.now, lastError: null })
    .where(and(eq(outboxMails.id, id), eq(outboxMails.state, 'failed')))
    .run();
  if (changes === 1) tx.enqueue({ kind, payload: { mail_id: id }, maxAttempts: MAIL_ATTEMPTS });
  return changes === 1;
}

/** How long an email can be pending without being examined; all its attempts take about eight hours. */
const LOST_MS = DAY;

/** While more emails wait, their jobs aren't compared: reading them all would keep the server from answering. */
const MAX_COMPARED = 10_000;

const countCompared = prepared((db) =>
  db.$client
    .prepare<[{ job: string; bulkJob: string; max: number }], number>(
      "SELECT count(*) FROM (SELECT 1 FROM jobs WHERE state = 'waiting' AND kind IN (@job, @bulkJob) LIMIT @max)",
    )
    .pluck(),
);

const failLost = prepared((db) =>
  db.$client.prepare<[{ before: number; job: string; bulkJob: string; max: number }]>(
    `UPDATE outbox_mails SET state = 'failed', last_error = coalesce(last_error, 'The attempts were interrupted')
      WHERE id IN (SELECT id FROM outbox_mails WHERE state = 'pending' AND next_attempt_at <= @before
        AND id NOT IN (SELECT payload ->> 'mail_id' FROM jobs
          WHERE state = 'waiting' AND kind IN (@job, @bulkJob) AND payload ->> 'mail_id' IS NOT NULL)
        ORDER BY next_attempt_at LIMIT @max)`,
  ),
);

/**
 * Marks up to `max` pending emails as failed that have no job anymore. A server that is killed during an attempt uses up an
 * attempt of the job, but not of the email, so the job can end first. Waits while very many emails wait. Returns the number of emails.
 */
export function failLostMails(ctx: Context, now: number, max: number): number {
  const kinds = { job: SEND_MAIL_JOB, bulkJob: SEND_BULK_MAIL_JOB };
  if ((countCompared(ctx).get({ ...kinds, max: MAX_COMPARED + 1 }) ?? 0) > MAX_COMPARED) return 0;
  const lost = { before: now - LOST_MS, ...kinds, max };
  const { changes } = ctx.transact((tx) => failLost(tx).run(lost), { bookkeeping: true });
  if (changes > 0) ctx.log.error({ mails: changes }, 'emails failed: their attempts were interrupted');
  return changes;
}

/**
 * Goes from the oldest email on in the order of ids, so that emails that are kept aren't read. The plus in front of the
 * state keeps SQLite from using the index on states, which contains all of them.
 */
export const DELETE_OLD_MAILS = `DELETE FROM outbox_mails WHERE id IN (SELECT id FROM outbox_mails
  WHERE id < @firstKept AND created_at <= @before AND +state IN ('sent', 'failed', 'kept') ORDER BY id LIMIT @max)`;
const deleteOldMails = prepared((db) =>
  db.$client.prepare<[{ firstKept: string; before: number; max: number }]>(DELETE_OLD_MAILS),
);

/** Deletes up to `max` emails that were sent, failed or were kept a month ago. Returns the number deleted. */
export function deleteMailsOfLastMonth(ctx: Context, now: number, max: number): number {
  const before = now - KEPT_MS;
  return ctx.transact((tx) => deleteOldMails(tx).run({ firstKept: firstIdOf(before + 1), before, max }).changes, {
    bookkeeping: true,
  });
}
