// The email outbox: emails are rows, written in the transaction that causes them.
import { placeholder } from 'drizzle-orm/sql/sql';
import { sendsEmail } from '../config/sends-email.ts';
import { prepared } from '../data/database.ts';
import { outboxMails } from '../data/tables/tables.ts';
import type { MailDraft, Tx } from './context.ts';
import { enqueueJob } from './job-store.ts';
import { languageOfAddress } from './mail-language.ts';

/** Kind of the job that sends one email. */
export const SEND_MAIL_JOB = 'send-mail';
/** Kind of the job that sends one of many emails. */
export const SEND_BULK_MAIL_JOB = 'send-bulk-mail';

/** Attempts before an email fails. With the delays of the job queue, this takes about eight hours. */
export const MAIL_ATTEMPTS = 18;

const MAX_SUBJECT_LENGTH = 200;

/** Converts a subject to one line. Characters that could start another header or hide text become spaces. */
function oneLine(subject: string): string {
  return [...subject.replace(/[\p{C}\s]+/gu, ' ').trim()].slice(0, MAX_SUBJECT_LENGTH).join('');
}

const insertMail = prepared((db) =>
  db
    .insert(outboxMails)
    .values({
      id: placeholder('id'),
      kind: placeholder('kind'),
      recipient: placeholder('recipient'),
      subject: placeholder('subject'),
      text: placeholder('text'),
      html: placeholder('html'),
      headers: placeholder('headers'),
      state: placeholder('state'),
      nextAttemptAt: placeholder('now'),
      createdAt: placeholder('now'),
    })
    .prepare(),
);

/**
 * Adds an email to the outbox, in the language of its recipient. Returns its id. Only called through `tx.mail`. With the transport `outbox`, it stays there
 * for the operator.
 */
export function writeMail(tx: Tx, draft: MailDraft): string {
  if (/[\p{C}\s,;<>]/u.test(draft.to)) throw new Error('The recipient of a mail must be one address without a name');
  const id = tx.ids.next();
  const isSent = sendsEmail(tx.config);
  const { subject, text, html } = draft.content(draft.language ?? languageOfAddress(tx, draft.to));
  insertMail(tx).run({
    id,
    kind: draft.kind,
    recipient: draft.to,
    subject: oneLine(subject),
    text,
    html,
    headers: JSON.stringify(draft.headers ?? {}),
    state: isSent ? 'pending' : 'kept',
    now: tx.now,
  });
  if (!isSent) return id;
  const kind = draft.isBulk === true ? SEND_BULK_MAIL_JOB : SEND_MAIL_JOB;
  enqueueJob(tx, { kind, payload: { mail_id: id }, maxAttempts: MAIL_ATTEMPTS });
  return id;
}
