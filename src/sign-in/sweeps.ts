// The sweep of what signing in leaves behind.
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { deleteExpiredSetupLinks } from '../accounts/setup.ts';
import type { Context, Sweep } from '../core/context.ts';
import { emptyLog } from '../data/erasure.ts';
import { deleteExpiredLinks } from '../developers/links.ts';
import { deleteOldCooldowns } from '../mail/cooldowns.ts';
import { deleteMailsOfLastMonth } from '../mail/outbox.ts';
import { deleteExpiredChallenges } from '../second-factors/challenges.ts';
import { deleteOldUnconfirmedTotp } from '../second-factors/totp-enrollment.ts';
import { deleteOldFailedAttempts } from '../sessions/backoff.ts';
import { deleteExpiredSessions } from '../sessions/service.ts';
import { deleteExpiredSsoState } from '../sso/cleanup.ts';
import { deleteExpiredRefreshTokens } from './store.ts';

const ROWS_PER_BATCH = 1_000;
/** With a session go the refresh tokens of a month. */
const SESSIONS_PER_BATCH = 100;
const MOST_BATCHES = 100;
const MOST_AT_ONCE = 50_000;

type Forget = (ctx: Context, now: number, most: number) => number;
type ForgetSlowly = (ctx: Context, now: number, most: number) => Promise<number>;

/** Each removes what is over at a moment, at most so many rows of each table, and answers how many they were. */
const forgets: readonly Forget[] = [
  (ctx, now, most) => ctx.transact((tx) => deleteExpiredRefreshTokens(tx, now, most), { bookkeeping: true }),
  deleteExpiredSessions,
  deleteExpiredSetupLinks,
  deleteExpiredChallenges,
  deleteOldUnconfirmedTotp,
  deleteExpiredLinks,
  deleteOldCooldowns,
  deleteMailsOfLastMonth,
  deleteOldFailedAttempts,
  deleteExpiredSsoState,
];

/**
 * Ended sessions with what single sign-on keeps of them, expired refresh tokens, links and challenges, enrolments that were
 * never confirmed, cooldowns of mails and mails of a month ago, old wrong guesses of passwords,
 * retired signing keys, installs that did not come back. A used refresh token stays until it would have expired.
 * `others` are the same of domains above this one, `slow` those that yield by themselves.
 */
export const createSessionSweep = (others: readonly Forget[], slow: readonly ForgetSlowly[]): Sweep => ({
  name: 'sessions',
  deletesByAge: true,
  schedule: '17 * * * *',
  async run(ctx) {
    const now = ctx.clock.now().getTime();
    let removed = ctx.accessTokens.forgetRetiredKeys();
    for (const forget of [...forgets, ...others]) {
      const most = forget === deleteExpiredSessions ? SESSIONS_PER_BATCH : ROWS_PER_BATCH;
      for (let batch = 0; batch < MOST_BATCHES; batch += 1) {
        const count = forget(ctx, now, most);
        removed += count;
        await yieldToOthers();
        if (count < most) break;
      }
    }
    for (const forget of slow) removed += await forget(ctx, now, MOST_AT_ONCE);
    // Mails that were sent lost their links; the write-ahead log may still have them.
    emptyLog(ctx);
    return removed;
  },
});
