// Reminders for members without an accepted two-factor method, before the grace period of their organization ends.
import type { App, Sweep, Tx } from '../core/context.ts';
import { transactInSteps } from '../core/transact-steps.ts';
import { prepared } from '../data/database.ts';
import { mfaReminders } from '../data/tables/tables.ts';
import { DAY } from '../lib/clock.ts';
import { createStepRows } from '../lib/step-rows.ts';
import { startSteps } from '../lib/steps.ts';
import { mfaReminderMail } from '../mail/templates/organizations.ts';

const PER_STEP = 200;
/** Composing a reminder takes about half a millisecond. */
const REMINDED = { min: 10, max: 50 };
const MAX_MAILS = 2_000;
/**
 * Days before the end at which reminders are sent. The last value sends the first one when the grace period starts,
 * however long it is.
 */
const STAGES = [1, 7, 36_500];

interface Membership {
  organizationId: string;
  developerId: string;
}

interface Candidate extends Membership {
  organizationName: string;
  email: string;
  graceEndsAt: number;
  /** Whether the organization accepts a passkey; 0 or 1. */
  passkeySatisfies: number;
  /** The last reminder, and the end of the grace period it named. */
  stageDays: number | null;
  remindedOf: number | null;
}

/**
 * Reads memberships in the order of their key, starting after the last of the previous step, so that all steps cost the
 * same.
 */
export const MEMBERSHIPS_AFTER = `SELECT organization_id AS organizationId, developer_id AS developerId
  FROM organization_memberships WHERE (organization_id, developer_id) > (@organizationId, @developerId)
  ORDER BY organization_id, developer_id LIMIT @limit`;
const membershipsAfter = prepared((db) =>
  db.$client.prepare<[Membership & { limit: number }], Membership>(MEMBERSHIPS_AFTER),
);

/** Computes the end of the grace period in the same way as http/access.ts. */
const candidateOf = prepared((db) =>
  db.$client.prepare<[Membership & { now: number }], Candidate>(
    `SELECT o.id AS organizationId, o.name AS organizationName, d.id AS developerId, d.email,
        max(o.mfa_required_at, m.created_at) + o.mfa_grace_period_days * ${DAY} AS graceEndsAt,
        o.mfa_passkey_satisfies AS passkeySatisfies, s.stage_days AS stageDays, s.grace_ends_at AS remindedOf
      FROM organization_memberships m
        JOIN organizations o ON o.id = m.organization_id
        JOIN developers d ON d.id = m.developer_id
        LEFT JOIN mfa_reminders s ON s.organization_id = o.id AND s.developer_id = d.id
      WHERE m.organization_id = @organizationId AND m.developer_id = @developerId AND o.mfa_required_at IS NOT NULL
        AND d.totp_enabled_at IS NULL AND (d.passkey_count = 0 OR o.mfa_passkey_satisfies = 0)
        AND d.locked_at IS NULL AND d.email_verified_at IS NOT NULL
        AND max(o.mfa_required_at, m.created_at) + o.mfa_grace_period_days * ${DAY} > @now`,
  ),
);

/** Returns the number of reminders. Each stage sends one reminder, and again if the end of the grace period changes. */
export const mfaRemindersSweep: Sweep = {
  name: 'mfa-reminders',
  schedule: '41 7 * * *',
  async run(ctx) {
    const step = startSteps();
    const steps = createStepRows(REMINDED);
    let sent = 0;
    let after: Membership | undefined = { organizationId: '', developerId: '' };
    while (after !== undefined && sent < MAX_MAILS) {
      const memberships = membershipsAfter(ctx).all({ ...after, limit: PER_STEP });
      const due: Candidate[] = [];
      for (const membership of memberships) {
        await step();
        const candidate = findDue(ctx, membership);
        if (candidate !== undefined) due.push(candidate);
      }
      await transactInSteps(ctx, due, steps, remindAll);
      sent += due.length;
      after = memberships.at(-1);
    }
    return sent;
  },
};

/** Returns a membership with its reminder, if one is due. */
function findDue(ctx: Pick<App, 'db' | 'clock'>, membership: Membership): Candidate | undefined {
  const now = ctx.clock.time();
  const candidate = candidateOf(ctx).get({ ...membership, now });
  return candidate === undefined || dueStage(candidate, now) === undefined ? undefined : candidate;
}

/** Returns the stage that is due and hasn't been sent, or undefined. */
function dueStage({ graceEndsAt, stageDays, remindedOf }: Candidate, now: number): number | undefined {
  const stage = STAGES.find((days) => now >= graceEndsAt - days * DAY);
  if (stage === undefined) return undefined;
  const isTold = remindedOf === graceEndsAt && stageDays !== null && stageDays <= stage;
  return isTold ? undefined : stage;
}

function remindAll(tx: Tx, due: readonly Candidate[]): void {
  for (const candidate of due) {
    const { organizationId, developerId, email, graceEndsAt } = candidate;
    const stageDays = dueStage(candidate, tx.now);
    if (stageDays === undefined) continue;
    const row = { graceEndsAt, stageDays, sentAt: tx.now };
    tx.db
      .insert(mfaReminders)
      .values({ organizationId, developerId, ...row })
      .onConflictDoUpdate({ target: [mfaReminders.organizationId, mfaReminders.developerId], set: row })
      .run();
    const content = mfaReminderMail(tx.config.server.base_url, {
      ...candidate,
      passkeySatisfies: candidate.passkeySatisfies === 1,
    });
    tx.mail({ kind: 'mfa_reminder', to: email, content });
  }
}
