// Notices that Litestream 0.3.13 waits for another change before it sends what it has copied. That happens if a change arrived
// after it read the size of the log and before it copied it, and after a request that failed.
import { SECOND } from '../lib/clock.ts';
import { hasReached, type LitestreamState } from './position.ts';

/** Without progress, such as while the bucket can't be reached, each write would only make the log longer. */
const PAUSE_MS = 10 * SECOND;

export interface Nudge {
  /** Whether a write to the database is needed, so that Litestream sends what it has copied. Called once for each reading. */
  isNeeded(at: number, state: LitestreamState): boolean;
}

/** Starts comparing readings of Litestream's state. */
export function createNudge(): Nudge {
  let seen: string | undefined;
  let nudged: { at: number; sent: string } | undefined;
  return {
    isNeeded(at, { copied, sent }) {
      const position = JSON.stringify(copied);
      const isSame = copied !== undefined && position === seen;
      seen = position;
      if (!isSame || (sent !== undefined && hasReached(sent, copied))) return false;
      const progress = JSON.stringify(sent ?? null);
      if (nudged?.sent === progress && Math.abs(at - nudged.at) < PAUSE_MS) return false;
      nudged = { at, sent: progress };
      return true;
    },
  };
}
