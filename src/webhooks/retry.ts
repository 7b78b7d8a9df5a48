// When a failed delivery is tried again.
import { createHash } from 'node:crypto';
import { HOUR, MINUTE, SECOND } from '../lib/clock.ts';

/** After the first to the seventh attempt: eight attempts in about a day. Further ones wait as long as the last. */
export const PAUSES_MS: readonly number[] = [30 * SECOND, 2 * MINUTE, 10 * MINUTE, HOUR, 3 * HOUR, 7 * HOUR, 13 * HOUR];
/** A pause is this much longer or shorter; little enough that the next one is longer still. */
export const JITTER = 0.2;
/** No delivery waits longer for its next attempt. */
export const LONGEST_PAUSE_MS = Math.max(...PAUSES_MS) * (1 + JITTER);

/**
 * Milliseconds to wait after the given number of failed attempts. The jitter spreads deliveries that failed together; it
 * comes from the delivery's id, so that it is the same however often it is asked for.
 */
export function pauseAfter(attempts: number, deliveryId: string): number {
  const pause = PAUSES_MS[Math.min(attempts, PAUSES_MS.length) - 1] ?? 30 * SECOND;
  const draw = createHash('sha256').update(`${deliveryId} ${attempts}`).digest().readUInt32BE() / 2 ** 32;
  return Math.round(pause * (1 - JITTER + 2 * JITTER * draw));
}
