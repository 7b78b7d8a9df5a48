// The notices of audit retention: events are only deleted a week after their deletion was announced.
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import type { App, Context, Tx } from '../core/context.ts';
import { languageFor } from '../core/mail-language.ts';
import { prepared } from '../data/database.ts';
import { DAY } from '../lib/clock.ts';
import { createStepRows } from '../lib/step-rows.ts';
import { mailMany } from '../mail/batches.ts';
import { auditRetentionMail } from '../mail/templates/organizations.ts';
import { listChains, listOldestLinks } from './chain-store.ts';

const NOTICE_MS = 7 * DAY;
const CHAINS = { min: 5, max: 50 };
/** The job runs daily, so events of less time are part of the daily deletions that were announced. */
const USUAL_STEP_MS = 2 * DAY;

interface Notice {
  cutoff: number;
  announcedAt: number;
}

const noticesOf = prepared((db) =>
  db.$client.prepare<[string], Notice>(
    'SELECT cutoff, announced_at AS announcedAt FROM audit_notices WHERE chain = ? ORDER BY cutoff DESC',
  ),
);

const addNotice = prepared((db) =>
  db.$client.prepare<[string, number, number]>(
    'INSERT OR IGNORE INTO audit_notices (chain, cutoff, announced_at) VALUES (?, ?, ?)',
  ),
);

const deleteNoticesBelow = prepared((db) =>
  db.$client.prepare<[string, number]>('DELETE FROM audit_notices WHERE chain = ? AND cutoff < ?'),
);

const adminsOf = prepared((db) =>
  db.$client.prepare<[string], { organizationName: string; developerId: string; locale: string | null }>(
    `SELECT o.name AS organizationName, d.id AS developerId, d.locale FROM organizations o
      JOIN organization_memberships m ON m.organization_id = o.id AND m.role = 'admin'
      JOIN developers d ON d.id = m.developer_id
      WHERE o.id = ? AND d.locked_at IS NULL AND d.email_verified_at IS NOT NULL`,
  ),
);

/** Returns how many days a chain is kept, or undefined if forever. */
export type DaysOf = (chain: string) => number | undefined;

/** Returns the time before which events were announced a week ago, or undefined. */
export function findAnnouncedCutoff(ctx: Pick<App, 'db' | 'clock'>, chain: string): number | undefined {
  const before = ctx.clock.time() - NOTICE_MS;
  return noticesOf(ctx)
    .all(chain)
    .find(({ announcedAt }) => announcedAt <= before)?.cutoff;
}

/**
 * Announces the events that retention will delete in a week, up to 50 chains per transaction, each email counted as a chain. The
 * admins of an organization are emailed before the first deletion, and whenever more than the daily amount will be deleted.
 */
export async function announceTrims(ctx: Context, daysOf: DaysOf): Promise<void> {
  const steps = createStepRows(CHAINS);
  const chains = listChains(ctx);
  const announceNext = (count: number) =>
    ctx.transact(
      (tx) => {
        for (let left = count; left > 0; left -= 1) {
          const { value: chain, done } = chains.next();
          if (done === true) return false;
          left -= announceTrim(tx, chain, daysOf(chain));
        }
        return true;
      },
      { bookkeeping: true },
    );
  while (steps.take(announceNext)) await yieldToOthers();
}

/** Returns the number of emails it wrote. */
function announceTrim(tx: Tx, chain: string, days: number | undefined): number {
  if (days === undefined) return 0;
  const cutoff = tx.now - days * DAY + NOTICE_MS;
  const [oldest] = listOldestLinks(tx, chain, 1);
  const [last] = noticesOf(tx).all(chain);
  if (oldest === undefined || oldest.timestamp >= cutoff || (last !== undefined && last.cutoff >= cutoff)) return 0;
  addNotice(tx).run(chain, cutoff, tx.now);
  const done = findAnnouncedCutoff(tx, chain);
  if (done !== undefined) deleteNoticesBelow(tx).run(chain, done);
  // In a quiet organization, the events may begin long after what was announced last.
  if (last !== undefined && cutoff - Math.max(last.cutoff, oldest.timestamp) <= USUAL_STEP_MS) return 0;
  const removedFrom = Math.max(oldest.timestamp + days * DAY, tx.now + NOTICE_MS);
  const admins = adminsOf(tx).all(chain);
  const [first] = admins;
  if (first === undefined) return 0;
  const { organizationName } = first;
  const content = auditRetentionMail(tx.config.server.base_url, { organizationName, days, removedFrom });
  const mails = admins.map(({ developerId, locale }) => ({
    developerId,
    content: content(languageFor(tx, locale)),
  }));
  return mailMany(tx, 'audit_retention', mails);
}
