// The silent cooldowns of transactional mail: about one per kind and recipient in five minutes (specification part 8).
import { eq, sql } from 'drizzle-orm/sql';
import type { Context, MailDraft, Tx } from '../core/context.ts';
import { prepared } from '../data/database.ts';
import { mailCooldowns } from '../data/tables/tables.ts';
import { MINUTE } from '../lib/clock.ts';

function cooldownMs({ config }: Pick<Context, 'config'>): number {
  return config.limits.transactional_email_minutes * MINUTE;
}

/**
 * Takes the right to send one mail of a kind to an address; false within the cooldown of an earlier one. It holds for
 * addresses that no account has, so that the same is written for them.
 */
export function claimMail(tx: Tx, kind: string, recipient: string): boolean {
  const { changes } = tx.db
    .insert(mailCooldowns)
    .values({ kind, recipient, sentAt: tx.now })
    .onConflictDoUpdate({
      target: [mailCooldowns.kind, mailCooldowns.recipient],
      set: { sentAt: tx.now },
      setWhere: sql`${mailCooldowns.sentAt} <= ${tx.now - cooldownMs(tx)}`,
    })
    .run();
  return changes === 1;
}

/** Sends a mail unless one of its kind went to its recipient within the cooldown. Answers whether it was sent. */
export function mailOnce(tx: Tx, kind: string, to: string, write: () => Omit<MailDraft, 'kind' | 'to'>): boolean {
  if (!claimMail(tx, kind, to)) return false;
  tx.mail({ kind, to, ...write() });
  return true;
}

/** Forgets what was asked for an address that had no account: its first mails are not to be absorbed. */
export function clearCooldowns(tx: Tx, recipient: string): void {
  tx.db.delete(mailCooldowns).where(eq(mailCooldowns.recipient, recipient)).run();
}

const deleteOver = prepared((db) =>
  db.$client.prepare<[number, number]>(
    'DELETE FROM mail_cooldowns WHERE rowid IN (SELECT rowid FROM mail_cooldowns WHERE sent_at <= ? LIMIT ?)',
  ),
);

/** Deletes cooldowns that are over, at most `most`; answers how many. */
export function deleteOldCooldowns(ctx: Context, now: number, most: number): number {
  return ctx.transact((tx) => deleteOver(tx).run(now - cooldownMs(tx), most).changes, { bookkeeping: true });
}
