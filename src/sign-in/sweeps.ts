// The cleanup job for expired data of sign-ins.
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { deleteExpiredSetupLinks } from '../accounts/setup.ts';
import { CANCEL_SUBSCRIPTION_JOB } from '../billing/cancellation.ts';
import { CONFIRM_PLAN_JOB } from '../billing/plan-confirmation.ts';
import type { Context, Sweep } from '../core/context.ts';
import { deleteDeadJobs } from '../core/job-store.ts';
import { eraseLog } from '../core/log-erasure.ts';
import { deleteExpiredEmailCodes } from '../developers/email-codes.ts';
import { deleteExpiredLinks } from '../developers/links.ts';
import { DAY } from '../lib/clock.ts';
import { deleteOldCooldowns } from '../mail/cooldowns.ts';
import { deleteMailsOfLastMonth, failLostMails } from '../mail/outbox.ts';
import { deleteExpiredChallenges } from '../second-factors/challenges.ts';
import { deleteOldUnconfirmedTotp } from '../second-factors/totp-enrollment.ts';
import { deleteOldFailedAttempts } from '../sessions/backoff.ts';
import { deleteExpiredSessions } from '../sessions/service.ts';
import { deleteExpiredSsoState } from '../sso/cleanup.ts';
import { deleteExpiredRefreshTokens } from './store.ts';

const ROWS_PER_BATCH = 1_000;
/** Each session is deleted with the refresh tokens of a month. */
const SESSIONS_PER_BATCH = 100;
const MAX_BATCHES = 100;
const MAX_PER_SLOW_CLEANUP = 50_000;
/** How long a job that failed permanently is reported. */
const DEAD_JOBS_KEPT_MS = 7 * DAY;
/** Operators must see these however old they are: the plan of an organization is unknown, or a subscription may still be charged. */
const KEPT_JOBS = [CONFIRM_PLAN_JOB, CANCEL_SUBSCRIPTION_JOB];

type Cleanup = (ctx: Context, now: number, max: number) => number;
type SlowCleanup = (ctx: Context, now: number, max: number) => Promise<number>;

/** Each deletes up to `max` expired rows of each table and returns the number deleted. */
const cleanupSteps: readonly Cleanup[] = [
  (ctx, now, max) => ctx.transact((tx) => deleteExpiredRefreshTokens(tx, now, max), { bookkeeping: true }),
  deleteExpiredSessions,
  deleteExpiredSetupLinks,
  deleteExpiredChallenges,
  deleteOldUnconfirmedTotp,
  deleteExpiredLinks,
  deleteExpiredEmailCodes,
  deleteOldCooldowns,
  failLostMails,
  deleteMailsOfLastMonth,
  (ctx, now, max) => deleteDeadJobs(ctx, { before: now - DEAD_JOBS_KEPT_MS, kept: KEPT_JOBS, max }),
  deleteOldFailedAttempts,
  deleteExpiredSsoState,
];

/**
 * Deletes expired sessions with their single sign-on data, refresh tokens, links, emailed codes, challenges, unconfirmed enrollments,
 * email cooldowns, old emails, jobs that failed a week ago, old failed attempts and retired signing keys. Emails without a job fail. A used refresh token is kept until it would
 * have expired. `others` are steps of domains that import this one, `slow` those that yield on their own.
 */
export const createSessionSweep = (others: readonly Cleanup[], slow: readonly SlowCleanup[]): Sweep => ({
  name: 'sessions',
  deletesByAge: true,
  schedule: '17 * * * *',
  async run(ctx) {
    const now = ctx.clock.time();
    let removed = ctx.accessTokens.deleteRetiredSigningKeys();
    for (const cleanUp of [...cleanupSteps, ...others]) {
      const max = cleanUp === deleteExpiredSessions ? SESSIONS_PER_BATCH : ROWS_PER_BATCH;
      for (let batch = 0; batch < MAX_BATCHES; batch += 1) {
        const count = cleanUp(ctx, now, max);
        removed += count;
        await yieldToOthers();
        if (count < max) break;
      }
    }
    for (const cleanUp of slow) removed += await cleanUp(ctx, now, MAX_PER_SLOW_CLEANUP);
    // Sent emails no longer contain their links, but the write-ahead log may.
    await eraseLog(ctx);
    return removed;
  },
});
