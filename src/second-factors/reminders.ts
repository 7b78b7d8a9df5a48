// Reminders of members who have no second factor that their organization accepts, before its grace period ends for them.
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { mfaReminderMail } from '../mail/templates.ts';
import { DAY } from '../platform/clock.ts';
import type { App, Tx } from '../platform/context.ts';
import { prepared } from '../platform/database.ts';
import type { Sweep } from '../platform/sweeps.ts';
import { mfaReminders } from '../platform/tables/tables.ts';

const PER_STEP = 200;
const MOST_MAILS = 2_000;
/** Days before the end at which a reminder is due; the first one when the grace period begins, however long it is. */
const STAGES = [1, 7, 36_500];

interface Candidate {
  organizationId: string;
  organizationName: string;
  developerId: string;
  email: string;
  graceEndsAt: number;
  /** What was sent last, and about which end. */
  stageDays: number | null;
  remindedOf: number | null;
}

/** The end of the grace period is worked out as the kernel does (platform/access.ts). */
const candidatesAfter = prepared((db) =>
  db.$client.prepare<[{ organizationId: string; developerId: string; now: number; limit: number }], Candidate>(
    `SELECT o.id AS organizationId, o.name AS organizationName, d.id AS developerId, d.email,
        max(o.mfa_required_at, m.created_at) + o.mfa_grace_period_days * ${DAY} AS graceEndsAt,
        s.stage_days AS stageDays, s.grace_ends_at AS remindedOf
      FROM organizations o
        JOIN organization_memberships m ON m.organization_id = o.id
        JOIN developers d ON d.id = m.developer_id
        LEFT JOIN mfa_reminders s ON s.organization_id = o.id AND s.developer_id = d.id
      WHERE o.mfa_required_at IS NOT NULL AND (o.id, d.id) > (@organizationId, @developerId)
        AND d.totp_enabled_at IS NULL AND (d.passkey_count = 0 OR o.mfa_passkey_satisfies = 0)
        AND d.locked_at IS NULL AND d.email_verified_at IS NOT NULL
        AND max(o.mfa_required_at, m.created_at) + o.mfa_grace_period_days * ${DAY} > @now
      ORDER BY o.id, d.id LIMIT @limit`,
  ),
);

/** Answers how many were reminded. Each is reminded once at a stage, and anew when the end has moved. */
export const mfaRemindersSweep: Sweep = {
  name: 'mfa-reminders',
  schedule: '41 7 * * *',
  async run(ctx) {
    let sent = 0;
    let after = { organizationId: '', developerId: '' };
    while (sent < MOST_MAILS) {
      const candidates = listCandidates(ctx, after);
      const due = candidates.filter((candidate) => dueStage(candidate, ctx.clock.now().getTime()) !== undefined);
      if (due.length > 0) ctx.transact((tx) => remindAll(tx, due), { bookkeeping: true });
      sent += due.length;
      const last = candidates.at(-1);
      if (last === undefined) break;
      after = last;
      await yieldToOthers();
    }
    return sent;
  },
};

function listCandidates(ctx: Pick<App, 'db' | 'clock'>, after: { organizationId: string; developerId: string }) {
  const { organizationId, developerId } = after;
  const now = ctx.clock.now().getTime();
  return candidatesAfter(ctx).all({ organizationId, developerId, now, limit: PER_STEP });
}

/** The stage that has come and was not told of; undefined when there is none. */
function dueStage({ graceEndsAt, stageDays, remindedOf }: Candidate, now: number): number | undefined {
  const stage = STAGES.find((days) => now >= graceEndsAt - days * DAY);
  if (stage === undefined) return undefined;
  const isTold = remindedOf === graceEndsAt && stageDays !== null && stageDays <= stage;
  return isTold ? undefined : stage;
}

function remindAll(tx: Tx, due: readonly Candidate[]): void {
  for (const candidate of due) {
    const { organizationId, developerId, email, organizationName, graceEndsAt } = candidate;
    const stageDays = dueStage(candidate, tx.now);
    if (stageDays === undefined) continue;
    const row = { graceEndsAt, stageDays, sentAt: tx.now };
    tx.db
      .insert(mfaReminders)
      .values({ organizationId, developerId, ...row })
      .onConflictDoUpdate({ target: [mfaReminders.organizationId, mfaReminders.developerId], set: row })
      .run();
    const content = mfaReminderMail(tx.config.server.base_url, organizationName, graceEndsAt);
    tx.mail({ kind: 'mfa_reminder', to: email, ...content });
  }
}
