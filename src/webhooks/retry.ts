// The schedule for retrying failed deliveries.
import { createHash } from 'node:crypto';
import { HOUR, MINUTE, SECOND } from '../lib/clock.ts';

/** Delays after the first to the seventh attempt: eight attempts in about a day. Further ones use the last delay. */
export const PAUSES_MS: readonly number[] = [30 * SECOND, 2 * MINUTE, 10 * MINUTE, HOUR, 3 * HOUR, 7 * HOUR, 13 * HOUR];
/** Delays vary by this fraction, little enough that the next delay is always longer. */
export const JITTER = 0.2;
/** The longest delay between two attempts. */
export const MAX_PAUSE_MS = Math.max(...PAUSES_MS) * (1 + JITTER);

/**
 * Returns the milliseconds to wait after a number of failed attempts. The jitter spreads deliveries that failed
 * together. It derives from the delivery's id, so repeated calls return the same value.
 */
export function pauseAfter(attempts: number, deliveryId: string): number {
  const pause = PAUSES_MS[Math.min(attempts, PAUSES_MS.length) - 1] ?? 30 * SECOND;
  const draw = createHash('sha256').update(`${deliveryId} ${attempts}`).digest().readUInt32BE() / 2 ** 32;
  return Math.round(pause * (1 - JITTER + 2 * JITTER * draw));
}
