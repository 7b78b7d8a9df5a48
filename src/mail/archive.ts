// Stored emails, as the operator reads them.
import { and, desc, eq } from 'drizzle-orm';
import type { App } from '../core/context.ts';
import { outboxMails } from '../data/tables/tables.ts';
import { timestamp, timestampOrNull } from '../lib/clock.ts';

type MailRow = typeof outboxMails.$inferSelect;

export interface MailSummary {
  identifier: string;
  kind: string;
  to: string;
  subject: string;
  state: MailRow['state'];
  attempts: number;
  last_error: string | null;
  created_at: string;
  sent_at: string | null;
}

export interface WholeMail extends MailSummary {
  text: string;
  html: string;
}

const { id, kind, recipient, subject, state, attempts, lastError, createdAt, sentAt } = outboxMails;
const columns = { id, kind, recipient, subject, state, attempts, lastError, createdAt, sentAt };

function toSummary(row: Pick<MailRow, keyof typeof columns>): MailSummary {
  return {
    identifier: row.id,
    kind: row.kind,
    to: row.recipient,
    subject: row.subject,
    state: row.state,
    attempts: row.attempts,
    last_error: row.lastError,
    created_at: timestamp(row.createdAt),
    sent_at: timestampOrNull(row.sentAt),
  };
}

/** Returns the newest emails, without their bodies, because those contain working links. */
export function listMails(
  { db }: Pick<App, 'db'>,
  wanted: { to?: string | undefined; state?: MailRow['state'] | undefined; limit: number },
): MailSummary[] {
  const isWanted = and(
    wanted.to === undefined ? undefined : eq(recipient, wanted.to),
    wanted.state === undefined ? undefined : eq(state, wanted.state),
  );
  return db
    .select(columns)
    .from(outboxMails)
    .where(isWanted)
    .orderBy(desc(id))
    .limit(wanted.limit)
    .all()
    .map(toSummary);
}

/** Returns an email with its body. */
export function findMail({ db }: Pick<App, 'db'>, mailId: string): WholeMail | undefined {
  const row = db.select().from(outboxMails).where(eq(id, mailId)).get();
  return row && { ...toSummary(row), text: row.text, html: row.html };
}
