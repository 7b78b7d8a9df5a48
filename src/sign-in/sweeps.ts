// The sweep of what signing in leaves behind.
import { forgetEndedSessions } from '../accounts/sessions.ts';
import { forgetEndedSetupLinks } from '../accounts/setup.ts';
import type { Sweep } from '../platform/sweeps.ts';
import { deleteExpiredRefreshTokens } from './store.ts';

const MOST_TOKENS = 10_000;
const MOST_SESSIONS = 500;

/** Ended sessions, expired refresh tokens and ended setup links. A used refresh token stays until it would have expired. */
export const sessionSweep: Sweep = {
  name: 'sessions',
  schedule: '17 * * * *',
  run(ctx) {
    const now = ctx.clock.now().getTime();
    const tokens = ctx.transact((tx) => deleteExpiredRefreshTokens(tx, now, MOST_TOKENS), { bookkeeping: true });
    return tokens + forgetEndedSessions(ctx, now, MOST_SESSIONS) + forgetEndedSetupLinks(ctx, now);
  },
};
