// The sweep of what signing in leaves behind.
import { forgetEndedLinks } from '../accounts/links.ts';
import { forgetEndedSessions } from '../accounts/sessions.ts';
import { forgetEndedSetupLinks } from '../accounts/setup.ts';
import { forgetEndedEnrollments } from '../devices/sweeps.ts';
import { forgetCooldowns } from '../mail/cooldowns.ts';
import { forgetOldMails } from '../mail/outbox.ts';
import type { Sweep } from '../platform/sweeps.ts';
import { forgetEndedInstalls } from '../sdk/traces.ts';
import { forgetEndedChallenges } from '../second-factors/challenges.ts';
import { forgetUnconfirmedTotp } from '../second-factors/enrolment.ts';
import { forgetEndedSso } from '../sso/traces.ts';
import { forgetGuesses } from './backoff.ts';
import { deleteExpiredRefreshTokens } from './store.ts';

const MOST_TOKENS = 10_000;
const MOST_SESSIONS = 500;
const MOST_CHALLENGES = 50_000;
const MOST_MAILS = 10_000;
const MOST_INSTALLS = 50_000;

/**
 * Ended sessions with what single sign-on keeps of them, expired refresh tokens, links and challenges, enrolments that were
 * never confirmed, cooldowns of mails and mails of a month ago, old wrong guesses of passwords,
 * retired signing keys, installs that did not come back. A used refresh token stays until it would have expired.
 */
export const sessionSweep: Sweep = {
  name: 'sessions',
  schedule: '17 * * * *',
  async run(ctx) {
    const now = ctx.clock.now().getTime();
    const tokens = ctx.transact((tx) => deleteExpiredRefreshTokens(tx, now, MOST_TOKENS), { bookkeeping: true });
    return (
      tokens +
      forgetEndedSessions(ctx, now, MOST_SESSIONS) +
      forgetEndedSetupLinks(ctx, now) +
      forgetEndedChallenges(ctx, now, MOST_CHALLENGES) +
      forgetUnconfirmedTotp(ctx, now) +
      forgetEndedLinks(ctx, now, MOST_TOKENS) +
      forgetEndedEnrollments(ctx, now, MOST_CHALLENGES) +
      forgetCooldowns(ctx, now) +
      forgetOldMails(ctx, now, MOST_MAILS) +
      forgetGuesses(ctx, now) +
      ctx.accessTokens.forgetRetiredKeys() +
      forgetEndedSso(ctx, now, MOST_TOKENS) +
      (await forgetEndedInstalls(ctx, now, MOST_INSTALLS))
    );
  },
};
