// Sends the outbox by SMTP. Each email is a job that is retried with increasing delays. Emails have their own job lane,
// so a slow mail server delays only emails.
import { and, eq } from 'drizzle-orm';
import type { Context } from '../core/context.ts';
import { MAIL_ATTEMPTS } from '../core/mail-outbox.ts';
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
  if (ctx.config.mail.transport !== 'smtp') {
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
