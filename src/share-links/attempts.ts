// Attempts to enter the password of a share link. They are slowed down by network, and by link after many failures, because the
// link may be known to many people.
import type { Context } from '../core/context.ts';
import { passwordsOf } from '../developers/password.ts';
import type { ShareLinkRow } from '../install/share-links.ts';
import { networkOf } from '../lib/network.ts';
import {
  admitAttempt,
  clearFailedAttempts,
  countWrongGuess,
  uncountAttempt,
  uncountAttempts,
} from '../sessions/backoff.ts';

/** Failures from all networks before the link slows everyone down. */
const FREE_FAILURES_OF_LINK = 100;

/** Returns whether a password is the link's. Throws `rate_limit_exceeded` with Retry-After after too many failures. */
export function isLinkPassword(
  ctx: Context,
  { id, passwordHash }: Pick<ShareLinkRow, 'id' | 'passwordHash'>,
  password: string,
): Promise<boolean> {
  const { ipAddress } = ctx.request;
  const passwords = passwordsOf(ctx);
  const ofNetwork = ctx.secrets.hash(`share ${id} ${ipAddress === null ? '' : networkOf(ipAddress)}`);
  const ofLink = ctx.secrets.hash(`share ${id}`);
  return passwords.inTurn(ofNetwork, async () => {
    // Together, so that an attempt that isn't allowed counts neither for its network nor for the others.
    const { own, all } = ctx.transact(
      (tx) => ({ own: admitAttempt(tx, ofNetwork), all: admitAttempt(tx, ofLink, FREE_FAILURES_OF_LINK) }),
      { bookkeeping: true },
    );
    const isCorrect = await passwords.verify(password, passwordHash).catch((error: unknown) => {
      uncountAttempts(ctx, own, all);
      throw error;
    });
    ctx.transact(
      (tx) => {
        if (isCorrect) {
          clearFailedAttempts(tx, own);
          uncountAttempt(tx, all);
          return;
        }
        countWrongGuess(tx, own);
        countWrongGuess(tx, all);
      },
      { bookkeeping: true },
    );
    return isCorrect;
  });
}
