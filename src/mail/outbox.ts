// Sends the outbox by SMTP: one job for each mail, tried again with growing pauses, in a lane of its own so that a slow mail
// server holds up mails alone.
import { and, eq } from 'drizzle-orm';
import type { Context } from '../core/context.ts';
import { MAIL_ATTEMPTS } from '../core/mail-outbox.ts';
import { prepared } from '../data/database.ts';
import { outboxMails } from '../data/tables/tables.ts';
import { DAY } from '../lib/clock.ts';
import { firstIdOf } from '../lib/id-times.ts';
import { type Delivery, deliverMail } from './smtp.ts';

export const MAIL_LANE = 'mail';
/** Ten thousand mails about a release keep nobody's new password waiting. */
export const BULK_MAIL_LANE = 'bulk-mail';

/** How long a mail that is done with stays for the operator to look at. */
const KEPT_MS = 30 * DAY;

/** Tries to send one mail. Throws when it should be tried again, which the job queue does. */
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
    // Its links are secrets that nobody needs here any more.
    settle(ctx, id, {
      state: 'sent',
      attempts,
      sentAt: ctx.clock.now().getTime(),
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
  ctx.log.error({ mail: id, attempts, error }, 'a mail could not be sent');
}

/** Writes what became of a mail; one that is no longer pending stays as it is. */
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
 * Walks from the oldest on by the order of ids: mails that stay are not looked at, however many there are. The plus keeps
 * the index of states out of it, which holds them all.
 */
export const DELETE_OLD_MAILS = `DELETE FROM outbox_mails WHERE id IN (SELECT id FROM outbox_mails
  WHERE id < @firstKept AND created_at <= @before AND +state IN ('sent', 'failed', 'kept') ORDER BY id LIMIT @most)`;
const deleteOldMails = prepared((db) =>
  db.$client.prepare<[{ firstKept: string; before: number; most: number }]>(DELETE_OLD_MAILS),
);

/** Deletes mails that were sent, given up or kept a month ago, at most `most`; answers how many. */
export function deleteMailsOfLastMonth(ctx: Context, now: number, most: number): number {
  const before = now - KEPT_MS;
  return ctx.transact((tx) => deleteOldMails(tx).run({ firstKept: firstIdOf(before + 1), before, most }).changes, {
    bookkeeping: true,
  });
}
