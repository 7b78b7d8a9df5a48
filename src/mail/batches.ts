// Emails to many people. A transaction with hundreds of them would delay all other writers, so they are written in batches.
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import type { Context, MailContent, Tx } from '../core/context.ts';
import { prepared } from '../data/database.ts';
import { claimMail } from './cooldowns.ts';

export const MAIL_BATCH_JOB = 'write-mails';
const MAILS_PER_BATCH = 25;

/** An email to one person, in their language. */
export interface MailToPerson {
  developerId: string;
  content: MailContent;
}

interface Batch {
  /** Each person gets one email of it, also if the job runs twice. */
  id: string;
  kind: string;
  contents: MailContent[];
  recipients: { developerId: string; content: number }[];
}

const addressOf = prepared((db) =>
  db.$client
    .prepare<[string], string>(
      'SELECT email FROM developers WHERE id = ? AND locked_at IS NULL AND email_verified_at IS NOT NULL',
    )
    .pluck(),
);

/**
 * Sends an email to each person with a verified address. The first ones are written immediately, and the others by jobs that are queued
 * in the same transaction, so that none is lost. Returns how many were written immediately.
 */
export function mailMany(tx: Tx, kind: string, mails: readonly MailToPerson[]): number {
  const first = mails.slice(0, MAILS_PER_BATCH);
  for (const { developerId, content } of first) {
    const to = addressOf(tx).get(developerId);
    if (to !== undefined) tx.mail({ kind, to, content: () => content });
  }
  for (let from = first.length; from < mails.length; from += MAILS_PER_BATCH) {
    const batch = toBatch(tx, kind, mails.slice(from, from + MAILS_PER_BATCH));
    tx.enqueue({ kind: MAIL_BATCH_JOB, payload: { ...batch } });
  }
  return first.length;
}

/** People with the same content share it in the row of the job. */
function toBatch({ ids }: Tx, kind: string, mails: readonly MailToPerson[]): Batch {
  const contents = [...new Set(mails.map(({ content }) => content))];
  const recipients = mails.map(({ developerId, content }) => ({ developerId, content: contents.indexOf(content) }));
  return { id: ids.next(), kind, contents, recipients };
}

/** The job: writes one batch of emails. Running it twice sends no email twice. */
export async function runMailBatchJob(ctx: Context, payload: Record<string, unknown>): Promise<void> {
  // Batches follow each other immediately, so other requests must run in between.
  await yieldToOthers();
  // Only this file writes these payloads.
  const { id, kind, contents, recipients } = payload as unknown as Batch;
  ctx.transact(
    (tx) => {
      for (const { developerId, content: index } of recipients) {
        const to = addressOf(tx).get(developerId);
        const content = contents[index];
        if (to === undefined || content === undefined || !claimMail(tx, `${kind} ${id}`, to)) continue;
        tx.mail({ kind, to, content: () => content });
      }
    },
    { bookkeeping: true },
  );
}
