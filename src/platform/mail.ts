// The mail outbox: mails are rows, written in the transaction that causes them.
import type { Tx } from './context.ts';
import { outboxMails } from './tables/tables.ts';

export interface MailDraft {
  /** What sort of mail it is, such as `password_reset`; cooldowns count per kind and recipient. */
  kind: string;
  to: string;
  subject: string;
  text: string;
  html: string;
}

/** Writes a mail into the outbox; called through `tx.mail` only. With transport `outbox` it stays for the operator to read. */
export function writeMail(tx: Tx, draft: MailDraft): void {
  tx.db
    .insert(outboxMails)
    .values({
      id: tx.ids.next(),
      kind: draft.kind,
      recipient: draft.to,
      subject: draft.subject,
      text: draft.text,
      html: draft.html,
      state: tx.config.mail.transport === 'outbox' ? 'kept' : 'pending',
      nextAttemptAt: tx.now,
      createdAt: tx.now,
    })
    .run();
}
