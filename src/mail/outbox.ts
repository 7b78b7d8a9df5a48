// Sends the outbox by SMTP: one job for each mail, tried again with growing pauses, in a lane of its own so that a slow mail
// server holds up mails alone.
import { and, eq, inArray, lte } from 'drizzle-orm';
import { DAY } from '../platform/clock.ts';
import type { Context } from '../platform/context.ts';
import { MAIL_ATTEMPTS } from '../platform/mail.ts';
import { outboxMails } from '../platform/tables/tables.ts';
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

/** Deletes mails that were sent, given up or kept a month ago, at most `most`; answers how many. */
export function forgetOldMails(ctx: Context, now: number, most: number): number {
  return ctx.transact(
    (tx) => {
      const old = tx.db
        .select({ id: outboxMails.id })
        .from(outboxMails)
        .where(and(inArray(outboxMails.state, ['sent', 'failed', 'kept']), lte(outboxMails.createdAt, now - KEPT_MS)))
        .limit(most);
      return tx.db.delete(outboxMails).where(inArray(outboxMails.id, old)).run().changes;
    },
    { bookkeeping: true },
  );
}
